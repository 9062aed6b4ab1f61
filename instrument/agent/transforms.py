"""Transformers: class files in, class files out.

1. What is no class file, or another class's, is refused here; then the class is as it was.
2. What keeps the class's shape is exchanged for the class as it was, before any of its code runs. If the JVM's verifier
   refuses it, the class stays as it was, and the agent says so here.
3. Another shape must be there when the class is defined. What the verifier says then is the program's.
"""

from __future__ import annotations

from classhook.agent.class_shape import shape
from classhook.agent.handlers import Refused
from classhook.base.embedded import events as jvm
from classhook.classfile.reader import ClassFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class ClassToLoad:
    """A class that is about to be loaded: its `name`, with dots, and its class file, `data`."""

    __slots__ = ("_event", "data", "name")

    def __init__(self, event: Any) -> None:
        self.name: str = event.name
        self.data: bytes = event.data
        self._event = event

    def reader(self) -> ClassFile:
        """The parts of the class file. Raises ClassFormatError."""
        return ClassFile.parse(self.data)

    def why_not(self, owner: str, method: str, descriptor: str) -> str | None:
        """The reason why its code cannot call this static method; None: it can. The class's loader is asked for the
        owner."""
        why: str | None = jvm.finds(self._event, owner, method, descriptor)
        return why


def transformer(function: Callable[[ClassToLoad], bytes | None]) -> Callable[[Any], tuple[bytes, bool] | None]:
    """The function as the agent calls it: the class file, and whether its shape is another. What it raises is noted as
    any handler's exception."""

    def called(event: Any) -> tuple[bytes, bool] | None:
        if event.text is not None:
            raise Refused(f"{event.name} runs unchanged, since the JVM refuses the transformed class: {event.text}")
        cls = ClassToLoad(event)
        result = function(cls)
        if result is None:
            return None
        if not isinstance(result, (bytes, bytearray)):
            raise TypeError(f"a transformer returns bytes or None, not {type(result).__name__}")
        data = bytes(result)
        parsed = ClassFile.parse(data)
        found = parsed.name.replace("/", ".")
        if found != cls.name:
            raise ValueError(f"a transformer of {cls.name} returned the class {found}")
        return data, shape(parsed) != shape(cls.reader())

    return called

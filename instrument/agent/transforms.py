"""Transformers: class files in, class files out.

1. Bytes that are not a class file, or that of another class, are refused here; then the class stays unchanged.
2. A class of the same shape replaces the original one before any of its code runs. If the JVM's verifier
   refuses it, the class stays as it was, and the agent says so here.
3. Another shape must be there when the class is defined. A verifier's error then goes to the program.
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
    """The function as the agent calls it: the class file, and whether its shape is another. Its exceptions are noted as
    any handler's."""

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

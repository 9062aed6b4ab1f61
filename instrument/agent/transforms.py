"""Transformers: class files in, class files out. What is no class file, or another class's, is refused; then the class is as it was."""

from __future__ import annotations

from classfile.reader import ClassFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class ClassToLoad:
    """A class that is about to be loaded: its `name`, with dots, and its class file, `data`."""

    __slots__ = ("data", "name")

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.data = data

    def reader(self) -> ClassFile:
        """The parts of the class file. Raises ClassFormatError."""
        return ClassFile.parse(self.data)


def transformer(function: Callable[[ClassToLoad], bytes | None]) -> Callable[[Any], bytes | None]:
    """The function as the agent calls it. What it raises is noted as any handler's exception."""

    def called(event: Any) -> bytes | None:
        cls = ClassToLoad(event.name, event.data)
        result = function(cls)
        if result is None:
            return None
        if not isinstance(result, (bytes, bytearray)):
            raise TypeError(f"a transformer returns bytes or None, not {type(result).__name__}")
        data = bytes(result)
        found = ClassFile.parse(data).name.replace("/", ".")
        if found != cls.name:
            raise ValueError(f"a transformer of {cls.name} returned the class {found}")
        return data

    return called

"""What can go wrong with a class file; nothing else leaves this package's public functions."""

from __future__ import annotations


class ClassFormatError(ValueError):
    """The bytes are no class file: `what` is wrong, at byte (or code offset) `where`."""

    def __init__(self, what: str, where: int) -> None:
        super().__init__(f"{what} at {where}")
        self.what = what
        self.where = where


class Refused(ClassFormatError):
    """What the JVM refuses, but might take in a woven class: the whole class must stay as it is."""


class CodeTooLarge(Exception):
    """The woven method would have more than 65,535 bytes of code (JVMS 4.7.3)."""


class PoolFull(Exception):
    """The woven class would have more than 65,535 constant pool entries (JVMS 4.1)."""


class Unsupported(Exception):
    """A structure that is perhaps right, but that cannot be woven; the text says which."""

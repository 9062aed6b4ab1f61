"""The exceptions of this package's public functions."""

from __future__ import annotations


class ClassFormatError(ValueError):
    """The bytes are not a valid class file: `what` is wrong, at byte (or code offset) `where`."""

    def __init__(self, what: str, where: int) -> None:
        super().__init__(f"{what} at {where}")
        self.what = what
        self.where = where


class Refused(ClassFormatError):
    """The JVM refuses this, but might accept it in a woven class: the whole class must not be woven."""


class CodeTooLarge(Exception):
    """The woven method would have more than 65,535 bytes of code (JVMS 4.7.3)."""


class PoolFull(Exception):
    """The woven class would have more than 65,535 constant pool entries (JVMS 4.1)."""


class Unsupported(Exception):
    """A structure that may be valid but cannot be woven; the text says which."""

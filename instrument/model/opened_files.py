"""Files that a program read while it ran tests (native/events/opened_files.c notes them)."""

from __future__ import annotations

from dataclasses import dataclass
from struct import iter_unpack

MOST_METHODS = 16  # of one opening that are known


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A file that was opened to read, looked at or listed, whether it was there or not.

    path: absolute, with a slash behind it if it was listed; empty: other files were opened of which nothing is known
    context: in which it was; empty: in none
    methods: of the program, on the stack, innermost first: class, name and descriptor, as in
    `com/acme/Orders.place(I)V` is_direct: only plain input of the JDK was below the innermost one; a library may keep
    what it reads
    """

    path: str
    context: str
    methods: tuple[str, ...]
    is_direct: bool


def opened_file(record: bytes, number: int, context: str, methods: dict[int, str]) -> OpenedFile:
    """The file that a record describes. `number`: of its head; `methods`: by number. Raises ValueError if it is
    damaged."""
    n, is_direct = number >> 1, bool(number & 1)
    if n > MOST_METHODS or 4 * n > len(record):
        raise ValueError(number)
    named = tuple(methods.get(one, "") for (one,) in iter_unpack("<I", record[: 4 * n]))
    return OpenedFile(record[4 * n :].decode("utf-8", "replace"), context, named, is_direct)

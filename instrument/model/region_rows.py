"""Rows of a region, which have one size and follow its head; and which of them a snapshot takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from classhook.model.snapshot_scope import KeyOf
from classhook.native._layout import ffi
from classhook.store.region import Region

#: Given how many rows there are, and the slots of a row's context and thread: the rows that are wanted
#: (FileReading.chosen).
Chosen = Callable[[int, KeyOf], Iterable[int]]


def every(count: int, key_of: KeyOf) -> Iterable[int]:
    """All rows, whatever they belong to."""
    return range(count)


class Rows:
    """The rows of a C type."""

    def __init__(self, region: Region, type_name: str, head_bytes: int) -> None:
        self.region = region
        self.head_bytes = head_bytes
        self.size: int = ffi.sizeof(type_name)
        self._pointer = f"{type_name} *"

    def row(self, i: int) -> Any:
        """One of them; None if the file does not have it."""
        piece = self.region.read(self.head_bytes + i * self.size, self.size)
        return None if piece is None else ffi.from_buffer(self._pointer, piece)

    def field(self, i: int, name: str) -> int:
        """A number of a row; 0 if the file does not have it."""
        row = self.row(i)
        return 0 if row is None else int(getattr(row, name))

"""Reads the data of a sparse file, but not its holes.

The file may grow, shrink or be damaged while it is read; parts that cannot be read count as missing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

MOST_AT_ONCE = 1 << 30


class Extents:
    """An open file. `size`: its length in bytes, holes included, when last checked."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.size = 0
        self.look_again()

    def look_again(self) -> None:
        """Updates `size`: the file may have grown."""
        self.size = os.fstat(self.descriptor).st_size

    def read(self, at: int, size: int) -> bytes:
        """The bytes from `at` on, fewer at the file's end; holes are zeros. Raises OSError."""
        pieces = []
        while size > 0 and (piece := os.pread(self.descriptor, min(size, MOST_AT_ONCE), at)):
            pieces.append(piece)
            at += len(piece)
            size -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def data(self, at: int, size: int) -> Iterator[tuple[int, bytes]]:
        """(position, bytes) of the data between `at` and `at + size`, without holes. Raises OSError."""
        end = min(at + size, self.size)
        while at < end:
            try:
                start = os.lseek(self.descriptor, at, os.SEEK_DATA)
                stop = os.lseek(self.descriptor, start, os.SEEK_HOLE)
            except OSError:  # no data up to the end
                return
            if start >= end:
                return
            piece = self.read(start, min(stop, end) - start)
            if not piece:
                return
            yield start, piece
            at = start + len(piece)

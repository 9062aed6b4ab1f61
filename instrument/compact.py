"""A data file put together again: one file without holes, of one that has many or that goes on in a second one.

1. The pieces that are there follow each other behind the header, each with an entry in the directory. What begins in one may end in the
   hole behind it, as a record does whose last fields are 0; so the hole's beginning comes along.
2. Where the header has no room for all entries, the directory goes on behind it, part by part.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from instrument.datafile import ENTRY_BYTES, DataFile, Region, lib
from native._layout import ffi

MARGIN = 8 * lib.CH_UNIT  # no record and no octave is longer
IN_A_PART = lib.CH_ENTRIES - 1  # the last entry leads on


def compact(file: DataFile) -> Iterator[bytes | memoryview]:
    """The new file's bytes, in pieces."""
    pieces = [(key, first, piece, margin) for key, region in file.regions.items() for first, piece, margin in _with_margins(region)]
    parts = max(1, -(-len(pieces) // IN_A_PART))
    at = lib.CH_CHUNK * parts
    entries = []
    for (kind, block), first, piece, margin in pieces:
        size = len(piece) + margin
        entries.append({"kind": kind, "block": block, "offset": at, "bytes": size, "first": first})
        at += size
    header = ffi.new("struct ch_header *")
    ffi.buffer(header)[:] = bytes(ffi.buffer(file.header))
    header.entries = len(entries) + parts - 1
    for part in range(parts):
        own = entries[part * IN_A_PART : (part + 1) * IN_A_PART]
        if part < parts - 1:
            own.append({"kind": lib.CH_DIRECTORY, "offset": lib.CH_CHUNK * (part + 1), "bytes": lib.CH_CHUNK})
        directory = bytes(ffi.buffer(ffi.new("struct ch_entry[]", own))).ljust(lib.CH_ENTRIES * ENTRY_BYTES, b"\0")
        if part == 0:
            ffi.buffer(header.directory)[:] = directory
            directory = bytes(ffi.buffer(header))
        yield directory.ljust(lib.CH_CHUNK, b"\0")
    for _, _, piece, margin in pieces:
        yield piece
        yield bytes(margin)


def _with_margins(region: Region) -> Iterator[tuple[int, memoryview, int]]:
    """Position, bytes, and how many zeros follow, of each piece."""
    starts = [first for first, _ in region.pieces[1:]]
    for (first, piece), next_first in zip_longest(region.pieces, starts):
        filled = -len(piece) % lib.CH_UNIT
        gap = MARGIN if next_first is None else max(0, next_first - first - len(piece) - filled)
        if len(piece):
            yield first, piece, filled + min(MARGIN, gap)

"""Rewrites a sparse data file, or one that continues in a second file, as one file without holes.

1. The allocated pieces are written one after another behind the header, each with an entry in the directory; the reader
   takes the gaps between them for holes.
2. If the header has no room for all entries, the directory continues behind it, part by part.
"""

from __future__ import annotations

from collections.abc import Iterator

from classhook.native._layout import ffi, lib
from classhook.store.data_file import DataFile
from classhook.store.layout import ENTRY_BYTES

IN_A_PART = lib.CH_ENTRIES - 1  # the last entry points to the next part


def compact(file: DataFile, seen_ns: int = 0) -> Iterator[bytes | memoryview]:
    """The new file's bytes, in pieces. `seen_ns`: when its process was seen to end (CLOCK_MONOTONIC), if it did not
    write that itself."""
    pieces = [(key, first, piece) for key, region in file.regions.items() for first, piece in region.pieces]
    parts = max(1, -(-len(pieces) // IN_A_PART))
    at = lib.CH_CHUNK * parts
    entries = []
    for (kind, block), first, piece in pieces:
        size = len(piece) + _filler(piece)
        entries.append({"kind": kind, "block": block, "offset": at, "bytes": size, "first": first})
        at += size
    header = ffi.new("struct ch_header *")
    ffi.buffer(header)[:] = bytes(ffi.buffer(file.header))
    if header.how_ended == lib.CH_RUNNING:
        header.seen_ns = seen_ns or header.seen_ns
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
    for _, _, piece in pieces:
        yield piece
        yield bytes(_filler(piece))


def _filler(piece: memoryview) -> int:
    """The number of zeros after a piece that align the next one."""
    unit: int = lib.CH_UNIT
    return -len(piece) % unit

"""Reads one data file: its header, directory and regions (layout: native/classhook.h).

1. The header describes the process; its directory says where each region lies, and where the directory continues.
2. An entry that points outside the file, or overlaps another one, is ignored, with a note; of a truncated region the
   rest is used.
3. Only the allocated pieces of a region are read; holes are zeros. Regions may lie in a second file.

The file may belong to a running JVM: it grows, but nothing in it is removed. It may also be damaged: every number is
checked before use.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

from classhook.native._layout import lib
from classhook.store.data_file import DataFile
from classhook.store.extents import Extents
from classhook.store.layout import Entry, directory
from classhook.store.opening import DataError, open_second, opened, read_header, second
from classhook.store.region import Block, Region
from classhook.store.sealed_parts import KEY_BYTES, BlockKey, key_of, keys_of, once_each, parts_of, region_of

MOST_LOOKS = 100  # at a block that is emptied or filled while it is read


def read_file(path: Path) -> DataFile:
    """Reads a data file. Raises DataError if nothing of it can be read."""
    try:
        with opened(path) as (file, running):
            return read_opened(path, file, running, lambda: open_second(None, path))
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None


def read_opened(path: Path, file: Extents, running: bool, second: Callable[[], int]) -> DataFile:
    """The same of a file that is open; `path` is only what it is called. `second`: opens the second file, in which the
    data file continues. Raises DataError."""
    try:
        header = read_header(path, file, running)
        file.look_again()  # the regions that the header lists exist by now
        try:
            descriptor = second()
        except OSError:
            return _read(path, header, running, [file, None])
        try:
            return _read(path, header, running, [file, Extents(descriptor)])
        finally:
            os.close(descriptor)
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    except MemoryError:
        raise DataError(f"{path}: too large to be read here") from None


class _Pieces:
    """Reads regions, and notes what is missing of them."""

    def __init__(self, path: Path, header: Any, files: list[Extents | None]) -> None:
        self.path = path
        self.header = header
        self.files = files
        self.damaged = False
        self.missing = False
        self.cut_off: dict[Path, int] = {}  # truncated files and their sizes

    def entries(self, header: Any) -> list[Entry]:
        """The entries that may be right: no two may overlap, else a small file could take any amount of memory."""
        assert self.files[0] is not None
        known = []
        for entry in directory(self.files[0], header):
            if entry is None or not entry.possible:
                self.damaged = True
            elif entry.bytes:
                known.append(entry)
        ends = [0, 0]
        found = []
        for entry in sorted(known, key=lambda entry: (entry.file, entry.offset)):
            if entry.offset < ends[entry.file]:
                self.damaged = True
                continue
            ends[entry.file] = entry.offset + entry.bytes
            found.append(entry)
        return found

    def regions(self, entries: Iterable[Entry]) -> dict[tuple[int, int], Region]:
        pieces: dict[tuple[int, int], list[tuple[int, memoryview]]] = {}
        for entry in entries:
            file = self.files[entry.file]
            if file is None:
                self.missing = True
                continue
            there = max(0, min(entry.bytes, file.size - entry.offset)) & ~7
            if there < entry.bytes:
                self.cut_off[second(self.path) if entry.file else self.path] = file.size
            if not there:
                continue
            used = {lib.CH_SLOTS: 8, lib.CH_COVER: 1}.get(entry.kind)  # bytes a slot
            wanted = there if used is None else min(there, max(0, self.header.slots_used * used - entry.first) + 7 & ~7)
            found = pieces.setdefault((entry.kind, entry.block), [])
            for at, data in file.data(entry.offset, wanted):
                if len(data) >= 8:
                    found.append((entry.first + at - entry.offset, memoryview(data)[: len(data) & ~7]))
        regions = {key: Region(found) for key, found in pieces.items()}
        self.damaged |= any(len(region.pieces) < len(pieces[key]) for key, region in regions.items())
        return regions

    def notes(self) -> list[str]:
        notes = []
        if self.missing:
            notes.append(f"{self.path}: its second file {second(self.path)} is missing, and with it the counts there")
        notes += [
            f"{one}: truncated after {size:,} bytes; the complete parts were read" for one, size in self.cut_off.items()
        ]
        if self.damaged:
            notes.append(f"{self.path}: its directory is damaged or truncated; the parts that could be found were read")
        return notes


def _read(path: Path, header: Any, running: bool, files: list[Extents | None]) -> DataFile:
    reads = _Pieces(path, header, files)
    entries = reads.entries(header)
    of_keys = [entry for entry in entries if entry.kind == lib.CH_BLOCK_KEYS]
    of_blocks = [entry for entry in entries if entry.kind in (lib.CH_SLOTS, lib.CH_RECORDS)]
    keys = keys_of(reads.regions(of_keys).get((lib.CH_BLOCK_KEYS, 0), Region()))
    regions: dict[tuple[int, int], Region] = {}
    if running and of_keys:
        for index, own in groupby(sorted(of_blocks, key=lambda entry: entry.block), key=lambda entry: entry.block):
            regions |= _steadily(reads, of_keys[0], index, [*own], keys)
    else:
        regions = reads.regions(of_blocks)
    if running and files[0] is not None:  # there may be more sealed parts by now
        files[0].look_again()
        entries = reads.entries(read_header(path, files[0], running))
    regions |= reads.regions(
        entry for entry in entries if entry.kind not in (lib.CH_SLOTS, lib.CH_RECORDS, lib.CH_BLOCK_KEYS)
    )
    blocks = [
        _block(block, keys.get(block, BlockKey()), region, regions.get((lib.CH_RECORDS, block), Region()), header)
        for (kind, block), region in sorted(regions.items(), key=lambda item: item[0])
        if kind == lib.CH_SLOTS and keys.get(block, BlockKey()).counts
    ]
    segments = [
        region for (kind, _), region in sorted(regions.items(), key=lambda item: item[0]) if kind == lib.CH_SEALED
    ]
    parts, damaged = parts_of(segments, keys, header.slots_used)
    reads.damaged |= damaged
    blocks, parts, left = once_each(blocks, parts)
    for block in left:
        keys[block.index] = keys[block.index]._replace(seq=keys[block.index].seq | 1)
    if keys:
        regions[lib.CH_BLOCK_KEYS, 0] = region_of(keys)
    shared = next((block for block in blocks if not block.index), None)
    if shared is None:
        blocks.insert(0, shared := Block({}, Region()))
    return DataFile(path, header, running, regions, blocks, shared, reads.notes(), parts)


def _steadily(
    reads: _Pieces, of_keys: Entry, index: int, entries: list[Entry], keys: dict[int, BlockKey]
) -> dict[tuple[int, int], Region]:
    """The regions of a block whose JVM runs, as they are while it has one key; that key, too."""
    file = reads.files[of_keys.file]
    regions: dict[tuple[int, int], Region] = {}
    before = None
    for _ in range(MOST_LOOKS):
        key = key_of(file.read(of_keys.offset + KEY_BYTES * index, KEY_BYTES)) if file is not None else BlockKey()
        if key == before:
            keys[index] = key
            return regions
        before = key
        regions = reads.regions(entries)
    keys[index] = BlockKey(seq=1)
    return {}


def _block(index: int, key: BlockKey, slots: Region, records: Region, header: Any) -> Block:
    return Block(slots.pages(header.slots_used), records, index, key.context, key.thread, key.lineage)

"""Reads one data file: its header, directory, regions and descriptions (native/classhook.h says how they lie).

1. The header tells of the process; its directory says where each region lies, and where it goes on itself.
2. An entry that leads outside the file, or to where another one does, is left out, which is said; of one that is cut off the rest is used.
3. Of a region only what is there is read, in pieces; its holes are zeros. Regions may lie in a second file.
4. The metadata is walked record by record; slots and records of the blocks are looked up by their positions.

The file may belong to a running JVM: what it says grows, and nothing is taken back. It may be damaged, too: no number in it is
used before it was checked.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from sys import byteorder
from typing import Any, NamedTuple

from instrument.extents import Extents
from native._layout import ffi

lib = ffi.dlopen(None)  # the header's constants

MAGIC = b"CLSHOOK\n"
HEADER_BYTES = ffi.sizeof("struct ch_header")
META_BYTES = ffi.sizeof("struct ch_meta")
RECORD_BYTES = ffi.sizeof("struct ch_record")
ENTRY_BYTES = ffi.sizeof("struct ch_entry")
LATEST_NS = 250_000_000_000 * 10**9  # a start after the year 9892 is none
PAGE = 512  # slots that are looked up together
SECOND = ".more"


class DataError(Exception):
    """A file that is no data file, or of which nothing can be read; the text says which and why."""


class Entry(NamedTuple):
    """struct ch_entry."""

    kind: int
    file: int
    block: int
    offset: int
    bytes: int
    first: int


@dataclass(slots=True)
class Region:
    """A region's pieces, by position, in order: where they are, what is there of them."""

    spans: list[tuple[int, int]] = field(default_factory=list)  # first, size: holes included
    pieces: list[tuple[int, memoryview]] = field(default_factory=list)

    def read(self, at: int, size: int) -> memoryview | None:
        """The bytes from position `at` on, zeros where there is a hole; None where the file does not have them."""
        for first, piece in self.pieces:
            if first <= at and at + size <= first + len(piece):
                return piece[at - first : at - first + size]
        if not any(first <= at and at + size <= first + span for first, span in self.spans):
            return None
        whole = bytearray(size)
        for first, piece in self.pieces:
            start, end = max(first, at), min(first + len(piece), at + size)
            if start < end:
                whole[start - at : end - at] = piece[start - first : end - first]
        return memoryview(whole)

    def pages(self, most: int) -> dict[int, memoryview]:
        """The 64-bit values of the first `most`, by pages of PAGE."""
        found: dict[int, memoryview] = {}
        size = 8 * PAGE
        for first, piece in self.pieces:
            for at in range(first - first % size, min(first + len(piece), 8 * most), size):
                if at >= first and at + size <= first + len(piece):
                    found[at // size] = piece[at - first : at - first + size].cast("Q")
                elif at // size not in found:
                    whole = self.read(at, size) or self.read(at, first + len(piece) - at & ~7)
                    found[at // size] = (whole if whole is not None else memoryview(b"")).cast("Q")
        return found


@dataclass(slots=True)
class Block:
    """The counters of one thread after another: pages of slots, and the records that those of timed methods point to."""

    pages: dict[int, memoryview]
    records: Region

    def slot(self, number: int) -> int:
        """A slot's value; 0 where the file does not have it."""
        page = self.pages.get(number // PAGE)
        if page is None or number % PAGE >= len(page):
            return 0
        value: int = page[number % PAGE]
        return value

    def add(self, first: int, sums: list[int]) -> None:
        """Adds the values of the slots from `first` on."""
        at, end = first, first + len(sums)
        while at < end:
            stop = min(end, at - at % PAGE + PAGE)
            page = self.pages.get(at // PAGE)
            if page is not None:
                for i, value in enumerate(page[at % PAGE : at % PAGE + stop - at], at - first):
                    sums[i] += value
            at = stop

    def record(self, at: int) -> Any:
        """The struct ch_record at a position; None where the file does not have it."""
        data = self.records.read(at, RECORD_BYTES)
        return None if data is None else ffi.from_buffer("struct ch_record *", data)


@dataclass(slots=True)
class DataFile:
    """One process's data. `blocks`: the one that threads share comes first; `notes`: what is missing of the file."""

    path: Path
    header: Any
    running: bool
    regions: dict[tuple[int, int], Region]  # by kind and block
    blocks: list[Block]
    notes: list[str]
    all_described: bool = True  # as far as `descriptions` got

    def region(self, kind: int) -> Region:
        return self.regions.get((kind, 0), Region())

    def sums(self, first: int, slots: int) -> list[int]:
        """The values of these slots, summed over all blocks."""
        sums = [0] * slots
        for block in self.blocks:
            block.add(first, sums)
        return sums

    def descriptions(self) -> Iterator[tuple[int, int, int, bytes]]:
        """(kind, first slot, slots, text) of each record of the metadata that is whole."""
        region = self.region(lib.CH_META)
        at, end = 0, self.header.meta_used
        while at + META_BYTES <= end:
            head = region.read(at, META_BYTES)
            if head is None:
                break
            meta = ffi.from_buffer("struct ch_meta *", head)
            text = region.read(at + META_BYTES, meta.bytes) if meta.kind else None  # 0: a hole
            if text is None:
                break
            yield meta.kind, meta.first_slot, meta.slots, bytes(text)
            at = (at + META_BYTES + meta.bytes + 7) & ~7
        if at < end:
            self.all_described = False
            self.notes.append(f"{self.path}: descriptions of classes are missing, and what was counted in those")

    def control(self, slot: int) -> int:
        """How often the paced method at a slot was timed at last, as the agent keeps it; 1 where the file does not have it."""
        control = self.region(lib.CH_CONTROLS).read(4 * slot, 4)
        return int.from_bytes(control, byteorder) if control is not None else 1

    @property
    def ns_per_tick(self) -> float:
        """What a time in the records is to be multiplied with."""
        header = self.header
        ticks, ns = header.last_ticks - header.first_ticks, header.last_ns - header.first_ns
        return ns / ticks if header.clock == lib.CH_CLOCK_TICKS and ticks > 0 and ns > 0 else 1.0


def read_file(path: Path) -> DataFile:
    """Reads a data file. Raises DataError if nothing of it can be read."""
    try:
        with opened(path) as (file, running):
            header = _header(path, file, running)
            file.look_again()  # what the header speaks of is there by now
            with _second(path) as more:
                return _read(path, header, running, [file, more])
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    except MemoryError:
        raise DataError(f"{path}: too large to be read here") from None


@contextmanager
def opened(path: Path) -> Iterator[tuple[Extents, bool]]:
    """The file, and whether its JVM still runs: that one holds the lock. Raises DataError, OSError."""
    try:
        if not path.is_file() and path.exists():  # a pipe or device might never end
            raise DataError(f"{path}: not a file")
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        gone = "its counters lay in memory (/dev/shm) that was cleared since; only that JVM's counts are lost"
        raise DataError(f"{path}: {gone if path.is_symlink() else 'no such file'}") from None
    try:
        running = False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            running = True
        except OSError:
            pass  # a file system without locks: no JVM could have taken one there
        yield Extents(descriptor), running
    finally:
        os.close(descriptor)


@contextmanager
def _second(path: Path) -> Iterator[Extents | None]:
    """Where the data file goes on; None where it does not."""
    try:
        descriptor = os.open(second(path), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        yield None
        return
    try:
        yield Extents(descriptor)
    finally:
        os.close(descriptor)


def second(path: Path) -> Path:
    """Where a data file goes on that has had its share of the memory file system."""
    return path.with_name(path.name + SECOND)


def _header(path: Path, file: Extents, running: bool) -> Any:
    data = file.read(0, HEADER_BYTES)
    if not data:
        raise DataError(f"{path}: empty")
    if data[:8] != MAGIC:
        raise DataError(f"{path}: its JVM is just starting" if running else f"{path}: not a classhook data file")
    if len(data) < HEADER_BYTES:
        raise DataError(f"{path}: cut off within its header after {len(data):,} bytes; nothing can be read")
    header = ffi.from_buffer("struct ch_header *", data)
    if header.format != lib.CH_FORMAT or header.header_bytes != HEADER_BYTES:
        raise DataError(f"{path}: written by another version of classhook (format {header.format}, this one reads {lib.CH_FORMAT}); "
                        "report it with that version")  # fmt: skip
    if not 0 <= header.start_unix_ns < LATEST_NS:
        raise DataError(f"{path}: its header is damaged; nothing can be read")
    return header


def _read(path: Path, header: Any, running: bool, files: list[Extents | None]) -> DataFile:
    regions: dict[tuple[int, int], Region] = {}
    damaged, cut_off = False, 0
    assert files[0] is not None
    known = []
    for entry in _directory(files[0], header):
        if entry is None or (entry.offset | entry.bytes | entry.first) % lib.CH_UNIT or (not entry.offset and not entry.file):
            damaged = True
        elif entry.file > 1 or entry.bytes:
            known.append(entry)
    ends = [0, 0]  # no two entries may speak of the same bytes: else a small file could ask for any amount of memory
    for entry in sorted(known, key=lambda entry: (entry.file, entry.offset)):
        file = files[entry.file] if entry.file < len(files) else None
        if entry.file >= len(files) or entry.offset < ends[entry.file]:
            damaged = True
            continue
        ends[entry.file] = entry.offset + entry.bytes
        there = 0 if file is None else max(0, min(entry.bytes, file.size - entry.offset)) & ~7
        if there < entry.bytes:
            cut_off = max(cut_off, file.size if file is not None else 1)
        if file is None or not there:
            continue
        region = regions.setdefault((entry.kind, entry.block), Region())
        region.spans.append((entry.first, there))
        wanted = min(there, max(0, header.slots_used * 8 - entry.first)) if entry.kind == lib.CH_SLOTS else there
        for at, piece in file.data(entry.offset, wanted):
            region.pieces.append((entry.first + at - entry.offset, memoryview(piece[: len(piece) & ~7])))
    notes = []
    if cut_off:
        notes.append(f"{path}: cut off after {cut_off:,} bytes; what is whole was read")
    for region in regions.values():
        damaged |= _overlaps(region)
    if damaged:
        notes.append(f"{path}: its directory is damaged or cut off; what could be found was read")
    blocks = [
        Block(region.pages(header.slots_used), regions.get((lib.CH_RECORDS, block), Region()))
        for (kind, block), region in sorted(regions.items(), key=lambda item: item[0])
        if kind == lib.CH_SLOTS
    ]
    return DataFile(path, header, running, regions, blocks, notes)


def _overlaps(region: Region) -> bool:
    """Puts the pieces in order, and leaves out those that say of a place what another has said."""
    region.pieces.sort(key=lambda piece: piece[0])
    kept: list[tuple[int, memoryview]] = []
    end = 0
    for first, piece in region.pieces:
        if first >= end:
            kept.append((first, piece))
            end = first + len(piece)
    overlapped = len(kept) < len(region.pieces)
    region.pieces = kept
    return overlapped


def _directory(file: Extents, header: Any) -> Iterator[Entry | None]:
    """The directory's entries; None where it goes on where it cannot."""
    entries, at, parts = header.directory, 0, {0}
    for _ in range(header.entries):
        if at == lib.CH_ENTRIES:
            yield None
            return
        entry = entries[at]
        at += 1
        if entry.kind != lib.CH_DIRECTORY:
            yield Entry(entry.kind, entry.file, entry.block, entry.offset, entry.bytes, entry.first)
            continue
        if entry.offset in parts or entry.offset + lib.CH_ENTRIES * ENTRY_BYTES > file.size:
            yield None
            return
        parts.add(entry.offset)
        entries, at = ffi.from_buffer("struct ch_entry[]", file.read(entry.offset, lib.CH_ENTRIES * ENTRY_BYTES)), 0

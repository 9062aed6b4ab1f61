"""Reads one data file: its header, directory, regions and descriptions (native/classhook.h says how they lie).

1. The header tells of the process; its directory says where the chunks of each region lie, and where it goes on itself.
2. A chunk outside the file, or where no chunk can lie, is left out, which is said; of one that is cut off the rest is used.
3. Chunks that follow each other in their region become one run of bytes. A region has several runs where the disk refused some.
4. The metadata is walked record by record; slots and records of the blocks are looked up by their positions.

The file may belong to a running JVM: what it says grows, and nothing is taken back. It may be damaged, too: no number in it is
used before it was checked.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from sys import byteorder
from typing import Any

from native._layout import ffi

lib = ffi.dlopen(None)  # the header's constants

MAGIC = b"CLSHOOK\n"
HEADER_BYTES = ffi.sizeof("struct ch_header")
META_BYTES = ffi.sizeof("struct ch_meta")
RECORD_BYTES = ffi.sizeof("struct ch_record")
LATEST_NS = 250_000_000_000 * 10**9  # a start after the year 9892 is none


class DataError(Exception):
    """A file that is no data file, or of which nothing can be read; the text says which and why."""


@dataclass(slots=True)
class Region:
    """What is there of a region: runs of bytes by position, in order."""

    runs: list[tuple[int, memoryview]] = field(default_factory=list)

    def read(self, at: int, size: int) -> memoryview | None:
        """The bytes from position `at` on; None where they are not all there."""
        for first, run in self.runs:
            if first <= at and at + size <= first + len(run):
                return run[at - first : at - first + size]
        return None


@dataclass(slots=True)
class Block:
    """The counters of one thread after another: slots, by number, and the records that those of timed methods point to."""

    slots: list[tuple[int, memoryview]]  # runs of 64-bit values, each with its first slot's number
    records: Region

    def slot(self, number: int) -> int:
        """A slot's value; 0 where the file does not have it."""
        for first, run in self.slots:
            if 0 <= number - first < len(run):
                value: int = run[number - first]
                return value
        return 0

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
    meta: Region
    controls: Region
    blocks: list[Block]
    notes: list[str]

    def sums(self, first: int, slots: int) -> list[int]:
        """The values of these slots, summed over all blocks; nothing where some block has not all of them."""
        columns = []
        for block in self.blocks:
            for start, run in block.slots:
                if start <= first and first + slots <= start + len(run):
                    columns.append(run[first - start : first - start + slots].tolist())
                    break
            else:
                return []
        return [sum(column) for column in zip(*columns, strict=True)]

    def descriptions(self) -> Iterator[tuple[int, int, int, bytes]]:
        """(kind, first slot, slots, text) of each record of the metadata that is whole."""
        at, end = 0, self.header.meta_used
        while at + META_BYTES <= end:
            head = self.meta.read(at, META_BYTES)
            if head is None:
                break
            meta = ffi.from_buffer("struct ch_meta *", head)
            text = self.meta.read(at + META_BYTES, meta.bytes)
            if text is None:
                break
            yield meta.kind, meta.first_slot, meta.slots, bytes(text)
            at = (at + META_BYTES + meta.bytes + 7) & ~7
        if at < end:
            self.notes.append(f"{self.path}: descriptions of classes are missing, and what was counted in those")

    def control(self, slot: int) -> int:
        """How often the paced method at a slot was timed at last, as the agent keeps it; 1 where the file does not have it."""
        control = self.controls.read(4 * slot, 4)
        return int.from_bytes(control, byteorder) if control is not None else 1

    @property
    def ns_per_tick(self) -> float:
        """What a time in the records is to be multiplied with."""
        header = self.header
        ticks, ns = header.last_ticks - header.first_ticks, header.last_ns - header.first_ns
        return ns / ticks if header.clock == lib.CH_CLOCK_TICKS and ticks > 0 and ns > 0 else 1.0


def read_file(path: Path) -> DataFile:
    """Reads a data file. Raises DataError if nothing of it can be read."""
    data, running = contents(path)
    header = _header(path, data, running)
    regions, notes = _regions(path, data, header)
    blocks = [
        Block([(first // 8, run.cast("Q")) for first, run in region.runs], regions.get((lib.CH_RECORDS, block), Region()))
        for (kind, block), region in sorted(regions.items(), key=lambda item: item[0])
        if kind == lib.CH_SLOTS
    ]
    meta, controls = (regions.get((kind, 0), Region()) for kind in (lib.CH_META, lib.CH_CONTROLS))
    return DataFile(path, header, running, meta, controls, blocks, notes)


def contents(path: Path) -> tuple[bytes, bool]:
    """The file's bytes, and whether its JVM still runs: that one holds the lock. Raises DataError."""
    try:
        if not path.is_file() and path.exists():  # a pipe or device might never end
            raise DataError(f"{path}: not a file")
        with path.open("rb") as file:
            running = False
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                running = True
            except OSError:
                pass  # a file system without locks: no JVM could have taken one there
            return file.read(), running
    except FileNotFoundError:
        gone = "its counters lay in memory (/dev/shm) that was cleared since; only that JVM's counts are lost"
        raise DataError(f"{path}: {gone if path.is_symlink() else 'no such file'}") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None


def _header(path: Path, data: bytes, running: bool) -> Any:
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


def _regions(path: Path, data: bytes, header: Any) -> tuple[dict[tuple[int, int], Region], list[str]]:
    """The regions by kind and block, and what is missing."""
    chunks: dict[tuple[int, int], list[tuple[int, memoryview]]] = {}
    cut_off = damaged = False
    for entry in _directory(data, header):
        if entry is None or (entry.offset | entry.bytes | entry.first) % lib.CH_CHUNK or not entry.offset:
            damaged = True
            continue
        chunk = memoryview(data)[entry.offset : entry.offset + entry.bytes]
        if len(chunk) < entry.bytes:
            cut_off = True
            chunk = chunk[: len(chunk) & ~7]
        if len(chunk):
            chunks.setdefault((entry.kind, entry.block), []).append((entry.first, chunk))
    notes = []
    if cut_off:
        notes.append(f"{path}: cut off after {len(data):,} bytes; what is whole was read")
    if damaged:
        notes.append(f"{path}: its directory is damaged or cut off; what could be found was read")
    return {key: Region(_joined(sorted(found, key=lambda chunk: chunk[0]))) for key, found in chunks.items()}, notes


def _joined(chunks: list[tuple[int, memoryview]]) -> list[tuple[int, memoryview]]:
    """Runs of the chunks that follow each other."""
    runs: list[tuple[int, list[memoryview]]] = []
    end = 0
    for first, chunk in chunks:
        if runs and first < end:
            continue  # there are no two chunks of one place
        if runs and first == end:
            runs[-1][1].append(chunk)
        else:
            runs.append((first, [chunk]))
        end = first + len(chunk)
    return [(first, pieces[0] if len(pieces) == 1 else memoryview(b"".join(pieces))) for first, pieces in runs]


def _directory(data: bytes, header: Any) -> Iterator[Any]:
    """The directory's entries; None where it goes on where it cannot."""
    entries, at, parts = header.directory, 0, {0}
    for _ in range(header.entries):
        if at == lib.CH_ENTRIES:
            yield None
            return
        entry = entries[at]
        at += 1
        if entry.kind != lib.CH_DIRECTORY:
            yield entry
            continue
        if entry.offset in parts or entry.offset + lib.CH_CHUNK > len(data):
            yield None
            return
        parts.add(entry.offset)
        entries, at = ffi.from_buffer("struct ch_entry[]", memoryview(data)[entry.offset : entry.offset + lib.CH_CHUNK]), 0

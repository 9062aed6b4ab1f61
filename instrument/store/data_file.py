"""Reads one data file: its header, directory, regions and descriptions (layout: native/classhook.h).

1. The header describes the process; its directory says where each region lies, and where the directory continues.
2. An entry that points outside the file, or overlaps another one, is ignored, with a note; of a truncated region the rest is used.
3. Only the allocated pieces of a region are read; holes are zeros. Regions may lie in a second file.
4. The metadata is walked record by record; slots and records of the blocks are looked up by their positions.

The file may belong to a running JVM: it grows, but nothing in it is removed. It may also be damaged: every number is checked
before use.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from struct import Struct
from sys import byteorder
from typing import Any, NamedTuple

from classhook.files import NotRegularError, open_regular
from classhook.native._layout import ffi
from classhook.store.extents import Extents
from classhook.store.region import PAGE, Block, Region

lib = ffi.dlopen(None)  # the header's constants

MAGIC = b"CLSHOOK\n"
HEADER_BYTES = ffi.sizeof("struct ch_header")
META = Struct("=4I")  # struct ch_meta: bytes, kind, first slot, slots
META_BYTES = META.size
ENTRY_BYTES = ffi.sizeof("struct ch_entry")
PART_BYTES = lib.CH_ENTRIES * ENTRY_BYTES  # of the directory
LATEST_NS = 250_000_000_000 * 10**9  # start times after the year 9892 are invalid
SECOND = ".more"
#: Descriptions that are about one session, and not about classes.
OF_A_SESSION = (lib.CH_META_NOTE, lib.CH_META_DEADLOCK, lib.CH_META_DUMP)
#: Regions in which contexts are not told apart.
OF_PROCESS = (lib.CH_CONTEXTS, lib.CH_COVER)
#: Descriptions that belong to the rules before them, and the beginning of the line of a class that has rules of its own.
OF_RULES = (lib.CH_META_RULES, lib.CH_META_CLASS, lib.CH_META_SKIP)
OWN_RULES = b"\nU\t"
HIT = bytes([0, *(1 for _ in range(255))])


class DataError(Exception):
    """A file that is not a data file or cannot be read; the text says which and why."""


class Entry(NamedTuple):
    """struct ch_entry."""

    kind: int
    file: int
    block: int
    offset: int
    bytes: int
    first: int

    @property
    def possible(self) -> bool:
        """Whether it may describe a region: in one of the two files, after the header, within the address range."""
        aligned = (self.offset | self.bytes | self.first) % lib.CH_UNIT == 0
        return aligned and self.file <= 1 and (self.offset > 0 or self.file > 0) and self.first < 1 << 63


@dataclass(slots=True)
class DataFile:
    """One process's data. `shared`: the one of `blocks` in which all threads may count; `notes`: what is missing in the file."""

    path: Path
    header: Any
    running: bool
    regions: dict[tuple[int, int], Region]  # by kind and block
    blocks: list[Block]
    shared: Block
    notes: list[str]
    all_described: bool = True  # set by `descriptions`
    base: DataFile | None = None  # an earlier state, to be taken off: see baseline.py
    earlier: bool = False  # what `descriptions` yielded last came before the session
    _by_page: dict[int, list[Block]] = field(default_factory=dict)

    def region(self, kind: int) -> Region:
        return self.regions.get((kind, 0), Region())

    def having(self, slot: int) -> list[Block]:
        """The blocks that have data in a slot's page."""
        if not self._by_page:
            for block in self.blocks:
                for page in block.pages:
                    self._by_page.setdefault(page, []).append(block)
        return self._by_page.get(slot // PAGE, [])

    def sums(self, first: int, slots: int) -> list[int]:
        """The values of these slots, summed over all blocks."""
        sums = [0] * slots
        at, end = first, first + slots
        while at < end:
            stop = min(end, at - at % PAGE + PAGE)
            for block in self.having(at):
                for i, value in enumerate(block.pages[at // PAGE][at % PAGE : at % PAGE + stop - at], at - first):
                    sums[i] += value
            at = stop
        if self.base is not None:
            return [now - before for now, before in zip(sums, self.base.sums(first, slots), strict=True)]
        return sums

    def context_of(self, block: Block) -> int:
        """The slot of the context in which a block counts; 0: outside of contexts."""
        found = self.region(lib.CH_BLOCK_CONTEXTS).read(4 * block.index, 4)
        return int.from_bytes(found, byteorder) if found is not None else 0

    def within(self, contexts: Container[int]) -> DataFile:
        """The same, but only with the blocks of these contexts, given by their slots; 0: outside of all."""
        blocks = [replace(block, _taken=set()) for block in self.blocks if self.context_of(block) in contexts]
        regions = self.regions if 0 in contexts else {key: one for key, one in self.regions.items() if key[0] not in OF_PROCESS}
        return replace(self, blocks=blocks, regions=regions, base=self.base and self.base.within(contexts), notes=[], _by_page={})

    def covered(self, first: int, slots: int) -> bytes:
        """Of these slots' probes of coverage, which were hit: 1, others 0."""
        found = self.region(lib.CH_COVER).read(first, slots)
        return bytes(slots) if found is None else bytes(found).translate(HIT)

    def descriptions(self) -> Iterator[tuple[int, int, int, bytes]]:
        """(kind, first slot, slots, text) of each complete record of the metadata, but for those that are about earlier sessions only."""
        own = self._own_rules() if self.header.session_meta else None
        others = False  # the last rules are of an earlier session only
        for at, kind, first_slot, slots, text in self._records():
            self.earlier = at < self.header.session_meta
            if own is not None and kind == lib.CH_META_RULES:
                others = text not in own
            of_others = others and kind in OF_RULES and OWN_RULES not in text
            if not of_others and not (self.earlier and kind in OF_A_SESSION):
                yield kind, first_slot, slots, text
        if not self.all_described:
            self.notes.append(f"{self.path}: descriptions of classes are missing, and with them their counts")

    def _own_rules(self) -> set[bytes]:
        """The compiled rules of the file's session. If it does not say, they are those that were in force before."""
        own, before = set[bytes](), b""
        for at, kind, _, _, text in self._records():
            if kind == lib.CH_META_RULES:
                before = text
                if at >= self.header.session_meta:
                    own.add(text)
        return own or {before}

    def _records(self) -> Iterator[tuple[int, int, int, int, bytes]]:
        """Where each complete record of the metadata is, and (kind, first slot, slots, text)."""
        region = self.region(lib.CH_META)
        at, end, missing = 0, self.header.meta_used, False
        rules: list[bytes] = []  # that are in force again may be named by their number
        while at + META_BYTES <= end:
            head = region.whole(at, META_BYTES)
            size, kind, first_slot, slots = META.unpack(head) if head is not None else (0, 0, 0, 0)
            if not kind:
                break
            text = region.whole(at + META_BYTES, size)
            if text is not None and kind == lib.CH_META_RULES:
                if text:
                    rules.append(text)
                if text or 0 < first_slot <= len(rules):
                    yield at, kind, 0, 0, text or rules[first_slot - 1]
            elif text is not None:
                yield at, kind, first_slot, slots, text
            missing |= text is None  # the disk was full, or the file was truncated
            at = (at + META_BYTES + size + 7) & ~7
        self.all_described = at >= end and not missing

    def control(self, slot: int) -> int:
        """The agent's control word of the paced method at a slot: how often it was timed at the end; 1 if the file does not have it."""
        control = self.region(lib.CH_CONTROLS).read(4 * slot, 4)
        return int.from_bytes(control, byteorder) if control is not None else 1

    @property
    def ns_per_tick(self) -> float:
        """The factor for times in the records."""
        header = self.header
        ticks, ns = header.last_ticks - header.first_ticks, header.last_ns - header.first_ns
        return ns / ticks if header.clock == lib.CH_CLOCK_TICKS and ticks > 0 and ns > 0 else 1.0


def place_of(path: Path) -> str:
    """The path that the data file of a JVM's session has for that JVM; "" if it does not say. Raises DataError, OSError."""
    header = live_header(path)  # keeps the memory in which its text lies
    return os.fsdecode(ffi.string(header.link))


def live_header(path: Path) -> Any:
    """The header of a file of which nothing else is to be read. Raises DataError, OSError."""
    with opened(path) as (file, running):
        return read_header(path, file, running)


def read_file(path: Path) -> DataFile:
    """Reads a data file. Raises DataError if nothing of it can be read."""
    try:
        with opened(path) as (file, running):
            return read_opened(path, file, running, lambda: open_second(None, path))
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None


def read_opened(path: Path, file: Extents, running: bool, second: Callable[[], int]) -> DataFile:
    """The same of a file that is open; `path` is only what it is called. `second`: opens the second file, in which the data file continues.
    Raises DataError."""
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


@contextmanager
def opened(path: Path) -> Iterator[tuple[Extents, bool]]:
    """The file, and whether its JVM is running, which then holds the lock. Raises DataError, OSError."""
    try:
        descriptor = open_regular(path)
    except FileNotFoundError:
        gone = "its counters were in memory (/dev/shm), which has been cleared; only that JVM's counts are lost"
        raise DataError(f"{path}: {gone if path.is_symlink() else 'no such file'}") from None
    except NotRegularError:
        raise DataError(f"{path}: not a file") from None
    try:
        yield Extents(descriptor), is_locked(descriptor)
    finally:
        os.close(descriptor)


def is_locked(descriptor: int) -> bool:
    """Whether a JVM that runs holds the file's lock."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        pass  # a file system without locks
    return False


def open_second(folder: int | None, name: Path | str, owner: int | None = None) -> int:
    """The second file, in which the data file goes on, if it belongs to `owner`. Raises OSError."""
    descriptor = open_regular(second(Path(name)), folder, follow=False)
    if owner is not None and os.fstat(descriptor).st_uid != owner:
        os.close(descriptor)
        raise PermissionError
    return descriptor


def second(path: Path) -> Path:
    """The second file, used when a data file has reached its limit on the memory file system."""
    return path.with_name(path.name + SECOND)


def read_header(path: Path, file: Extents, running: bool) -> Any:
    """The file's struct ch_header. Raises DataError."""
    data = file.read(0, HEADER_BYTES)
    if not data:
        raise DataError(f"{path}: empty")
    if data[:8] != MAGIC:
        raise DataError(f"{path}: its JVM is just starting" if running else f"{path}: not a classhook data file")
    if len(data) < HEADER_BYTES:
        raise DataError(f"{path}: truncated within its header after {len(data):,} bytes; nothing can be read")
    header = ffi.from_buffer("struct ch_header *", data)
    if header.format != lib.CH_FORMAT or header.header_bytes != HEADER_BYTES:
        raise DataError(
            f"{path}: written by another version of classhook (format {header.format}, this one reads {lib.CH_FORMAT}); report it with that version"
        )
    if not 0 <= header.start_unix_ns < LATEST_NS:
        raise DataError(f"{path}: its header is damaged; nothing can be read")
    return header


def text_of(field: Any) -> str:
    """A text of the header."""
    return bytes(ffi.buffer(field)).split(b"\0", 1)[0].decode("utf-8", "replace")


def command_of(header: Any) -> list[str]:
    """The words of the JVM's command line."""
    return bytes(ffi.buffer(header.command)).split(b"\0\0", 1)[0].decode("utf-8", "replace").split("\0")


def read_supertypes(text: bytes) -> tuple[str, list[str]]:
    """The class of a record CH_META_SUPERTYPES, and its supertypes that rules name."""
    name, *supertypes = (part.decode("utf-8", "replace").replace("/", ".") for part in text.split(b"\0"))
    return name, supertypes


def _read(path: Path, header: Any, running: bool, files: list[Extents | None]) -> DataFile:
    pieces: dict[tuple[int, int], list[tuple[int, memoryview]]] = {}
    damaged, missing = False, False
    cut_off: dict[Path, int] = {}  # truncated files and their sizes
    assert files[0] is not None
    known = []
    for entry in _directory(files[0], header):
        if entry is None or not entry.possible:
            damaged = True
        elif entry.bytes:
            known.append(entry)
    ends = [0, 0]  # no two entries may overlap: else a small file could take any amount of memory
    for entry in sorted(known, key=lambda entry: (entry.file, entry.offset)):
        file = files[entry.file]
        if entry.offset < ends[entry.file]:
            damaged = True
            continue
        ends[entry.file] = entry.offset + entry.bytes
        if file is None:
            missing = True
            continue
        there = max(0, min(entry.bytes, file.size - entry.offset)) & ~7
        if there < entry.bytes:
            cut_off[second(path) if entry.file else path] = file.size
        if not there:
            continue
        used = {lib.CH_SLOTS: 8, lib.CH_COVER: 1}.get(entry.kind)  # bytes a slot
        wanted = there if used is None else min(there, max(0, header.slots_used * used - entry.first) + 7 & ~7)
        found = pieces.setdefault((entry.kind, entry.block), [])
        for at, data in file.data(entry.offset, wanted):
            if len(data) >= 8:
                found.append((entry.first + at - entry.offset, memoryview(data)[: len(data) & ~7]))
    notes = []
    if missing:
        notes.append(f"{path}: its second file {second(path)} is missing, and with it the counts there")
    notes += [f"{one}: truncated after {size:,} bytes; the complete parts were read" for one, size in cut_off.items()]
    regions = {key: Region(found) for key, found in pieces.items()}
    if damaged or any(len(region.pieces) < len(pieces[key]) for key, region in regions.items()):
        notes.append(f"{path}: its directory is damaged or truncated; the parts that could be found were read")
    blocks = {
        block: Block(region.pages(header.slots_used), regions.get((lib.CH_RECORDS, block), Region()), block)
        for (kind, block), region in sorted(regions.items(), key=lambda item: item[0])
        if kind == lib.CH_SLOTS
    }
    shared = blocks.setdefault(0, Block({}, Region()))
    return DataFile(path, header, running, regions, list(blocks.values()), shared, notes)


def _directory(file: Extents, header: Any) -> Iterator[Entry | None]:
    """The directory's entries; None if it continues at an impossible place."""
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
        part = b""
        if entry.offset not in parts and entry.offset % lib.CH_CHUNK == 0 and entry.offset < file.size:
            part = file.read(entry.offset, PART_BYTES)
        if len(part) < PART_BYTES:
            yield None
            return
        parts.add(entry.offset)
        entries, at = ffi.from_buffer("struct ch_entry[]", part), 0

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
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from struct import Struct
from typing import Any, NamedTuple, TypeVar

from classhook.files import NotRegularError, open_regular
from classhook.names import shortened
from classhook.native._layout import ffi
from classhook.store.extents import Extents
from classhook.store.region import PAGE, Block, Region
from classhook.store.sealed_parts import KEY_BYTES, Key, Part, key_of, keys_of, once_each, parts_of, region_of
from classhook.store.words import Words, words_of

K = TypeVar("K")
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
OF_A_SESSION = (lib.CH_META_LABELS, lib.CH_META_NOTE, lib.CH_META_DEADLOCK, lib.CH_META_DUMP)
#: Regions in which contexts are not told apart, and those in which threads are not.
OF_PROCESS = (lib.CH_CONTEXTS, lib.CH_COVER)
OF_ALL_THREADS = (lib.CH_COVER,)
#: Descriptions that belong to the rules before them, and the beginning of the line of a class that has rules of its own.
OF_RULES = (lib.CH_META_RULES, lib.CH_META_CLASS, lib.CH_META_SKIP)
OWN_RULES = b"\nU\t"
MOST_LOOKS = 100  # at a block that is emptied or filled while it is read
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
    """One process's data. `shared`: the one of `blocks` in which all threads may count; `sealed`: what emptied blocks had counted (sealed_parts.py);
    `notes`: what is missing in the file."""

    path: Path
    header: Any
    running: bool
    regions: dict[tuple[int, int], Region]  # by kind and block
    blocks: list[Block]
    shared: Block
    notes: list[str]
    sealed: list[Part] = field(default_factory=list)
    all_described: bool = True  # set by `descriptions`
    base: DataFile | None = None  # an earlier state, to be taken off: see baseline.py
    earlier: bool = False  # what `descriptions` yielded last came before the session
    _by_page: dict[int, list[Block]] = field(default_factory=dict)
    _by_key: dict[int, dict[int, list[Block]]] = field(default_factory=dict)
    _held: dict[int, list[tuple[Part, int]]] | None = None

    def region(self, kind: int) -> Region:
        return self.regions.get((kind, 0), Region())

    def _having(self, slot: int) -> list[Block]:
        """The blocks that have data in a slot's page, and the sum of the sealed parts as one."""
        if not self._by_page:
            for block in (*self.blocks, *([_sum_of(self.sealed)] if self.sealed else [])):
                for page in block.pages:
                    self._by_page.setdefault(page, []).append(block)
        return self._by_page.get(slot // PAGE, [])

    def sums(self, first: int, slots: int) -> list[int]:
        """The values of these slots, summed over all blocks."""
        sums = [0] * slots
        at, end = first, first + slots
        while at < end:
            stop = min(end, at - at % PAGE + PAGE)
            for block in self._having(at):
                for i, value in enumerate(block.pages[at // PAGE][at % PAGE : at % PAGE + stop - at], at - first):
                    sums[i] += value
            at = stop
        if self.base is not None:
            return [now - before for now, before in zip(sums, self.base.sums(first, slots), strict=True)]
        return sums

    def holding(self, slot: int) -> Iterator[tuple[Block, int]]:
        """The blocks and sealed parts that have a record for a slot, and its position there."""
        for block in self._having(slot):
            if block.index >= 0 and (position := block.slot(slot)):
                yield block, position
        if self._held is None:
            self._held = {}
            for part in self.sealed:
                for place, value in part.words() if part.has_records else ():
                    if not value % lib.CH_UNIT:
                        self._held.setdefault(place, []).append((part, value))
        yield from self._held.get(slot, ())

    def having(self, contexts: Iterable[int] | None, threads: Iterable[int] | None = None) -> Iterator[Block]:
        """The blocks and sealed parts of contexts and of threads, given by the slots of contexts and of labels; 0: those outside of all, and of no
        thread that is known; None: all."""
        if not self._by_key:
            for block in (*self.blocks, *self.sealed):
                self._by_key.setdefault(block.context, {}).setdefault(block.thread, []).append(block)
        for context in self._by_key if contexts is None else contexts:
            by_thread = self._by_key.get(context, {})
            for thread in by_thread if threads is None else threads:
                yield from by_thread.get(thread, ())

    def words(self, contexts: Iterable[int] | None, threads: Collection[int] | None = None) -> Words:
        """What these contexts and threads counted."""
        wanted = None if contexts is None else [*contexts]
        before = self.base.having(wanted, threads) if self.base is not None else ()
        return words_of([*self.having(wanted, threads)], before)

    def slots_in_use(self, contexts: Iterable[int] | None, threads: Collection[int] | None = None) -> Iterable[int]:
        """The slots that are not 0 in these. That of a timed method has the position of its record, which is the same as in the earlier state."""
        return words_of([*self.having(contexts, threads)]).slots

    def words_by(self, key: Callable[[Block], K]) -> Iterator[tuple[K, Words]]:
        """What all blocks counted, grouped by any key of theirs."""
        now, before = _grouped((*self.blocks, *self.sealed), key), {}
        if self.base is not None:
            before = _grouped((*self.base.blocks, *self.base.sealed), key)
        for one, blocks in now.items():
            yield one, words_of(blocks, before.get(one, ()))

    def context_slots(self) -> dict[str, set[int]]:
        """The slots of contexts, by name; "": outside of all."""
        found: dict[str, set[int]] = {"": {0}}
        for kind, slot, _, text in self.descriptions():
            if kind == lib.CH_META_CONTEXT:
                found.setdefault(shortened(text.decode("utf-8", "replace")), set()).add(slot)
        return found

    def without(self, kinds: Collection[int], of_process: Collection[int] = OF_PROCESS) -> DataFile:
        """The same without regions of some kinds, and those in which contexts are not told apart."""
        regions = {key: one for key, one in self.regions.items() if key[0] not in kinds and key[0] not in of_process}
        return replace(self, regions=regions, base=self.base and self.base.without(kinds, of_process))

    def blocks_within(self, file: DataFile, contexts: Collection[int] | None, threads: Collection[int] | None = None) -> DataFile:
        """Another view of this file, but only with the blocks of these contexts and threads."""
        every = [*self.having(contexts, threads)]
        blocks = [replace(block, _taken=set()) for block in every if not isinstance(block, Part)]
        parts = [block for block in every if isinstance(block, Part)]
        for part in parts:
            part.begin()
        return replace(file, blocks=blocks, sealed=parts, notes=[], _by_page={}, _by_key={}, _held=None)

    def within(self, contexts: Collection[int]) -> DataFile:
        """The same, but only with the blocks of these contexts."""
        return self.blocks_within(self.without(()), contexts)

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
        """Those that may be right: no two may overlap, else a small file could take any amount of memory."""
        assert self.files[0] is not None
        known = []
        for entry in _directory(self.files[0], header):
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
        notes += [f"{one}: truncated after {size:,} bytes; the complete parts were read" for one, size in self.cut_off.items()]
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
    regions |= reads.regions(entry for entry in entries if entry.kind not in (lib.CH_SLOTS, lib.CH_RECORDS, lib.CH_BLOCK_KEYS))
    blocks = [
        _block(block, keys.get(block, Key()), region, regions.get((lib.CH_RECORDS, block), Region()), header)
        for (kind, block), region in sorted(regions.items(), key=lambda item: item[0])
        if kind == lib.CH_SLOTS and keys.get(block, Key()).counts
    ]
    segments = [region for (kind, _), region in sorted(regions.items(), key=lambda item: item[0]) if kind == lib.CH_SEALED]
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


def _steadily(reads: _Pieces, of_keys: Entry, index: int, entries: list[Entry], keys: dict[int, Key]) -> dict[tuple[int, int], Region]:
    """The regions of a block whose JVM runs, as they are while it has one key; that key, too."""
    file = reads.files[of_keys.file]
    regions: dict[tuple[int, int], Region] = {}
    before = None
    for _ in range(MOST_LOOKS):
        key = key_of(file.read(of_keys.offset + KEY_BYTES * index, KEY_BYTES)) if file is not None else Key()
        if key == before:
            keys[index] = key
            return regions
        before = key
        regions = reads.regions(entries)
    keys[index] = Key(seq=1)
    return {}


def _block(index: int, key: Key, slots: Region, records: Region, header: Any) -> Block:
    return Block(slots.pages(header.slots_used), records, index, key.context, key.thread, key.lineage)


def _grouped(blocks: Iterable[Block], key: Callable[[Block], K]) -> dict[K, list[Block]]:
    found: dict[K, list[Block]] = {}
    for block in blocks:
        found.setdefault(key(block), []).append(block)
    return found


def _sum_of(parts: Iterable[Part]) -> Block:
    """All sealed parts as one block, without records."""
    pages: dict[int, list[int]] = {}
    for part in parts:
        for slot, value in part.words():
            page = pages.get(slot // PAGE)
            if page is None:
                page = pages[slot // PAGE] = [0] * PAGE
            page[slot % PAGE] += value
    return Block(pages, Region(), -1)


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

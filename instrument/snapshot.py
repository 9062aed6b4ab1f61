"""Reads data files into a snapshot: processes, classes, and for each method and site the sum over all blocks.

1. Header and directory say where the regions' chunks lie (native/classhook.h); a chunk outside the file is left out and said.
2. A region's chunks are put in order; the metadata region is walked for rules, woven classes and skips.
3. Each probe's value is the sum over all blocks of slots; a timed method's record is found in the same block's records.
4. Rows of several processes, loaders or weavings are summed by class, method and descriptor.

A data file may belong to a running JVM: everything it says grows, nothing is ever taken back.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from instrument import probes
from instrument.histogram import Histogram
from native._layout import ffi  # type: ignore[import-not-found]

from rules.syntax import Rule

lib = ffi.dlopen(None)  # the header's constants

MAGIC = b"CLSHOOK\n"
NO_MINIMUM = (1 << 64) - 1
ENDS = {lib.CH_EXIT: "exit", lib.CH_HALT: "halt"}


class DataError(Exception):
    """A file that is no data file, or of which nothing can be read; the text says which and why."""


@dataclass(slots=True)
class Process:
    """One JVM. `start`: Unix time in ns; `duration_ns`: until its end, or until it last told the time."""

    pid: int
    jvm: str
    jvm_name: str
    command: str
    start_unix_ns: int
    duration_ns: int
    end: str
    file: str
    python_ns: int
    weaving_ns: int
    notes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class MethodRow:
    """A method's counts; times in ns. `timed` is false for one that was only counted."""

    calls: int = 0
    timed: bool = False
    completed: int = 0
    exceptions: int = 0
    total_ns: int = 0
    self_ns: int = 0
    min_ns: int | None = None
    max_ns: int = 0
    histogram: Histogram = field(default_factory=Histogram)
    rule: str = ""


@dataclass(slots=True)
class SiteRow:
    """An allocation site's counts; `bytes` by the JVM's own object sizes."""

    rule: str = ""
    count: int = 0
    bytes: int = 0


@dataclass(slots=True)
class RuleRow:
    """What a rule matched: classes, and methods in them; `nearest`: what it may have meant where that is nothing."""

    matched_classes: int = 0
    matched_methods: int = 0
    nearest: str = ""


MethodKey = tuple[str, str, str]  # class, method, descriptor
SiteKey = tuple[str, str, str, int, int, str]  # class, method, descriptor, line, bci, type
SkipKey = tuple[str, str, str, str, str]  # class, method, descriptor, reason, detail


@dataclass(slots=True)
class Snapshot:
    """All that a report says; rows are keyed by what names them."""

    processes: list[Process] = field(default_factory=list)
    seen: int = 0
    matched: int = 0
    woven: int = 0
    cached: int = 0
    skipped: dict[SkipKey, int] = field(default_factory=dict)
    methods: dict[MethodKey, MethodRow] = field(default_factory=dict)
    sites: dict[SiteKey, SiteRow] = field(default_factory=dict)
    rules: dict[str, RuleRow] = field(default_factory=dict)
    rule_names: dict[str, str] = field(default_factory=dict)
    parsed_rules: dict[str, Rule] = field(default_factory=dict)
    class_sources: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    class_names: set[str] = field(default_factory=set)  # of the loaded classes, where some rule matched none
    missed: set[MethodKey] = field(default_factory=set)  # methods that a rule may have meant which matched none


@dataclass(slots=True)
class _File:
    """The regions of one data file, by (kind, block)."""

    path: Path
    header: Any
    regions: dict[tuple[int, int], bytes]
    notes: list[str]


def data_files(paths: Iterable[Path]) -> list[Path]:
    """The data files that `paths` (files or directories) name. Raises DataError where a path does not exist."""
    found = []
    for path in paths:
        if path.is_dir():
            found += sorted(path.glob("*.classhook"))
        elif path.exists() or path.is_symlink():
            found.append(path)
        else:
            raise DataError(f"{path}: no such file or directory")
    return found


def read(files: Iterable[Path]) -> Snapshot:
    """The sum of all data files; one that cannot be read becomes a note."""
    snapshot = Snapshot()
    for path in files:
        try:
            add_file(snapshot, path)
        except DataError as error:
            snapshot.notes.append(str(error))
    snapshot.processes.sort(key=lambda p: p.start_unix_ns)
    _suggest(snapshot)
    return snapshot


def _suggest(snapshot: Snapshot) -> None:
    """Says of rules that matched no method what they may have meant."""
    from rules.suggest import nearest

    for text, row in snapshot.rules.items():
        if not row.matched_methods and text in snapshot.parsed_rules:
            names = snapshot.class_names | set(snapshot.class_sources)
            row.nearest = nearest(snapshot.parsed_rules[text], names, snapshot.missed) or ""


def add_file(snapshot: Snapshot, path: Path) -> None:
    """Adds one process. Raises DataError if nothing of the file can be read."""
    data, running = contents(path)
    file = _regions(path, data)
    process = _process(file, running)
    snapshot.processes.append(process)
    header = file.header
    snapshot.seen += header.seen
    snapshot.matched += header.matched
    snapshot.woven += header.woven
    snapshot.cached += header.cached
    rules: list[str] = []
    for kind, first_slot, text in _metadata(file):
        try:
            if kind == lib.CH_META_RULES:
                rules = _rules(snapshot, text)
            elif kind in (lib.CH_META_CLASS, lib.CH_META_SKIP):
                _ClassReader(snapshot, file, process, rules, first_slot).read(text)
            elif kind == lib.CH_META_NAMES:
                snapshot.class_names.update(text.decode("utf-8", "replace").replace("/", ".").split())
            elif kind == lib.CH_META_NOTE:
                process.notes.append(text.decode("utf-8", "replace"))
        except (ValueError, IndexError, UnicodeDecodeError):
            process.notes.append(f"{path}: a damaged description of a class was left out")
    if header.refused:
        process.notes.append(f"{header.refused} pieces of counter memory found no room on the disk; what they counted is missing")


# ---- the file


def contents(path: Path) -> tuple[bytes, bool]:
    """The file's bytes, and whether its JVM still runs: that one holds the lock."""
    try:
        with path.open("rb") as file:
            running = False
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                running = True
            return file.read(), running
    except FileNotFoundError:
        gone = "its counters lay in memory that a restart cleared" if path.is_symlink() else "no such file"
        raise DataError(f"{path}: {gone}") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None


def _regions(path: Path, data: bytes) -> _File:
    size = ffi.sizeof("struct ch_header")
    if data[:8] != MAGIC:
        raise DataError(f"{path}: not a classhook data file" if data else f"{path}: empty")
    if len(data) < size:
        raise DataError(f"{path}: cut off within its header; nothing can be read")
    header = ffi.from_buffer("struct ch_header *", data)
    if header.format != lib.CH_FORMAT or header.header_bytes != size:
        raise DataError(f"{path}: written by another version of classhook (format {header.format}, this one reads {lib.CH_FORMAT})")
    notes: list[str] = []
    chunks: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
    lost = 0
    for entry in _directory(data, header):
        if entry is None:
            lost += 1
            break
        if entry.offset + entry.bytes > len(data):
            lost += 1
            continue
        chunks.setdefault((entry.kind, entry.block), []).append((entry.first, entry.offset, entry.bytes))
    if lost:
        notes.append(f"{path}: cut off after {len(data):,} bytes; what is whole was read")
    regions = {}
    for key, parts in chunks.items():
        parts.sort()
        pieces, end = [], 0
        for first, offset, length in parts:
            if first > end:
                pieces.append(bytes(first - end))  # a part that the disk had no room for
            if first >= end:
                pieces.append(data[offset : offset + length])
                end = first + length
        regions[key] = b"".join(pieces)
    return _File(path, header, regions, notes)


def _directory(data: bytes, header: Any) -> Iterator[Any]:
    """The directory's entries; None where it goes on beyond the file's end."""
    entries, at, left = header.directory, 0, header.entries
    while left:
        entry = entries[at]
        left -= 1
        if entry.kind == lib.CH_DIRECTORY:
            if entry.offset + lib.CH_CHUNK > len(data):
                yield None
                return
            entries = ffi.from_buffer("struct ch_entry[]", memoryview(data)[entry.offset : entry.offset + lib.CH_CHUNK])
            at = 0
            continue
        yield entry
        at += 1
        if at >= lib.CH_ENTRIES:
            return


def _text(field: Any) -> str:
    return bytes(ffi.buffer(field)).split(b"\0", 1)[0].decode("utf-8", "replace")


def _process(file: _File, running: bool) -> Process:
    header = file.header
    words = bytes(ffi.buffer(header.command)).split(b"\0\0", 1)[0].decode("utf-8", "replace").split("\0")
    return Process(
        pid=header.pid,
        jvm=_text(header.jvm),
        jvm_name=_text(header.jvm_name),
        command=" ".join(words),
        start_unix_ns=header.start_unix_ns,
        duration_ns=header.last_ns - header.first_ns,
        end=ENDS.get(header.how_ended, "running" if running else "killed"),
        file=str(file.path),
        python_ns=header.python_ns,
        weaving_ns=header.weaving_ns,
        notes=file.notes,
    )


def _metadata(file: _File) -> Iterator[tuple[int, int, bytes]]:
    """(kind, first slot, text) of each record that is whole."""
    region = file.regions.get((lib.CH_META, 0), b"")
    size = ffi.sizeof("struct ch_meta")
    at, end = 0, min(file.header.meta_used, len(region))
    while at + size <= end:
        meta = ffi.from_buffer("struct ch_meta *", memoryview(region)[at : at + size])
        if at + size + meta.bytes > end:
            break
        yield meta.kind, meta.first_slot, region[at + size : at + size + meta.bytes]
        at = (at + size + meta.bytes + 7) & ~7
    if at < file.header.meta_used:
        file.notes.append(f"{file.path}: some classes' descriptions are missing")


def _rules(snapshot: Snapshot, text: bytes) -> list[str]:
    """The texts of the rules, which are known to the snapshot from now on, matching or not."""
    from rules.compiled import loads
    from rules.errors import RuleError

    try:
        rules = loads(text.decode()).rules
    except (RuleError, UnicodeDecodeError):
        return []
    for rule in rules:
        snapshot.rules.setdefault(rule.text, RuleRow())
        snapshot.parsed_rules[rule.text] = rule
        if rule.name:
            snapshot.rule_names[rule.text] = rule.name
    return [rule.text for rule in rules]


# ---- one class


class _ClassReader:
    """Adds what one description of a class says, with its counts, to the snapshot."""

    def __init__(self, snapshot: Snapshot, file: _File, process: Process, rules: list[str], first_slot: int) -> None:
        self.snapshot = snapshot
        self.rules = rules
        self.first_slot = first_slot
        self.name = ""
        self.blocks = _blocks(file)
        header = file.header
        ticks, ns = header.last_ticks - header.first_ticks, header.last_ns - header.first_ns
        self.ns_per_tick = ns / ticks if header.clock == lib.CH_CLOCK_TICKS and ticks > 0 else 1.0

    def read(self, text: bytes) -> None:
        own_rules: list[str] = []
        for letter, *fields in probes.decode(text):
            if letter == "U":  # woven ahead of time: it brings its rules along
                own_rules.append(fields[0])
                self.rules = own_rules
            else:
                READERS[letter](self, *fields)

    def rule(self, index: str) -> str:
        number = int(index)
        return self.rules[number] if 0 <= number < len(self.rules) else "?"

    def read_class(self, name: str, source: str) -> None:
        self.name = name.replace("/", ".")
        self.snapshot.class_sources[self.name] = source

    def read_rule(self, index: str, methods: str) -> None:
        row = self.snapshot.rules.setdefault(self.rule(index), RuleRow())
        row.matched_classes += 1
        row.matched_methods += int(methods)

    def read_missed(self, index: str, method: str, descriptor: str) -> None:
        self.snapshot.missed.add((self.name, method, descriptor))

    def read_skip(self, method: str, descriptor: str, reason: str, detail: str) -> None:
        key = (self.name, method, descriptor, reason, detail)
        self.snapshot.skipped[key] = self.snapshot.skipped.get(key, 0) + 1

    def read_method(self, slot: str, kind: str, rule: str, method: str, descriptor: str) -> None:
        row = self.snapshot.methods.setdefault((self.name, method, descriptor), MethodRow())
        row.rule = row.rule or self.rule(rule)
        at = self.first_slot + int(slot)
        row.timed |= kind == "t"
        for block in self.blocks:
            value = block.slot(at)
            if value and kind == "t":
                self.add_record(row, block.records, value)
            else:
                row.calls += value

    def add_record(self, row: MethodRow, records: bytes, at: int) -> None:
        if at + ffi.sizeof("struct ch_record") > len(records):
            return  # its part of the file is missing, which was said
        record = ffi.from_buffer("struct ch_record *", memoryview(records)[at : at + ffi.sizeof("struct ch_record")])
        scale = self.ns_per_tick
        row.calls += record.calls
        row.completed += record.completed
        row.exceptions += record.exceptions
        row.total_ns += round(record.total * scale)
        row.self_ns += round(record.self * scale)
        row.max_ns = max(row.max_ns, round(record.max * scale))
        if record.min != NO_MINIMUM:
            least = round(record.min * scale)
            row.min_ns = least if row.min_ns is None else min(row.min_ns, least)
        for octave, unit in enumerate(list(record.octaves)):
            if unit:
                row.histogram.add_octave(octave, records, unit * lib.CH_UNIT, scale)

    def read_site(self, slot: str, kind: str, rule: str, method: str, descriptor: str, line: str, bci: str, type_name: str) -> None:
        key = (self.name, method, descriptor, int(line), int(bci), type_name)
        row = self.snapshot.sites.setdefault(key, SiteRow())
        row.rule = row.rule or self.rule(rule)
        at = self.first_slot + int(slot)
        count = sum(block.slot(at) for block in self.blocks)
        row.count += count
        if kind == probes.OBJECT:  # the object's size lies in the shared block
            row.bytes += count * (self.blocks[0].slot(at + 1) if self.blocks else 0)
        else:
            row.bytes += sum(block.slot(at + 1) for block in self.blocks)


READERS = {
    "C": _ClassReader.read_class,
    "R": _ClassReader.read_rule,
    "N": _ClassReader.read_missed,
    "S": _ClassReader.read_skip,
    "M": _ClassReader.read_method,
    "A": _ClassReader.read_site,
}


@dataclass(slots=True)
class _Block:
    index: int
    slots: memoryview
    records: bytes

    def slot(self, at: int) -> int:
        return self.slots[at] if at < len(self.slots) else 0


def _blocks(file: _File) -> list[_Block]:
    """The blocks of counters, the shared one first."""
    cached = _BLOCKS.get(id(file))
    if cached is None or cached[0] is not file:
        found = [
            _Block(block, memoryview(data).cast("Q"), file.regions.get((lib.CH_RECORDS, block), b""))
            for (kind, block), data in sorted(file.regions.items(), key=lambda item: item[0])
            if kind == lib.CH_SLOTS
        ]
        _BLOCKS.clear()
        cached = _BLOCKS[id(file)] = (file, found)
    return cached[1]


_BLOCKS: dict[int, tuple[_File, list[_Block]]] = {}

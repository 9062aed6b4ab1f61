"""Watched calls: the records of a data file (native/watch/watch_records.c), each a row.

A record names its probe's slot, by which its method, rule and the names of what it shows are known. Damaged ones end
the reading: where the next one begins is not known then.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from classhook.base.names import several, shortened
from classhook.measures.watch import WATCH, WATCH_LINE, WATCH_WRITES
from classhook.measures.watch.reader_values import MISSING, Object, Values
from classhook.model.class_reader import ClassReader
from classhook.model.file_reading import FileReading
from classhook.model.reader import Reader
from classhook.model.rows import RowKind
from classhook.model.snapshot_scope import Split, split
from classhook.model.stacks import UNKNOWN, Frame, Names, Stacks
from classhook.native._layout import ffi, lib
from classhook.probes.records import ProbeRecord, WatchedLineRecord, WatchedWriteRecord, WatchRecord
from classhook.store.region import Region

HEAD_BYTES = ffi.sizeof("struct ch_watched_head")
RECORD_BYTES = ffi.sizeof("struct ch_watched")


class Watch(NamedTuple):
    """A probe: its method, the rule's text, and the names of what it shows; those of arguments begin with `=`.
    `slowest`: of all calls of the rule, so many are kept; 0: all. `line`: the one that is watched, -1: calls are;
    `field`: the one whose writes are."""

    class_name: str
    method: str
    descriptor: str
    rule: str
    names: tuple[str, ...]
    slowest: int = 0
    line: int = -1
    field: str = ""


@dataclass(slots=True)
class CallRow:
    """A call. `ended_unix_ns`: when; `values`: by name, of arguments with `=` in front; `stack`: its callers, the
    innermost first. `trace_id` and `span_id`: of the span of OpenTelemetry that its thread was in when it ended, in
    hexadecimal digits; empty: in none."""

    rule: str = ""
    count: int = 0
    ended_unix_ns: int = 0
    took_ns: int = 0
    thread: str = ""
    exception: str = ""
    message: Any = None
    values: tuple[tuple[str, Any], ...] = ()
    stack: tuple[Frame, ...] = ()
    trace_id: str = ""
    span_id: str = ""
    unshown: bool = False  # it has arguments that are not shown
    several: bool = False  # a group's row

    def add(self, other: CallRow) -> None:
        self.several = True
        self.count += other.count
        self.took_ns += other.took_ns
        self.ended_unix_ns = max(self.ended_unix_ns, other.ended_unix_ns)

    @property
    def args(self) -> dict[str, Any]:
        return {name[1:]: value for name, value in self.values if name.startswith("=")}

    @property
    def fields(self) -> dict[str, Any]:
        return {name: value for name, value in self.values if not name.startswith("=") and name != "result"}

    @property
    def has_result(self) -> bool:
        return any(name == "result" for name, _ in self.values) and not self.exception

    @property
    def result(self) -> Any:
        return next((value for name, value in self.values if name == "result"), None)


@dataclass(slots=True)
class ExecutionRow:
    """An execution of a watched line, or a write of a watched `field`. `at_unix_ns`: when; `values`: by name; `stack`:
    the method's callers, the innermost first. `trace_id`, `span_id`: as of a call."""

    rule: str = ""
    field: str = ""
    count: int = 0
    at_unix_ns: int = 0
    thread: str = ""
    values: tuple[tuple[str, Any], ...] = ()
    stack: tuple[Frame, ...] = ()
    trace_id: str = ""
    span_id: str = ""
    several: bool = False  # a group's row

    def add(self, other: ExecutionRow) -> None:
        self.several = True
        self.count += other.count
        self.at_unix_ns = max(self.at_unix_ns, other.at_unix_ns)

    @property
    def shown(self) -> dict[str, Any]:
        return dict(self.values)


def add_rows(
    rows: dict[Any, Any],
    region: Region,
    probes: dict[int, Watch],
    stacks: Region,
    names: Names,
    start_unix_ns: int,
    before: Region | None = None,
    chosen: Callable[[Callable[[], Split]], Iterable[int]] | None = None,
    executions: dict[Any, Any] | None = None,
) -> int:
    """Adds a file's calls and executions; returns how many were lost. `before`: the region in an earlier state, whose
    calls are left out; `chosen`: where the records begin that are to be added, given how all are split; None: all."""
    executions = {} if executions is None else executions
    head = _head(region)
    if head is None:
        return 0
    earlier = _head(before) if before is not None else None
    frames = Stacks(stacks, names.frames)
    number = max((key[-1] for one in (rows, executions) for key in one), default=0)
    kept: dict[str, tuple[int, list[tuple[int, int, Any]]]] = {}  # by rule: how many; the time, number and key of each
    begin = HEAD_BYTES if earlier is None else int(earlier.used)
    places = _places(region, begin, head.used)

    def key_of(at: int) -> tuple[int, int]:
        return frames.key(_record(region, at).stack)

    for at in places if chosen is None else chosen(lambda: split(places, key_of)):
        record = _record(region, at)
        content = region.read(at + RECORD_BYTES, record.bytes - RECORD_BYTES)
        probe = probes.get(record.slot)
        if probe is None or content is None:
            continue
        try:
            row = _execution(Values(content), probe) if probe.line >= 0 else _row(Values(content), record, probe)
        except (ValueError, IndexError, struct.error):
            continue
        stack = frames.frames_of(record.stack)
        row.stack = stack if stack != (UNKNOWN,) else ()
        row.trace_id, row.span_id = _span(record)
        number += 1
        if isinstance(row, ExecutionRow):
            row.at_unix_ns = start_unix_ns + record.ended_ns
            executions[probe.class_name, probe.method, probe.descriptor, probe.line, number] = row
            continue
        row.ended_unix_ns = start_unix_ns + record.ended_ns
        key = (probe.class_name, probe.method, probe.descriptor, number)
        rows[key] = row
        if probe.slowest:
            kept.setdefault(probe.rule, (probe.slowest, []))[1].append((-row.took_ns, number, key))
    for most, calls in kept.values():
        for _, _, key in sorted(calls)[most:]:
            del rows[key]
    return int(head.lost) - (0 if earlier is None else int(earlier.lost))


def _places(region: Region, at: int, end: int) -> Iterator[int]:
    """The begins of records, as far as they are whole."""
    while at + RECORD_BYTES <= end:
        record = _record(region, at)
        if record is None or record.bytes < RECORD_BYTES or at + record.bytes > end:
            return
        yield at
        at += record.bytes


def _record(region: Region, at: int) -> Any:
    piece = region.read(at, RECORD_BYTES)
    return None if piece is None else ffi.from_buffer("struct ch_watched *", piece)


def _span(record: Any) -> tuple[str, str]:
    """The ids of its trace and of its span; empty: it is in none."""
    trace, span = bytes(ffi.buffer(record.span.trace_id)), bytes(ffi.buffer(record.span.span_id))
    return (trace.hex(), span.hex()) if any(trace) else ("", "")


def _head(region: Region) -> Any:
    data = region.whole(0, HEAD_BYTES)
    return None if data is None else ffi.from_buffer("struct ch_watched_head *", data)


def _row(values: Values, record: Any, probe: Watch) -> CallRow:
    row = CallRow(probe.rule, 1, took_ns=record.took_ns, thread=values.name())
    if record.threw:
        thrown = values.next()
        row.exception = thrown.class_name if isinstance(thrown, Object) else MISSING
        row.message = values.next()
    row.values = tuple((name, values.next()) for name in probe.names)
    row.unshown = not probe.descriptor.startswith("()") and not row.args
    return row


def _execution(values: Values, probe: Watch) -> ExecutionRow:
    row = ExecutionRow(probe.rule, probe.field, 1, thread=values.name())
    row.values = tuple((name, values.next()) for name in probe.names)
    return row


CALLS = RowKind(
    name="calls", row=CallRow, ran=lambda row: True, key={"number": "integer"}, add=CallRow.add, events=True
)

EXECUTIONS = RowKind(
    name="executions",
    row=ExecutionRow,
    ran=lambda row: True,
    key={"line": "integer", "number": "integer"},
    add=ExecutionRow.add,
    events=True,
)


class WatchReader(Reader):
    kinds = WATCH.kinds | WATCH_LINE.kinds | WATCH_WRITES.kinds
    rows = (CALLS, EXECUTIONS)

    def __init__(self, reading: FileReading) -> None:
        super().__init__(reading)
        self.probes: dict[int, Watch] = {}  # by slot

    def probe(self, reader: ClassReader, probe: ProbeRecord) -> None:
        """Notes the names of the values that the probe's calls show."""
        assert isinstance(probe, WatchRecord)
        names = tuple(probe.names.split(",")) if probe.names else ()
        method, descriptor = shortened(probe.method), shortened(probe.descriptor)
        line = probe.line if isinstance(probe, WatchedLineRecord) else -1
        field = f"{shortened(probe.owner)}.{shortened(probe.field)}" if isinstance(probe, WatchedWriteRecord) else ""
        watch = Watch(reader.name, method, descriptor, reader.written(probe.rule), names, probe.slowest, line, field)
        slot = reader.first_slot + probe.slot
        reader.then(lambda: self.probes.__setitem__(slot, watch))

    def in_context(self, whole: Reader) -> None:
        assert isinstance(whole, WatchReader)
        self.probes = whole.probes

    def finish(self) -> int:
        one, file = self.reading, self.reading.file
        rows, executions = (one.snapshot.tables[kind.name] for kind in self.rows)
        before = len(rows) + len(executions)
        earlier = file.base.region(lib.CH_WATCHED) if file.base is not None else None
        calls, stacks = file.region(lib.CH_WATCHED), file.region(lib.CH_TRACES)
        chosen = partial(one.split, lib.CH_WATCHED) if one.part is not None else None
        lost = add_rows(
            rows, calls, self.probes, stacks, one.names, file.header.start_unix_ns, earlier, chosen, executions
        )
        if lost:
            one.process.notes.append(f"{several(lost, 'watched call')} did not fit into the data file")
        return len(rows) + len(executions) - before


READER = WatchReader

"""Data with a time, on the tracks of a timeline: JVMs, tests, watched calls, executions of watched lines and
fields, waits at monitors, pauses of the garbage collector and weavings of classes.

1. A JVM has tracks for itself and one for each name of a thread. Virtual threads may share a name.
2. Slices of a track nest. Where those of a name do not, since several threads have it, the name has several tracks.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from classhook.measures.locks.table import TABLES as AT_MONITORS
from classhook.measures.watch.reader_values import as_text
from classhook.measures.watch.table import TABLE as CALLS
from classhook.measures.watch.table_line import TABLE as EXECUTIONS
from classhook.measures.watch.table_line import values as shown_values
from classhook.model.moments import MOMENTS, PAUSE, WEAVING, Moment, moments
from classhook.model.snapshot import Process, Snapshot
from classhook.reports.titles import command
from classhook.tables.columns import Value
from classhook.tables.table import Table

NAMELESS = "(no name)"
TEST, CALL, LINE, FIELD, WAIT, JVM = (
    "test",
    "call",
    "line",
    "field",
    "wait",
    "jvm",
)  # categories; moments of the JVM have their kinds
(WAITS,) = AT_MONITORS
#: The activity of a thread at a monitor or lock, by the event.
DOES = {"enter": "blocked", "lock": "blocked", "wait": "waits", "park": "parked"}
#: The tracks of a JVM's own moments, by kind.
OWN_TRACKS = {PAUSE: "garbage collector", WEAVING: "classhook weaving"}
NAMELESS_PAUSE = "pause"  # whose cause is unknown


class Slice(NamedTuple):
    """`end`: in Unix ns, as `begin`; None: it is a moment. `about`: what is known of it, by name."""

    begin: int
    end: int | None
    name: str
    category: str
    about: dict[str, Value]


@dataclass
class Timeline:
    """The timeline of a JVM: its own slices, by the names of their tracks, and those of its threads, by their names."""

    process: Process
    own: dict[str, list[Slice]]
    threads: dict[str, list[Slice]] = field(default_factory=dict)

    def add(self, thread: str, one: Slice) -> None:
        self.threads.setdefault(thread or NAMELESS, []).append(one)


def timeline(snapshot: Snapshot, process: Process) -> Timeline:
    """Makes the timeline of a snapshot of one JVM, which may consist of several files."""
    whole = Slice(
        process.begin_unix_ns,
        process.end_unix_ns,
        command(process),
        JVM,
        {**_about_process(process), **_left_out(snapshot)},
    )
    found = Timeline(process, {"JVM": [whole]})
    for run in snapshot.tests:
        about: dict[str, Value] = {
            "status": run.status,
            "context": run.context,
            "attempt": run.attempt,
            "framework": run.source,
        }
        name = run.display if run.status == "passed" or not run.is_test else f"{run.display} ({run.status})"
        found.add(run.thread, Slice(run.started_unix_ns, run.started_unix_ns + run.duration_ns, name, TEST, about))
    for label, row in _rows(snapshot, CALLS):
        found.add(row.thread, Slice(row.ended_unix_ns - row.took_ns, row.ended_unix_ns, label, CALL, _about_call(row)))
    for label, row in _rows(snapshot, EXECUTIONS):
        about = {**json.loads(shown_values(row) or "{}"), "stack": _stack(row), **_span(row), "rule": row.rule}
        name = f"{label}: {row.field.rpartition('.')[2]}" if row.field else label
        found.add(row.thread, Slice(row.at_unix_ns, None, name, FIELD if row.field else LINE, about))
    for each in snapshot.processes:
        for one in moments(each):
            _add_moment(found, one, snapshot)
    return found


def each_jvm(snapshot: Snapshot, exact_tree: bool = False) -> Iterator[tuple[Process, Snapshot]]:
    """Each JVM and what was recorded of it, whose data may be several files (`--rotate`): read again by itself."""
    from classhook.model.reading.files import read

    by_jvm: dict[tuple[int, int], list[Process]] = {}
    for process in snapshot.processes:
        by_jvm.setdefault((process.pid, process.start_unix_ns), []).append(process)
    for periods in by_jvm.values():
        one = read([Path(process.file) for process in periods], suggest=False, exact_tree=exact_tree)
        if snapshot.selection is not None:
            snapshot.selection(one)
        first, last = min(periods, key=lambda each: each.begin_unix_ns), max(periods, key=lambda each: each.end_unix_ns)
        yield last.over(first.begin_unix_ns), one


def _add_moment(found: Timeline, one: Moment, snapshot: Snapshot) -> None:
    """Adds a moment; moments at monitors are shown if their rows are."""
    begin, end = one.begin_unix_ns, one.begin_unix_ns + one.took_ns
    if one.kind in OWN_TRACKS:
        heap: dict[str, Value] = {"heap_used": one.heap_used} if one.heap_used else {}
        found.own.setdefault(OWN_TRACKS[one.kind], []).append(
            Slice(begin, end, one.of or NAMELESS_PAUSE, one.kind, heap)
        )
    elif one.row is None or (one.row in snapshot.tables[WAITS.name] and not snapshot.grouped_by):
        about: dict[str, Value] = {
            "monitor": one.of,
            "event": one.kind,
            "held_by": one.held_by,
            "held_at": one.held_at,
            "stack": one.stack,
        }
        found.add(one.thread, Slice(begin, end, f"{DOES[one.kind]}: {one.of.rpartition('.')[2]}", WAIT, about))


def _rows(snapshot: Snapshot, table: Table) -> Iterator[tuple[str, Any]]:
    """The rows, with their labels."""
    for key, row in snapshot.tables[table.name].items():
        if not row.several and not snapshot.grouped_by:
            yield table.section(row).row_name(key, 0, snapshot.readable).text(), row


def _about_process(process: Process) -> dict[str, Value]:
    return {
        "jvm": process.jvm,
        "end": process.end,
        "weaving_ns": process.weaving_ns,
        "python_ns": process.python_ns,
        **process.labels,
    }


def _left_out(snapshot: Snapshot) -> dict[str, Value]:
    """Moments that were too short to be kept: how many, and their time."""
    left: dict[str, Value] = {}
    for kept in (kept for process in snapshot.processes for kept in MOMENTS.get(process) if kept.shorter):
        for key, value in ((f"{kept.kind}_not_shown", kept.shorter), (f"{kept.kind}_not_shown_ns", kept.shorter_ns)):
            left[key] = int(left.get(key) or 0) + value
    return left


def _about_call(row: Any) -> dict[str, Value]:
    found: dict[str, Value] = {name: as_text(value) for name, value in {**row.args, **row.fields}.items()}
    if row.has_result:
        found["result"] = as_text(row.result)
    if row.exception:
        found |= {"exception": row.exception, "message": as_text(row.message) if row.message is not None else None}
    return {**found, "stack": _stack(row), **_span(row), "rule": row.rule}


def _span(row: Any) -> dict[str, Value]:
    return {"trace_id": row.trace_id, "span_id": row.span_id}


def _stack(row: Any) -> str:
    return "\n".join(frame.text() for frame in row.stack)


def tracks(slices: Iterable[Slice]) -> list[list[Slice]]:
    """The slices of a name on as few tracks as this takes, so that on each one a slice is within another or beside
    it."""
    found: list[
        tuple[list[Slice], list[int]]
    ] = []  # each with the ends of the slices that are open, the innermost one's last
    for one in sorted(slices, key=lambda one: (one.begin, -last(one))):
        for _, ends in found:
            while ends and ends[-1] <= one.begin:
                ends.pop()
        track, ends = next((each for each in found if not each[1] or each[1][-1] >= last(one)), ([], []))
        if not track:
            found.append((track, ends))
        track.append(one)
        ends.append(last(one))
    return [track for track, _ in found]


def last(one: Slice) -> int:
    return one.begin if one.end is None else one.end


def events(track: Iterable[Slice]) -> Iterator[tuple[int, Slice | None]]:
    """The events of a track in their order: a slice when it begins, None when the innermost one that is open ends."""
    ends: list[int] = []
    for one in track:
        while ends and ends[-1] <= one.begin:
            yield ends.pop(), None
        yield one.begin, one
        if one.end is not None:
            ends.append(one.end)
    while ends:
        yield ends.pop(), None

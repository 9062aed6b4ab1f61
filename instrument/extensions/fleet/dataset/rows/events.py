"""Rows with a time of their own: recorded calls, executions of watched lines, pauses of the garbage collector, and long
waits at monitors."""

from __future__ import annotations

import json
from collections.abc import Iterator

from classhook.extensions.fleet.dataset.method_bodies import Bodies
from classhook.extensions.fleet.dataset.rows import Row, time_of
from classhook.extensions.fleet.dataset.rows.reported import report_rows
from classhook.measures.watch.reader import CALLS, EXECUTIONS
from classhook.model.moments import MOMENTS, PAUSE, WEAVING
from classhook.model.snapshot import Snapshot
from classhook.store.runs import Run


def calls(snapshot: Snapshot, run: Run, bodies: Bodies) -> Iterator[Row]:
    for row in report_rows(snapshot, CALLS.name):
        start = time_of(row["ended_unix_ns"] - row["took_ns"])
        yield {**row, "start": start, "thread": row["thread"] or None, "stack": json.loads(row["stack"])}


def executions(snapshot: Snapshot, run: Run, bodies: Bodies) -> Iterator[Row]:
    for row in report_rows(snapshot, EXECUTIONS.name):
        start = time_of(row["at_unix_ns"])
        yield {
            **row,
            "start": start,
            "thread": row["thread"] or None,
            "shown": row["values"],
            "stack": json.loads(row["stack"]),
        }


def moments(snapshot: Snapshot, run: Run, bodies: Bodies) -> Iterator[Row]:
    """The moments that are kept, except weavings."""
    for kept in (kept for process in snapshot.processes for kept in MOMENTS.get(process) if kept.kind != WEAVING):
        for one in map(kept.read, kept.kept):
            yield {
                "kind": one.kind,
                "start": time_of(one.begin_unix_ns),
                "took_ns": one.took_ns,
                **(
                    {"cause": one.of or None, "heap_used": one.heap_used or None}
                    if one.kind == PAUSE
                    else {"monitor": one.of}
                ),
                **{name: getattr(one, name) or None for name in ("thread", "stack", "held_by", "held_at")},
            }


def pauses(snapshot: Snapshot) -> Row:
    """The sum of all pauses of the garbage collector, also those that are not kept."""
    found = [kept for process in snapshot.processes for kept in MOMENTS.get(process) if kept.kind == PAUSE]
    return {
        "gc_count": sum(kept.count for kept in found),
        "gc_total_ns": sum(kept.total_ns for kept in found),
        "gc_longest_ns": max((kept.longest_ns for kept in found), default=0),
    }

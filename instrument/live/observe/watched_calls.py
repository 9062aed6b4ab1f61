"""Follows the watched calls and lines of a running JVM in its data file, until the session or the user ends it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from classhook.base.names import printable, time_label
from classhook.live.observe.watching import Watched
from classhook.measures.watch.reader import CallRow, ExecutionRow
from classhook.model.rows import Key
from classhook.model.snapshot import Snapshot

EVERY = 0.2  # seconds between two looks

Call = tuple[Key, CallRow | ExecutionRow]


def follow(data: Path, rule: str, most: int, ended: Callable[[str], None]) -> Iterator[tuple[Snapshot, Call]]:
    """The calls from now on; of one rule, if its text is given. Ends with the session, or after `most` calls (0:
    never). `ended`: called with the end of the session."""
    watched = Watched([data], EVERY)
    return _after(
        _last(watched.read(tree=False)), watched, rule, most, ended
    )  # what is there is read before the first call is asked for


def _after(
    seen: int, watched: Watched, rule: str, most: int, ended: Callable[[str], None]
) -> Iterator[tuple[Snapshot, Call]]:
    shown = 0
    while True:
        alive = watched.alive
        snapshot = watched.read(tree=False)
        for key, row in _rows(snapshot):
            if key[-1] > seen and rule in ("", row.rule):
                yield snapshot, (key, row)
                shown += 1
                if shown == most:
                    return
        seen = max(seen, _last(snapshot))
        if not alive:
            for text in watched.ended:
                ended(text)
            return
        time.sleep(watched.pause)


def _rows(snapshot: Snapshot) -> list[Call]:
    """The calls, and the executions of lines, in their order."""
    return sorted(
        (entry for name in ("calls", "executions") for entry in snapshot.tables[name].items()),
        key=lambda entry: int(entry[0][-1]),
    )


def _last(snapshot: Snapshot) -> int:
    """The number of the last one."""
    return max((key[-1] for key, _ in _rows(snapshot)), default=0)


def as_line(snapshot: Snapshot, call: Call) -> str:
    """The call as a line for people."""
    from classhook.measures.watch import table_line as lines
    from classhook.measures.watch.table import clock_label, row_name, written

    (key, row), names = call, snapshot.readable
    trace = f"  trace {row.trace_id}" if row.trace_id else ""
    if isinstance(row, ExecutionRow):
        return (
            f"{clock_label(row.at_unix_ns)}  {printable(row.thread)} "
            f" {lines.row_name(key, 0, names).text()}{lines.written(row, names)}{trace}"
        )
    took = time_label(row.took_ns)
    return (
        f"{clock_label(row.ended_unix_ns)}  {took:>8}  {printable(row.thread)} "
        f" {row_name(key, 0, names).text()}{written(row, names)}{trace}"
    )


def as_json(snapshot: Snapshot, call: Call) -> str:
    """The call for -f jsonl."""
    from classhook.measures.watch.table import TABLE as CALLS
    from classhook.measures.watch.table_line import TABLE as LINES
    from classhook.reports.json_rows import JsonRows, line_of

    table = LINES if isinstance(call[1], ExecutionRow) else CALLS
    (row,) = JsonRows(snapshot).texts(table, [call])
    return line_of(table, row)


def writer(in_json: bool) -> Callable[[Snapshot, Call], str]:
    return as_json if in_json else as_line

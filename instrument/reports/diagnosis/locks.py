"""Locks that threads were blocked at, and who held them, by the program's frames."""

from __future__ import annotations

from classhook.base.names import printable, several, time_label
from classhook.base.readable import Readable
from classhook.measures.locks.reader import BLOCKED, LockRow
from classhook.measures.locks.table import WAITS, held_at, held_by, in_all
from classhook.model.stacks import ARROW, OF_THE_JDK
from classhook.reports.diagnosis.part import NUMBER, TEXT, TIME, Part, absent, first
from classhook.reports.diagnosis.seen import Seen
from classhook.tables.stack_names import own_frame

NAME = "locks"


def locks(seen: Seen) -> Part:
    places = [(key, row) for key, row in seen.whole.tables[BLOCKED.name].items() if row.event not in WAITS]
    places = [one for one in places if in_all(one[1])]
    if not places:
        return absent(NAME, "no thread was blocked at a monitor or lock")
    places.sort(key=lambda one: (_wanted_in(one[1]).startswith(OF_THE_JDK), -in_all(one[1]), one[0]))
    rows, more = first(
        (
            in_all(row),
            row.count + row.pending,
            row.max_ns,
            printable(seen.whole.readable.short(_wanted_in(row))),
            printable(_holder(key[4], row, seen.whole.readable)),
        )
        for key, row in places
    )
    whole = sum(in_all(row) for _, row in places)
    within = sum(one.row.blocked_ns or 0 for one in seen.endpoints)
    times = sum(row.count + row.pending for _, row in places)
    return Part(
        NAME,
        f"Blocked at locks: {several(times, 'time')}, {time_label(whole).strip()}",
        [
            ("blocked", TIME),
            ("times", NUMBER),
            ("max", TIME),
            ("wanted in", TEXT),
            ("held in", TEXT),
        ],
        rows,
        more=more,
        cost_ns=within,
    )


def _wanted_in(row: LockRow) -> str:
    """The program's frame, by which the JDK's own locks come last."""
    return own_frame([frame.text() for frame in row.stack])


def _holder(monitor: str, row: LockRow, names: Readable) -> str:
    """`Desk.search:24 by thread pool-1-thread-1, a java.util.ArrayList`."""
    at, thread = held_at(row), held_by(row)
    place = names.short(own_frame(at.split(ARROW))) if at else "unknown"
    return f"{place}{f' by {thread}' if thread else ''}, a {monitor}"

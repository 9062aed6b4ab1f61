"""The table of contended monitors: where threads were blocked, for how long, and who held them. Only reports import
this."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from classhook.base.names import printable, several, time_label
from classhook.base.readable import Readable
from classhook.base.row_names import RowName, cut
from classhook.measures.locks.reader import BLOCKED, DEADLOCKS, WATCHED, LockRow, Locks, Stuck
from classhook.model.rows import Key
from classhook.model.snapshot import Process
from classhook.model.stacks import ARROW
from classhook.tables.about_process import AboutProcess, Said
from classhook.tables.columns import TEXT, TIME, Column, detail, share_of
from classhook.tables.stack_names import caller, own_frame, stack_name
from classhook.tables.table import Entry, Section, Table

HOLDERS = 5  # that are listed
NAMED = 3  # of virtual threads
WIDEST_NAME = 24
WAITS = ("wait", "park")


def holders(row: LockRow) -> list[tuple[str, str, int]]:
    """Name, stack, and the time of those that came meanwhile; the one with the most first."""
    return sorted(((*who, held.ns) for who, held in row.holders.items() if held.count), key=lambda one: (-one[2], one))


def by_name(row: LockRow) -> list[tuple[str, int]]:
    """Thread names, and the time of those that came while it held the monitor, wherever it was."""
    found: dict[str, int] = {}
    for name, _, ns in holders(row):
        found[name] = found.get(name, 0) + ns
    return sorted(found.items(), key=lambda one: (-one[1], one))


def held_by(row: LockRow) -> str | None:
    return next((name for name, _ in by_name(row)), None)


def held_at(row: LockRow) -> str | None:
    name = held_by(row)
    return next((stack for one, stack, _ in holders(row) if one == name), None)


def known_ns(row: LockRow) -> int:
    return sum(held.ns for held in row.holders.values())


def all_holders(row: LockRow) -> str:
    """The first ones: `thread at frame <- frame 93%; ...`."""
    whole = known_ns(row) or 1
    return "; ".join(f"{name} at {stack} {100 * ns / whole:.0f}%" for name, stack, ns in holders(row)[:HOLDERS])


def name_cell(row: LockRow, whole: int) -> str:
    name = held_by(row)
    others = len(by_name(row)) - 1
    return "" if name is None else cut(printable(name), WIDEST_NAME) + (f" +{others}" if others > 0 else "")


def in_all(row: LockRow) -> int:
    """The total time, with that of threads that are still there."""
    return row.total_ns + row.pending_ns


def unless_zero(field: str) -> Any:
    return lambda row, whole: f"{getattr(row, field):,}" if getattr(row, field) else ""


def columns(main: str) -> tuple[Column, ...]:
    """The columns of both sections."""
    return (
        Column(
            "times",
            "count",
            lambda row: row.count,
            about="how many of the times that threads were blocked or waited there have ended",
        ),
        Column(main, "total_ns", in_all, TIME, about="the sum of these times, including pending_ns"),
        share_of(in_all),
        Column("mean", "", lambda row: row.total_ns // row.count if row.count else None, TIME, adds=False),
        Column("max", "max_ns", lambda row: row.max_ns, TIME, adds=False, about="the longest of these times"),
        Column(
            "pending",
            "pending",
            lambda row: row.pending,
            title="still",
            adds=False,
            cell=lambda row, whole: f"{row.pending:,} for {time_label(row.pending_ns).strip()}" if row.pending else "",
            about="the number of threads that were there at the end of the data",
        ),
        Column(
            "pending-time",
            "pending_ns",
            lambda row: row.pending_ns,
            TIME,
            adds=False,
            about="the sum of their times until then",
        ),
        Column(
            "pinned",
            "pinned",
            lambda row: row.pinned,
            cell=unless_zero("pinned"),
            about=(
                "how often it was a virtual thread that kept its carrier, also if that has not ended; from JDK 24 on"
                " only threads that park"
            ),
        ),
        Column(
            "shorter",
            "shorter",
            lambda row: row.shorter,
            cell=unless_zero("shorter"),
            about="with `over`: the number of the shorter times, which are in no other number",
        ),
        detail("shorter_ns", lambda row: row.shorter_ns, about="with `over`: the sum of the shorter times"),
        Column(
            "pinned-thread",
            "pinned_thread",
            lambda row: row.pinned_thread,
            TEXT,
            title="pinned thread",
            adds=False,
            about="the name of one of the pinned threads",
            null=True,
        ),
    )


def row_name(key: Key, detail: int, names: Readable) -> RowName:
    class_name, name, descriptor, line, monitor, _, stack = key
    return stack_name(class_name, name, descriptor, line, monitor, stack, detail, names)


def held(row: LockRow, names: Readable) -> str:
    """The place where the monitor was held."""
    at = held_at(row)
    return "" if at is None else f"  held at {names.short(own_frame(at.split(ARROW)))}"


def callers(row: LockRow, names: Readable) -> str:
    """Names the caller for whom the JDK waited, if the JDK did."""
    return caller(row.stack, names)


def blocked_title(number: str, rows: list[Entry], sort: str, whole: int) -> str:
    locks = " and locks" if any(row.event == "lock" for _, row in rows) else ""
    return (
        f"Blocked at monitors{locks}: {number}, {_times(rows, 'time', 'blocked')}, {time_label(whole).strip()} in all"
    )


def waited_title(number: str, rows: list[Entry], sort: str, whole: int) -> str:
    parks = " and parked" if any(row.event == "park" for _, row in rows) else ""
    return (
        f"Waits in Object.wait{parks}: {number}, {_times(rows, 'wait', 'waiting')}, {time_label(whole).strip()} in all"
    )


def _times(rows: list[Entry], noun: str, state: str) -> str:
    """The number of times, and of threads that are still there: `20 times`, `20 completed times, 1 thread still
    blocked`."""
    times, pending = sum(row.count for _, row in rows), sum(row.pending for _, row in rows)
    return (
        f"{several(times, f'completed {noun}')}, {several(pending, 'thread')} still {state}"
        if pending
        else several(times, noun)
    )


STILL = "still: threads that were blocked or waiting at the end, and the sum of their times"


def blocked_notes(rows: list[Entry]) -> list[str]:
    whole, known = sum(in_all(row) for _, row in rows) or 1, sum(known_ns(row) for _, row in rows)
    share = f"{100 * known / whole:.0f}%"
    found = [
        f"held by: the thread that held the monitor when another thread was blocked, known for {share} of the blocked"
        " time"
    ]
    if any(row.pending for _, row in rows):
        found.append(STILL)
    return found + pinned_notes(rows)


def pinned_notes(rows: list[Entry]) -> list[str]:
    """Virtual threads that kept their carriers: how often, and who."""
    pinned = sum(row.pinned for _, row in rows)
    names = sorted({printable(row.pinned_thread) for _, row in rows if row.pinned_thread})
    who = f", such as {', '.join(names[:NAMED])}" if names else ""
    return [f"{several(pinned, 'time')}, a virtual thread kept its carrier while it waited{who}"] if pinned else []


TABLES = (
    Table.from_rows(
        BLOCKED,
        Section(
            kind="blocked",
            what="places",
            nouns="places",
            belongs=lambda row: row.event not in WAITS,
            columns=(
                *columns("blocked"),
                Column(
                    "held-by",
                    "held_by",
                    held_by,
                    TEXT,
                    title="held by",
                    cell=name_cell,
                    adds=False,
                    about="the thread that held the monitor for most of the known time; null if unknown",
                    null=True,
                ),
                Column(
                    "held-at",
                    "held_at",
                    held_at,
                    TEXT,
                    title="held at",
                    adds=False,
                    about="the stack of that thread",
                    null=True,
                ),
                Column(
                    "holders",
                    "holders",
                    all_holders,
                    TEXT,
                    adds=False,
                    about="the first five of those that held the monitor, with their stacks and shares",
                ),
                detail("holders_known_ns", known_ns, about="the time for which the holder is known"),
            ),
            shown=("blocked", "share", "times", "pending", "held-by", "max"),
            answer=(("times", "times"), ("blocked", "blocked"), ("mean", "each")),
            title=blocked_title,
            last="monitor and place",
            row_name=row_name,
            frames=held,
            about_all=blocked_notes,
        ),
        Section(
            kind="waited",
            what="places",
            nouns="places",
            belongs=lambda row: row.event in WAITS,
            columns=(
                *columns("waited"),
                Column(
                    "timed-out",
                    "timed_out",
                    lambda row: row.timed_out,
                    title="timed out",
                    about="how many waits ended by their timeout",
                ),
            ),
            shown=("waited", "share", "times", "pending", "timed-out", "max"),
            answer=(("times", "waits"), ("waited", "in all"), ("mean", "each")),
            title=waited_title,
            last="monitor and place",
            row_name=row_name,
            frames=callers,
            about_all=pinned_notes,
        ),
    ),
)


def monitors(locks: Locks) -> str:
    """The times at monitors that are in no row, in words."""
    short = (
        f"{several(locks.shorter, 'time')} shorter than {time_label(locks.over_ns).strip()},"
        f" {time_label(locks.shorter_ns).strip()} in all"
    )
    full = f"{several(locks.refused, 'time')} had no room for a row of their own"
    said = [short] * bool(locks.shorter) + [full] * bool(locks.refused)
    return f"monitors: {'; '.join(said)}" if said else ""


def stuck(one: Stuck) -> str:
    """A thread of a deadlock."""
    return f"{one.thread} waits for {one.waits_for}, which {one.held_by} holds, at {one.at}"


def monitor_lines(process: Process) -> Iterable[Said]:
    locks = WATCHED.get(process)
    return [(said, "")] if locks and (said := monitors(locks)) else []


def deadlock_lines(process: Process) -> Iterable[Said]:
    for threads in DEADLOCKS.get(process):
        yield f"deadlock of {several(len(threads), 'thread')}:", "bold red"
        yield from ((f"  {stuck(one)}", "") for one in threads)


ABOUT = (
    AboutProcess(
        "locks",
        lambda process: asdict(found) if (found := WATCHED.get(process)) else None,
        monitor_lines,
        rank=3,
        by_agent=True,
    ),
    AboutProcess(
        "deadlocks",
        lambda process: [[one._asdict() for one in threads] for threads in DEADLOCKS.get(process)],
        deadlock_lines,
        rank=6,
        urgent=True,
    ),
)

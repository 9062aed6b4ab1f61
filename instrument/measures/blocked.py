"""The table of contended monitors: where threads were blocked, for how long, and who held them. Only reports import this."""

from __future__ import annotations

from typing import Any

from instrument.data.locks import LockRow
from instrument.data.rows import Snapshot
from instrument.data.traces import ARROW
from instrument.labels import Label, cut
from instrument.measures.columns import TEXT, TIME, Column, detail, share_of
from instrument.measures.places import caller, own_frame, short, stack_label
from instrument.measures.table import Entry, Key, Section, Table
from instrument.names import printable, several, time_label

WORD = "locks"
HOLDERS = 5  # that are listed
NAMED = 3  # of virtual threads
WIDEST_NAME = 24
WAITS = ("wait", "park")


def name_rule(snapshot: Snapshot) -> None:
    """Rows belong to the only rule about monitors, whose matches are the places that were seen."""
    rules = [text for text, rule in snapshot.parsed_rules.items() if rule.kind == WORD]
    rows = snapshot.tables[TABLE.name]
    for row in rows.values():
        row.rule = rules[0] if rules else "?"
    places = {key[:3] for key, row in rows.items() if key[0] and ran(row)}
    for text in rules:
        row = snapshot.rules[text]
        row.matched_methods, row.matched_classes = len(places), len({place[0] for place in places})


def ran(row: LockRow) -> bool:
    return row.count > 0 or row.pending > 0


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
    """That of threads that are still there, too."""
    return row.total_ns + row.pending_ns


def unless_zero(field: str) -> Any:
    return lambda row, whole: f"{getattr(row, field):,}" if getattr(row, field) else ""


def columns(main: str) -> tuple[Column, ...]:
    """Those of both sections."""
    return (
        Column("times", "count", lambda row: row.count),
        Column(main, "total_ns", in_all, TIME),
        share_of(in_all),
        Column("mean", "", lambda row: row.total_ns // row.count if row.count else None, TIME, adds=False),
        Column("max", "max_ns", lambda row: row.max_ns, TIME, adds=False),
        Column("pending", "pending", lambda row: row.pending, title="still", adds=False,
               cell=lambda row, whole: f"{row.pending:,} for {time_label(row.pending_ns).strip()}" if row.pending else ""),
        Column("pending-time", "pending_ns", lambda row: row.pending_ns, TIME, adds=False),
        Column("pinned", "pinned", lambda row: row.pinned, cell=unless_zero("pinned")),
        Column("shorter", "shorter", lambda row: row.shorter, cell=unless_zero("shorter")),
        detail("shorter_ns", lambda row: row.shorter_ns),
        Column("pinned-thread", "pinned_thread", lambda row: row.pinned_thread, TEXT, title="pinned thread", adds=False),
    )  # fmt: skip


def label(key: Key, detail: int) -> Label:
    class_name, name, descriptor, line, monitor, _, stack = key
    return stack_label(class_name, name, descriptor, line, monitor, stack, detail)


def marks(row: LockRow) -> str:
    """Where it was held."""
    at = held_at(row)
    return "" if at is None else f"  held at {short(own_frame(at.split(ARROW)))}"


def callers(row: LockRow) -> str:
    """Whose wait it was, if the JDK waited."""
    return caller(row.stack)


def blocked_title(rows: list[Entry], sort: str, whole: int) -> str:
    number = sum(row.count for _, row in rows)
    locks = " and locks" if any(row.event == "lock" for _, row in rows) else ""
    return f"Blocked at monitors{locks}: {several(len(rows), 'place')}, {several(number, 'time')}, {time_label(whole).strip()} in all"


def waited_title(rows: list[Entry], sort: str, whole: int) -> str:
    number = sum(row.count for _, row in rows)
    parks = " and parked" if any(row.event == "park" for _, row in rows) else ""
    return f"Waits in Object.wait{parks}: {several(len(rows), 'place')}, {several(number, 'wait')} that ended, {time_label(whole).strip()} in all"


STILL = "still: threads that were there at the end, and for how long together"


def blocked_notes(rows: list[Entry]) -> list[str]:
    whole, known = sum(in_all(row) for _, row in rows) or 1, sum(known_ns(row) for _, row in rows)
    found = [f"held by: the thread that held the monitor when the others came, known for {100 * known / whole:.0f}% of the time"]
    if any(row.pending for _, row in rows):
        found.append(STILL)
    return found + pinned_notes(rows)


def pinned_notes(rows: list[Entry]) -> list[str]:
    """Virtual threads that kept their carriers: how often, and who."""
    pinned = sum(row.pinned for _, row in rows)
    names = sorted({printable(row.pinned_thread) for _, row in rows if row.pinned_thread})
    who = f", such as {', '.join(names[:NAMED])}" if names else ""
    return [f"{several(pinned, 'time')} it was a virtual thread that kept its carrier meanwhile{who}"] if pinned else []


TABLE = Table(
    name="locks",
    row=LockRow,
    ran=ran,
    counted=lambda row: row.count + row.pending,
    sections=(
        Section(
            kind="blocked",
            what="places",
            belongs=lambda row: row.event not in WAITS,
            columns=(
                *columns("blocked"),
                Column("held-by", "held_by", held_by, TEXT, title="held by", cell=name_cell, adds=False),
                Column("held-at", "held_at", held_at, TEXT, title="held at", adds=False),
                Column("holders", "holders", all_holders, TEXT, adds=False),
                detail("holders_known_ns", known_ns),
            ),
            shown=("blocked", "share", "times", "pending", "held-by", "max"),
            answer=(("times", "times"), ("blocked", "blocked"), ("mean", "each")),
            title=blocked_title,
            last="monitor and place",
            label=label,
            marks=marks,
            about_all=blocked_notes,
        ),
        Section(
            kind="waited",
            what="places",
            belongs=lambda row: row.event in WAITS,
            columns=(*columns("waited"), Column("timed-out", "timed_out", lambda row: row.timed_out, title="timed out")),
            shown=("waited", "share", "times", "pending", "timed-out", "max"),
            answer=(("times", "waits"), ("waited", "in all"), ("mean", "each")),
            title=waited_title,
            last="monitor and place",
            label=label,
            marks=callers,
            about_all=pinned_notes,
        ),
    ),
    key={"line": "integer", "monitor": "string", "event": "string", "stack": "string"},
    add=LockRow.add,
)

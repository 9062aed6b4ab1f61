"""Contended monitors: the rows of a data file (native/locks/contention.c), summed up by the monitor's class and the
stack.

1. A row of the file is about a monitor's class, a stack, and who held it; those that differ in the last only are one
   row of the report.
2. For those that have not ended yet, the number is known, and the sum of the times when they began.
3. The longest times are also known one by one (reader_waits.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from classhook.base.names import shortened
from classhook.measures.locks import LOCKS
from classhook.measures.locks.reader_waits import EVENTS, HEAD_BYTES, Waits, holder_of, key_of, stack_of
from classhook.model import moments
from classhook.model.added_fields import AddedField, none
from classhook.model.reader import AskedFor, Reader
from classhook.model.region_rows import Chosen, Rows, every
from classhook.model.rows import RowKind
from classhook.model.snapshot import Snapshot
from classhook.model.stacks import Frame, Names, Stacks
from classhook.native._layout import ffi, lib
from classhook.store.data_file import DataFile

ROW_BYTES: int = ffi.sizeof("struct ch_lock")


@dataclass(slots=True)
class Locks:
    """The recording of a process's locks. Events shorter than `over_ns` are only summed up; `refused` had no room for a
    row of their own; the JVM was `asked` so often who holds a monitor, in `asking_ns`."""

    over_ns: int = 0
    shorter: int = 0
    shorter_ns: int = 0
    refused: int = 0
    asked: int = 0
    asking_ns: int = 0


@dataclass(slots=True)
class Held:
    """The threads that were blocked while another thread held the monitor: how many, and their time."""

    count: int = 0
    ns: int = 0


@dataclass(slots=True)
class LockRow:
    """Threads blocked at a place. `holders`: by thread name and the text of its stack; `stack`: its frames, the
    innermost first; `threads`: those that were blocked, where they are told apart, by pid and number."""

    rule: str = ""
    event: str = ""
    count: int = 0
    total_ns: int = 0
    max_ns: int = 0
    shorter: int = 0
    shorter_ns: int = 0
    timed_out: int = 0
    pinned: int = 0
    pending: int = 0
    pending_ns: int = 0
    pinned_thread: str | None = None
    stack: tuple[Frame, ...] = ()
    threads: dict[tuple[int, int], Held] = field(default_factory=dict)
    holders: dict[tuple[str, str], Held] = field(default_factory=dict)

    def add(self, other: LockRow) -> None:
        self.event = other.event
        for name in ("count", "total_ns", "shorter", "shorter_ns", "timed_out", "pinned", "pending", "pending_ns"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.max_ns = max(self.max_ns, other.max_ns)
        self.pinned_thread = self.pinned_thread or other.pinned_thread
        for who, held in other.holders.items():
            self.hold(who, held.count, held.ns)
        for thread, held in other.threads.items():
            self.of_thread(thread, held.count, held.ns)

    def of_thread(self, thread: tuple[int, int], count: int, ns: int) -> None:
        of = self.threads.setdefault(thread, Held())
        of.count += count
        of.ns += ns

    def hold(self, who: tuple[str, str], count: int, ns: int) -> None:
        held = self.holders.setdefault(who, Held())
        held.count += count
        held.ns += ns


class Stuck(NamedTuple):
    """A thread of a deadlock: what it waits for, by which thread that is held, and where it is."""

    thread: str
    waits_for: str
    held_by: str
    at: str


Deadlock = list[Stuck]


def deadlock(text: bytes) -> Deadlock:
    """The threads of a record CH_META_DEADLOCK, each followed by the one that holds what it waits for, as far as there
    is one. Raises ValueError."""
    parts = [shortened(part.decode("utf-8", "replace")) for part in text.split(b"\0")[:-1]]
    if len(parts) % 4:
        raise ValueError("a damaged deadlock")
    threads = [Stuck(*parts[at : at + 4]) for at in range(0, len(parts), 4)]
    found: Deadlock = []
    while threads:
        after = next((one for one in threads if found and one.thread == found[-1].held_by), threads[0])
        threads.remove(after)
        found.append(after)
    return found


def add_rows(
    rows: dict[Any, Any],
    raws: Rows,
    stacks: Stacks,
    names: Names,
    duration_ns: int,
    pid: int,
    chosen: Chosen = every,
    longest: Callable[[int, Any], int] | None = None,
) -> Locks | None:
    """Adds a file's rows; None where it has none. `duration_ns`: how long the process ran; `chosen`: which rows are to
    be added; `longest`: the longest time of a row, if that is not the row's own."""
    region = raws.region
    data = region.whole(0, HEAD_BYTES)
    if data is None:
        return None
    head = ffi.from_buffer("struct ch_lock_head *", data)
    found = Locks(head.over_ns, refused=head.refused, asked=head.asked, asking_ns=head.asking_ns)
    end = region.pieces[-1][0] + len(region.pieces[-1][1])
    for i in chosen(min(head.rows, (end - HEAD_BYTES) // ROW_BYTES), lambda i: stacks.key(raws.field(i, "stack"))):
        raw = raws.row(i)
        if raw is None or raw.kind not in EVENTS:
            continue
        found.shorter += raw.shorter
        found.shorter_ns += raw.shorter_ns
        event, stack = EVENTS[raw.kind], stack_of(raw, stacks)
        key = key_of(raw, stack, names)
        row = rows.setdefault(key, LockRow(stack=stack))
        pending_ns = max(raw.pending * duration_ns - raw.pending_began_ns, 0)
        max_ns = raw.max_ns if longest is None else longest(i, raw)
        numbers = (
            raw.ended,
            raw.total_ns,
            max_ns,
            raw.shorter,
            raw.shorter_ns,
            raw.timed_out,
            raw.pinned,
            raw.pending,
            pending_ns,
        )
        if (thread := stacks.thread(raw.stack)) and thread not in names.thread_slots:
            row.of_thread((pid, thread), raw.ended, raw.total_ns)
        row.add(LockRow("", event, *numbers, names.names.get(raw.pinned_name) if raw.pinned_name else None))
        if who := holder_of(raw, stacks, names):
            row.hold(who, raw.ended + raw.pending, raw.total_ns + pending_ns)
    return found


def longest_since(file: DataFile, base: DataFile, kept: dict[int, int], i: int, raw: Any) -> int:
    """The longest time of a row `i` since the file's earlier state. Its own is that of the session: if it is no other
    than at the reset, the longest moment of the row, by its number in `kept`, or else at most the sum."""
    before = Rows(base.region(lib.CH_LOCKS), "struct ch_lock", HEAD_BYTES).row(i)
    if base.header.session_ns != file.header.session_ns or before is None or before.max_ns != raw.max_ns:
        return int(raw.max_ns)
    return kept.get(i) or int(min(raw.max_ns, raw.total_ns))


def ran(row: LockRow) -> bool:
    return row.count > 0 or row.pending > 0


BLOCKED = RowKind(
    name="locks",
    row=LockRow,
    ran=ran,
    key={"line": "integer", "monitor": "string", "event": "string", "stack": "string"},
    add=LockRow.add,
    counted=lambda row: row.count + row.pending,
)
#: Parts of a process: how its monitors were watched; and its deadlocks.
WATCHED: AddedField[Locks | None] = AddedField(none)
DEADLOCKS: AddedField[list[Deadlock]] = AddedField(list)


class LocksReader(Reader):
    rows = (BLOCKED,)
    records = (lib.CH_META_DEADLOCK,)
    regions = {lib.CH_LOCKS: AskedFor((LOCKS.word.text,), lambda rule: True)}  # noqa: RUF012  # never changed

    def record(self, kind: int, number: int, more: int, text: bytes) -> None:
        DEADLOCKS.get(self.reading.process).append(deadlock(text))

    def finish(self) -> int:
        one, rows = self.reading, self.reading.snapshot.tables[BLOCKED.name]
        before = sum(map(BLOCKED.counted, rows.values()))
        header = one.file.header
        since_first_ns = one.process.duration_ns + (header.session_ns - header.first_ns if header.session_ns else 0)
        raws = Rows(one.file.region(lib.CH_LOCKS), "struct ch_lock", HEAD_BYTES)
        stacks = Stacks(one.file.region(lib.CH_TRACES), one.names.frames)
        chosen = partial(one.chosen, lib.CH_LOCKS)
        longest = (
            None
            if one.file.base is None
            else partial(longest_since, one.file, one.file.base, moments.longest(one.file, EVENTS))
        )
        WATCHED.set(
            one.process, add_rows(rows, raws, stacks, one.names, since_first_ns, one.process.pid, chosen, longest)
        )
        if one.part is None:
            waits = Waits(raws, stacks, one.names, header.start_unix_ns)
            moments.add(
                one.process, one.file, {kind: (event, partial(waits.moment, event)) for kind, event in EVENTS.items()}
            )
        return sum(map(BLOCKED.counted, rows.values())) - before

    @classmethod
    def conclude(cls, snapshot: Snapshot) -> None:
        """Rows belong to the only rule about monitors, whose matches are the places that were seen."""
        rules = [text for text, rule in snapshot.parsed_rules.items() if rule.kind == LOCKS.word.text]
        rows = snapshot.tables[BLOCKED.name]
        for row in rows.values():
            row.rule = rules[0] if rules else "?"
        places = {key[:3] for key, row in rows.items() if key[0] and ran(row)}
        for text in rules:
            found = snapshot.rules[text]
            found.matched_methods, found.matched_classes = len(places), len({place[0] for place in places})


READER = LocksReader

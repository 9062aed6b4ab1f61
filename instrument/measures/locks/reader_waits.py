"""The subject of a row of a data file (struct ch_lock), and single waits: moments (instrument/model/moments.py), each
of which names its row."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from classhook.model.moments import Moment, Raw
from classhook.model.region_rows import Rows
from classhook.model.rows import Key
from classhook.model.stacks import Frame, Names, Stacks, text_of, type_name
from classhook.native._layout import ffi, lib

HEAD_BYTES = ffi.sizeof("struct ch_lock_head")
EVENTS = {lib.CH_LOCK_ENTER: "enter", lib.CH_LOCK_WAIT: "wait", lib.CH_LOCK_LOCK: "lock", lib.CH_LOCK_PARK: "park"}
PARKING = re.compile(
    r"jdk\.internal\.misc\.Unsafe|java\.lang\.VirtualThread|java\.lang\.System\$\d+|java\.util\.concurrent\.locks\..*"
)
NOTHING = "[nothing]"  # for what a thread may park
UNKNOWN = "[unknown]"
VIRTUAL = "[virtual threads]"  # those without a name


def stack_of(raw: Any, stacks: Stacks) -> tuple[Frame, ...]:
    """The stack of the thread that was blocked or waited."""
    found = stacks.frames_of(raw.stack)
    return found if raw.kind in (lib.CH_LOCK_ENTER, lib.CH_LOCK_WAIT) else without_parking(found)


def without_parking(stack: tuple[Frame, ...]) -> tuple[Frame, ...]:
    """The stack of who parks, from the one on who wanted that."""
    first = next((i for i, frame in enumerate(stack) if not PARKING.fullmatch(frame.cls)), 0)
    return stack[first:]


def monitor_of(raw: Any, names: Names) -> str:
    """The class of the monitor."""
    return type_name(names.names.get(raw.monitor, UNKNOWN)) if raw.monitor else NOTHING


def key_of(raw: Any, stack: tuple[Frame, ...], names: Names) -> Key:
    """The key of the row in the report."""
    top = stack[0]
    return (
        top.cls,
        top.method,
        top.descriptor,
        max(top.line, 0),
        monitor_of(raw, names),
        EVENTS[raw.kind],
        text_of(stack),
    )


def holder_of(raw: Any, stacks: Stacks, names: Names) -> tuple[str, str] | None:
    """The thread that held the monitor, and its stack, without parking; None: it is not known."""
    return (
        (names.names.get(raw.holder, UNKNOWN), text_of(without_parking(stacks.frames_of(raw.holder_stack))))
        if raw.holder
        else None
    )


class Waits(NamedTuple):
    """Makes moments, of what a file has of monitors."""

    rows: Rows
    stacks: Stacks
    names: Names
    start_unix_ns: int

    def moment(self, event: str, raw: Raw) -> Moment:
        thread = self.names.names.get(raw.more, "")
        found = Moment(
            event, self.start_unix_ns + raw.began_ns, raw.took_ns, UNKNOWN, "" if thread == VIRTUAL else thread
        )
        row = self.rows.row(raw.about)
        if row is None or row.kind not in EVENTS:
            return found
        stack = stack_of(row, self.stacks)
        held_by, held_at = holder_of(row, self.stacks, self.names) or ("", "")
        return found._replace(
            of=monitor_of(row, self.names),
            stack=text_of(stack),
            row=key_of(row, stack, self.names),
            held_by=held_by,
            held_at=held_at,
        )

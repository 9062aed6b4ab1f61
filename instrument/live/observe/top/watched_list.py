"""Watched calls in `top`: the newest ones first, as `classhook ctl PID watch` writes them."""

from __future__ import annotations

from rich.text import Text

from classhook.base.names import several
from classhook.base.row_names import cut
from classhook.live.observe.top.state import State
from classhook.live.observe.watched_calls import as_line
from classhook.reports.filters import by_either_name, matcher


def calls(state: State, width: int, height: int) -> list[Text]:
    """The calls that there is room for, below a line with the number of all."""
    look = state.watch.now
    rows = look.snapshot.tables.get("calls", {}) if look else {}
    if look is None or not rows:
        return [Text(cut("no watched calls yet: a rule `watch com.acme.Orders::place` shows them", width), "dim")]
    matches = by_either_name(matcher([state.pattern]), look.snapshot.readable) if state.pattern else None
    keys = sorted((key for key in rows if matches is None or matches(key)), key=lambda key: -key[-1])
    shown = keys[: max(height - 1, 0)]
    head = Text(
        cut(
            f"{several(len(keys), 'watched call')}, the newest first" if keys else "no watched call matches the filter",
            width,
        ),
        "bold",
    )
    return [head, *(Text(cut(as_line(look.snapshot, (key, rows[key])), width)) for key in shown)]

"""A row that is chosen on the page: who calls it, what it calls, and how long its activations took, as `top` in a
terminal shows an opened row."""

from __future__ import annotations

from typing import Any

from classhook.base.names import time_label
from classhook.live.observe.top.details import bins
from classhook.live.observe.top.opened import row_in
from classhook.live.observe.top.state import State

MOST = 100  # callers, and callees

Json = dict[str, Any]


def chosen_row(state: State, name: str) -> Json | None:
    """None if the table has no row of this name. `near`: callers and callees, each with its calls, where they are
    known; `took`: the bins of the histogram since sums began at zero."""
    section, look, base = state.section, state.watch.now, state.watch.base
    line = next((line for line in state.lines() if line.name.text() == name), None)
    if section is None or look is None or line is None:
        return None
    found = state.around(line)
    names = look.snapshot.readable
    near = [] if found is None else [("callers", found.callers), ("callees", found.callees)]
    now, before = (
        getattr(row_in(one.snapshot, section, line), "histogram", None) if one is not None else None
        for one in (look, base)
    )
    return {
        "name": name,
        "clock": found.clock if found is not None else "",
        "near": [
            {
                "title": title,
                "count": len(every),
                "rows": [
                    [names.method(*one.method).text() if one.method else "(threads begin here)", one.ns, one.calls]
                    for one in every[:MOST]
                ],
            }
            for title, every in near
        ],
        "took": [
            [f"{label(start)} - {label(end)}", count]
            for start, end, count in (bins(now.counts, before.counts if before else None) if now is not None else [])
        ],
    }


def label(ns: float) -> str:
    return time_label(round(ns)).strip()

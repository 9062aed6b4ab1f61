"""The call tree as a flame graph: one HTML file that needs nothing else, for the clocks that it has, to search and to zoom into."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TextIO

from instrument.data.calls import MethodKey
from instrument.data.rows import Snapshot
from instrument.names import printable
from instrument.reports import Options
from instrument.reports.paths import CLOCKS, chosen, clock, frame, totals
from instrument.reports.text import command

TEMPLATE = Path(__file__).parent / "flamegraph.html"
SMALLEST = 1 / 20_000  # of the whole: what is narrower, nobody sees
MICROSECOND = 1000


def report(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes the page."""
    tree = chosen(snapshot, options)
    root = tree.root(snapshot)
    sums = [totals(root, one) for one in tree.clocks]
    whole = [below[id(root)] - CLOCKS[one](root) for one, below in zip(tree.clocks, sums, strict=True)]
    names: dict[MethodKey, int] = {}
    rows: list[int] = []  # depth, name, us by each clock, and calls if they are known; callers before what they call
    todo = [(child, 0) for child in root.children.values()]
    while todo:
        call, depth = todo.pop()
        times = [below[id(call)] for below in sums]
        if call.method is None or all(time < of * SMALLEST for time, of in zip(times, whole, strict=True)):
            continue
        rows += [depth, names.setdefault(call.method, len(names)), *(round(time / MICROSECOND) for time in times), *[call.calls] * tree.exact]
        todo += [(child, depth + 1) for child in call.children.values()]
    title = command(snapshot.processes[0]) if len(snapshot.processes) == 1 else f"{len(snapshot.processes)} processes"
    data = {"title": printable(title), "clocks": tree.clocks, "clock": clock(snapshot, options), "exact": tree.exact,
            "names": [frame(method) for method in names], "calls": rows, "whole": [round(time / MICROSECOND) for time in whole]}  # fmt: skip
    text = json.dumps(data).replace("<", "\\u003c")  # nothing in it ends the script
    out.write(TEMPLATE.read_text(encoding="utf-8").replace("/*DATA*/null", text))

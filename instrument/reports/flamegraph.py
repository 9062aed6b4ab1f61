"""The call tree as a flame graph: one HTML file that needs nothing else, for CPU or wall time, to search and to zoom into."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TextIO

from instrument.data.calls import MethodKey
from instrument.data.rows import Snapshot
from instrument.names import printable
from instrument.reports import Options
from instrument.reports.paths import CLOCKS, frame, totals, tree
from instrument.reports.text import command

TEMPLATE = Path(__file__).parent / "flamegraph.html"
SMALLEST = 1 / 20_000  # of the whole: what is narrower, nobody sees
MICROSECOND = 1000


def report(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes the page."""
    root = tree(snapshot, options)
    sums = {clock: totals(root, clock) for clock in CLOCKS}
    whole = {clock: sums[clock][id(root)] - CLOCKS[clock](root) for clock in CLOCKS}
    names: dict[MethodKey, int] = {}
    rows: list[int] = []  # depth, name, CPU us, wall us; callers before what they call
    todo = [(child, 0) for child in root.children.values()]
    while todo:
        call, depth = todo.pop()
        if call.method is None or all(sums[clock][id(call)] < whole[clock] * SMALLEST for clock in CLOCKS):
            continue
        times = [round(sums[clock][id(call)] / MICROSECOND) for clock in ("cpu", "wall")]
        rows += [depth, names.setdefault(call.method, len(names)), *times]
        todo += [(child, depth + 1) for child in call.children.values()]
    title = command(snapshot.processes[0]) if len(snapshot.processes) == 1 else f"{len(snapshot.processes)} processes"
    data = {"title": printable(title), "clock": options.clock, "names": [frame(method) for method in names], "calls": rows,
            "whole": [round(whole[clock] / MICROSECOND) for clock in ("cpu", "wall")]}  # fmt: skip
    text = json.dumps(data).replace("<", "\\u003c")  # nothing in it ends the script
    out.write(TEMPLATE.read_text(encoding="utf-8").replace("/*DATA*/null", text))

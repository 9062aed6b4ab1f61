"""The call tree as a flame graph: one HTML file that needs nothing else, for the clocks that it has, to search and to
zoom into."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TextIO

from classhook.model.call_tree import MethodKey
from classhook.model.snapshot import Snapshot
from classhook.reports import Options
from classhook.reports.call_trees import CLOCKS, Tree, chosen, clock, totals
from classhook.reports.titles import title, titled

TEMPLATE = Path(__file__).parent / "flamegraph.html"
SCRIPT = TEMPLATE.with_suffix(".js")
SMALLEST = 1 / 20_000  # of the whole: what is narrower cannot be seen
MICROSECOND = 1000


def report(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes the page."""
    out.write(
        page(
            {"title": title(snapshot.processes), **drawn(snapshot, chosen(snapshot, options), clock(snapshot, options))}
        )
    )


def page(data: dict[str, Any], sides: str = "") -> str:
    """The page that draws these data. `sides`: what chooses one of two sets of data."""
    made = TEMPLATE.read_text(encoding="utf-8").replace("<!--SIDES-->", sides)
    made = made.replace("/*FLAMEGRAPH*/", SCRIPT.read_text(encoding="utf-8")).replace("/*DATA*/null", script_of(data))
    return titled(made, str(data["title"]))


def script_of(data: Any) -> str:
    """Data as a part of a script."""
    return json.dumps(data).replace("<", "\\u003c")  # nothing in it ends the script


def drawn(snapshot: Snapshot, tree: Tree, by: str) -> dict[str, Any]:
    """A tree as the script has it; `by`: the clock that is shown first."""
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
        rows += [
            depth,
            names.setdefault(call.method, len(names)),
            *(round(time / MICROSECOND) for time in times),
            *[call.calls] * tree.exact,
        ]
        todo += [(child, depth + 1) for child in call.children.values()]
    return {
        "clocks": tree.clocks,
        "clock": by,
        "exact": tree.exact,
        "names": [snapshot.readable.frame(*method) for method in names],
        "calls": rows,
        "whole": [round(time / MICROSECOND) for time in whole],
    }

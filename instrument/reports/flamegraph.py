"""The call tree as a flame graph: one HTML file that needs nothing else, for the clocks that it has, to search and to
zoom into."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TextIO

from classhook.model.call_tree import MethodKey
from classhook.model.snapshot import Snapshot
from classhook.reports import Options
from classhook.reports.call_trees import CLOCKS, Tree, chosen, clock, totals
from classhook.reports.titles import title
from classhook.reports.web_page import page

TEMPLATE = Path(__file__).parent / "flamegraph.html"
SMALLEST = 1 / 20_000  # of the whole: what is narrower cannot be seen
MICROSECOND = 1000


def report(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes the page."""
    out.write(
        flame_page(title(snapshot.processes), drawn(snapshot, chosen(snapshot, options), clock(snapshot, options)))
    )


def flame_page(title: str, tree: dict[str, Any], sides: str = "") -> str:
    """The page that draws a tree. `sides`: what chooses one of two sets of data."""
    return page(TEMPLATE, {"title": title, **tree}, title).replace("<!--SIDES-->", sides, 1)


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

"""The call trees of both sides as one flame graph: a path that takes more time than before is red, one that takes less
is blue.

Times are those of a run: where a side has several, its times are divided by their number. A path is as wide as after
the change, or, for what is gone, as before: buttons choose. The page is that of one tree
(instrument/reports/flamegraph.py).
"""

from __future__ import annotations

from typing import Any, NamedTuple, TextIO

from classhook.base.errors import Failure
from classhook.model.call_tree import Call, MethodKey
from classhook.reports import Options
from classhook.reports.call_trees import CLOCKS, TREES, Tree, totals
from classhook.reports.comparison import Compared, Side
from classhook.reports.comparison.thresholds import Broken
from classhook.reports.flamegraph import MICROSECOND, SMALLEST, flame_page
from classhook.reports.titles import title

SIDES = (
    '<span role="group" aria-label="width"><button class="after">After</button> <button'
    ' class="before">Before</button></span>'
)
NOTHING = Call(None)


class Half(NamedTuple):
    """One side's tree: what is below each call by its id, for each clock, and the number of runs."""

    root: Call
    sums: list[dict[int, int]]
    runs: int

    def times(self, call: Call) -> list[int]:
        """The times of a run, in us."""
        return [round(below.get(id(call), 0) / self.runs / MICROSECOND) for below in self.sums]

    def whole(self, clocks: tuple[str, ...]) -> list[int]:
        own = [CLOCKS[one](self.root) for one in clocks]
        return [
            round((below[id(self.root)] - mine) / self.runs / MICROSECOND)
            for below, mine in zip(self.sums, own, strict=True)
        ]


def report(
    sides: tuple[Side, Side], sections: list[Compared], broken: list[Broken], options: Options, out: TextIO
) -> None:
    """Writes the page. Raises Failure if the sides have no call tree of one kind."""
    before, after = sides
    text = f"{', '.join(before.names)} -> {', '.join(after.names)}: {title(after.whole.processes)}"
    out.write(flame_page(text, drawn(sides), SIDES))


def drawn(sides: tuple[Side, Side]) -> dict[str, Any]:
    """The trees as the script has them. Raises Failure."""
    before, after = sides
    tree = common(sides)
    halves = half(after, tree), half(before, tree)
    names: dict[MethodKey, int] = {}
    whole = [one.whole(tree.clocks) for one in halves]
    return {
        "clocks": tree.clocks,
        "clock": tree.clocks[0],
        "exact": tree.exact,
        "calls": rows(halves, tree, whole, names),
        "names": [after.whole.readable.frame(*method) for method in names],
        "whole": whole[0],
        "before": whole[1],
    }


def common(sides: tuple[Side, Side]) -> Tree:
    """The first kind of tree that both sides have."""
    for tree in TREES.values():
        if all(tree.root(side.whole).children for side in sides):
            return tree
    raise Failure(
        "there is no call tree of one kind on both sides; rules such as 'profile com.acme.**::*' or 'cpu' record one"
    )


def half(side: Side, tree: Tree) -> Half:
    root = tree.root(side.whole)
    return Half(root, [totals(root, one) for one in tree.clocks], max(1, side.repetitions))


def rows(halves: tuple[Half, Half], tree: Tree, whole: list[list[int]], names: dict[MethodKey, int]) -> list[int]:
    """Depth, name, and the values of both sides, for each path of either; callers before what they call."""
    found: list[int] = []
    todo = _below(halves[0].root, halves[1].root, 0)
    while todo:
        after, before, method, depth = todo.pop()
        times = halves[0].times(after), halves[1].times(before)
        if all(
            one < of * SMALLEST
            for mine, wholes in zip(times, whole, strict=True)
            for one, of in zip(mine, wholes, strict=True)
        ):
            continue
        found += [depth, names.setdefault(method, len(names))]
        for one, call, mine in zip(halves, (after, before), times, strict=True):
            found += [*mine, *[round(call.calls / one.runs)] * tree.exact]
        todo += _below(after, before, depth + 1)
    return found


def _below(after: Call, before: Call, depth: int) -> list[tuple[Call, Call, MethodKey, int]]:
    """The callees of either of the calls."""
    methods = {**after.children, **before.children}
    return [(after.children.get(one, NOTHING), before.children.get(one, NOTHING), one, depth) for one in methods]

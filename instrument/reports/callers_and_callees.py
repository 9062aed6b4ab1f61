"""Callers and callees of a method, from a tree of calls."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from classhook.model.call_tree import Call, MethodKey
from classhook.model.rows import Key
from classhook.model.snapshot import Snapshot
from classhook.reports.call_trees import CLOCKS, TREES, Tree


class Neighbour(NamedTuple):
    """A caller or a callee: `ns` that calls between the two took, with all below, a call within another one counted
    once; `calls`: their number, 0 where the tree does not know."""

    method: MethodKey | None
    ns: int
    calls: int


@dataclass(slots=True)
class Around:
    """`clock`: of the times."""

    clock: str
    callers: list[Neighbour]
    callees: list[Neighbour]


def around(snapshot: Snapshot, method: Key) -> Around | None:
    """Callers and callees, from the first tree that has the method; None if none has it."""
    for tree in TREES.values():
        found = _around(tree, tree.root(snapshot), method)
        if found is not None:
            return found
    return None


def _around(tree: Tree, root: Call, method: Key) -> Around | None:
    clock = tree.clocks[0]
    weight = CLOCKS[clock]
    callers: dict[MethodKey | None, list[int]] = {}
    callees: dict[MethodKey | None, list[int]] = {}
    path: list[Call] = []
    sums: list[int] = []
    active: Counter[tuple[MethodKey | None, MethodKey | None]] = (
        Counter()
    )  # calls between two methods: of nested ones, the outermost has the time
    for call, entered in root.walk():
        if entered:
            active[path[-1].method if path else None, call.method] += 1
            path.append(call)
            sums.append(weight(call))
            continue
        path.pop()
        ns = sums.pop()
        if sums:
            sums[-1] += ns
        above = path[-1].method if path else None
        active[above, call.method] -= 1
        if active[above, call.method]:
            ns = 0
        if call.method is not None and call.method == method:
            _add(callers, above, ns, call.calls)
        if above is not None and above == method:
            _add(callees, call.method, ns, call.calls)
    return Around(clock, _sorted(callers), _sorted(callees)) if callers else None


def _add(to: dict[MethodKey | None, list[int]], method: MethodKey | None, ns: int, calls: int) -> None:
    known = to.setdefault(method, [0, 0])
    known[0] += ns
    known[1] += calls


def _sorted(found: dict[MethodKey | None, list[int]]) -> list[Neighbour]:
    return sorted(
        (Neighbour(method, ns, calls) for method, (ns, calls) in found.items()),
        key=lambda one: (-one.ns, -one.calls, one.method or ()),
    )

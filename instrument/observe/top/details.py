"""Details of one method: its callers, its callees, how long its activations took."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10
from typing import NamedTuple

from classhook.model.call_tree import Call, MethodKey
from classhook.model.rows import Key
from classhook.model.snapshot import Snapshot
from classhook.reports.paths import CLOCKS, TREES, Tree

STEPS = (1, 2, 5)


class Neighbour(NamedTuple):
    """A caller or a callee: `ns` that calls between the two took, with all below; `calls`: their number, 0 where the tree does not know."""

    method: MethodKey | None
    ns: int
    calls: int


@dataclass(slots=True)
class Around:
    """`clock`: of the times; None where there is no tree with the method."""

    clock: str
    callers: list[Neighbour]
    callees: list[Neighbour]


def around(snapshot: Snapshot, method: Key) -> Around | None:
    """Callers and callees, from the first tree that has the method."""
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
    for call, entered in root.walk():
        if entered:
            path.append(call)
            sums.append(weight(call))
            continue
        path.pop()
        ns = sums.pop()
        if sums:
            sums[-1] += ns
        above = path[-1].method if path else None
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
    return sorted((Neighbour(method, ns, calls) for method, (ns, calls) in found.items()), key=lambda one: (-one.ns, -one.calls, one.method or ()))


def bins(counts: dict[float, int], before: dict[float, int] | None = None) -> list[tuple[float, float, int]]:
    """(from ns, to ns, activations): steps of 1, 2, 5, 10, those without activations between others, too. `before`: an earlier state, taken off."""
    found: dict[int, int] = {}
    for ns, count in counts.items():
        count -= (before or {}).get(ns, 0)
        if count > 0:
            step = step_of(ns)
            found[step] = found.get(step, 0) + count
    return [(edge(step), edge(step + 1), found.get(step, 0)) for step in range(min(found), max(found) + 1)] if found else []


def step_of(ns: float) -> int:
    """The last step whose edge is not above."""
    if ns < 1:
        return -1
    decade = floor(log10(ns))
    return max(step for step in range(3 * decade - 1, 3 * decade + 4) if edge(step) <= ns)


def edge(step: int) -> float:
    """Where a step begins, in ns; 0 for the one below 1 ns."""
    return float(STEPS[step % 3] * 10 ** (step // 3)) if step >= 0 else 0.0

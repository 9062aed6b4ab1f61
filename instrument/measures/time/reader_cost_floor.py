"""The cost of timing within an activation beyond the agent's measurement at its start, as the run itself shows it.

At the start, timing runs in a loop, with all that it needs in the processor's caches; in a large program it takes up to
four times as long. A program of some size has many methods that take next to nothing. All of them seem to take the
same: what remains of the cost, the floor. If the medians of several methods lie there, it is taken off all times.
"""

from __future__ import annotations

from collections.abc import Iterable

from classhook.measures.methods.reader import MethodRow
from classhook.model.call_tree import Call

LEAST_CALLS = 1000  # of a method whose median tells something
LEAST_METHODS = 40
LOWEST = 0.1  # of the methods may be below the floor: their medians are of another time, or another processor
NEAR = 1.25  # times the floor: as many must be there
HIGHEST_NS = 100
TRUE_NS = 1  # what such a method takes by itself


def floor_of(rows: Iterable[MethodRow]) -> int:
    """The floor in ns; 0 if there is none to be seen."""
    medians = sorted(row.percentiles([0.5])[0] for row in rows if row.timings >= LEAST_CALLS)
    if len(medians) < LEAST_METHODS:
        return 0
    floor = medians[int(LOWEST * len(medians))]
    near = sum(floor <= ns <= floor * NEAR for ns in medians)
    return max(0, floor - TRUE_NS) if floor <= HIGHEST_NS and near >= LOWEST * len(medians) else 0


def take_off(rows: Iterable[MethodRow], trees: list[Call], floor: int | None = None) -> int:
    """Takes the floor off all rows, and off the exact trees of calls; returns it. `floor`: if it is known from more
    rows than these. Then finds the rows for which the cost of the calls below is most of the time: on average, a call
    costs what is taken off for all."""
    rows = [row for row in rows if row.timings]
    ns = floor_of(rows) if floor is None else floor
    if ns:
        for row in rows:
            row.take_off(ns)
        for call, entered in (step for tree in trees for step in tree.walk()):
            if entered and call.wall:  # else none of its calls has ended
                call.wall -= ns * call.calls
    timings = sum(row.timings for row in rows)
    cost = sum(row.probes_ns for row in rows) / timings if timings else 0
    for row in rows:
        row.total_mostly_probes = cost * row.below > max(row.total_ns, 0)
        row.probes_ns = max(
            row.probes_ns, 0
        )  # negative where the processor does so much meanwhile that its callees' own stretches have more
    return ns

"""What timing costs within an activation beyond what the agent measured at its start, as the run itself shows it.

At the start, timing runs in a loop, with all that it needs in the processor's caches; in a large program it takes up to four times as long. A
program of some size has many methods that take next to nothing. All of them seem to take the same: what remains of the cost, the floor.
If the medians of several methods lie there, it is taken off all times.
"""

from __future__ import annotations

from collections.abc import Iterable

from instrument.measures.methods import MethodRow

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


def take_off(rows: Iterable[MethodRow]) -> None:
    """Takes the floor off all rows."""
    rows = [row for row in rows if row.timings]
    if ns := floor_of(rows):
        for row in rows:
            row.take_off(ns)

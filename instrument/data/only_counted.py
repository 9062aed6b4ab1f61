"""Times of methods with a budget that are only counted: they have no frames, so that samples give their time to their callers.

1. What a call takes by itself is known from an earlier run, and of each caller what part of its own time such methods are (native/counting/tiers.c).
2. The parts of all callers are made as large as what the calls of this run would have taken then, but no part is more than the caller has. What
   is still missing is taken from the empty path, from outside of all methods with frames.
3. This time goes to a path ONLY_COUNTED below the caller, and to the methods' rows. So no time is in two rows: their sum is at most what ran.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING

from instrument.data.calls import Call, MethodKey

if TYPE_CHECKING:
    from instrument.measures.methods import MethodRow

ONLY_COUNTED: MethodKey = ("", "[only counted]", "")
LONGEST_NS = 1e18  # what is more is damaged


@dataclass(slots=True)
class OnlyCounted:
    """Of one process. `methods`: their rows, what their calls would have taken in ns, and its variance; `parts`: by slot of the others."""

    methods: list[tuple[MethodRow, float, float]] = field(default_factory=list)
    parts: dict[int, float] = field(default_factory=dict)

    def add(self, row: MethodRow, calls: int, self_ns: float, variance: float) -> None:
        """A method of which each call took so long in an earlier run."""
        ns, squares = calls * self_ns, calls * calls * variance
        if isfinite(squares) and 0 <= ns <= LONGEST_NS:
            self.methods.append((row, ns, abs(squares)))

    def add_part(self, slot: int, part: float) -> None:
        """A method with frames, whose slot in the tree is this."""
        if 0 < part <= 1:
            self.parts[slot] = part

    def extend(self, other: OnlyCounted) -> None:
        self.methods += other.methods
        self.parts |= other.parts

    def take(self, root: Call, outside_ns: int, nodes: list[tuple[Call, int, int]]) -> int:
        """Divides the time of these nodes of the process's tree (its calls, slots and CPU times) and of the empty path, which has so much of
        this process. Returns what the methods have of it."""
        expected = sum(ns for _, ns, _ in self.methods)
        shares = [(call, cpu, cpu * self.parts[slot]) for call, slot, cpu in nodes if slot in self.parts]
        known = sum(share for *_, share in shares)
        scale = expected / known if known > 0 else 0.0
        found = sum(move(call, min(cpu, round(share * scale))) for call, cpu, share in shares)
        found += move(root, min(outside_ns, max(0, round(expected) - found)))
        for row, ns, squares in self.methods:
            row.remembered_ns += ns * min(1, found / expected) if expected else 0
            row.remembered_squares += squares
        return found


def move(call: Call, ns: int) -> int:
    """Moves so much of the CPU time, and of wall time, to what is only counted below; returns it."""
    if ns <= 0 or ns > call.cpu:
        return 0
    below, part, wall = call.child(ONLY_COUNTED), ns / call.cpu, min(ns, call.wall)
    below.cpu += ns
    below.wall += wall
    below.cpu_squares += call.cpu_squares * part * part
    below.wall_squares += call.wall_squares * part * part
    call.cpu -= ns
    call.wall -= wall
    call.cpu_squares *= (1 - part) ** 2
    return ns

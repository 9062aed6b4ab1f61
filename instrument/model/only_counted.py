"""Times of methods with a budget that are only counted: they have no frames, so that samples give their time to their callers.

1. What a call takes by itself is known from an earlier run, and of each caller what part of its own time such methods are (native/counting/budget.c).
2. This part of what the caller takes now goes to a path ONLY_COUNTED below it; less, where the calls of this run are fewer. What an earlier run
   found outside of all methods with frames is taken from the empty path.
3. It is divided among the methods by what their calls would have taken then, which is no more than that. So no time is in two rows: their sum
   is at most what ran.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import Protocol

from classhook.model.call_tree import Call, MethodKey

ONLY_COUNTED: MethodKey = ("", "[counted]", "")
LONGEST_NS = 1e18  # what is more is damaged


class Remembering(Protocol):
    """A method's row, as far as it has times that an earlier run found: in ns, and their variance."""

    remembered_ns: float
    remembered_squares: float


@dataclass(slots=True)
class OnlyCounted:
    """Of one process. `methods`: their rows, what their calls would have taken in ns, its variance, and the part that was outside; `parts`: by
    slot of the others."""

    methods: list[tuple[Remembering, float, float, float]] = field(default_factory=list)
    parts: dict[int, float] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.methods)

    def add(self, row: Remembering, calls: int, self_ns: float, variance: float, outside: float) -> None:
        """A method of which each call took so long in an earlier run."""
        ns, squares = calls * self_ns, calls * calls * variance
        if isfinite(squares) and 0 <= ns <= LONGEST_NS and 0 <= outside <= 1:
            self.methods.append((row, ns, abs(squares), outside))

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
        outside = sum(ns * part for _, ns, _, part in self.methods)
        inside = sum(ns for _, ns, *_ in self.methods) - outside
        shares = [(call, cpu * self.parts[slot]) for call, slot, cpu in nodes if slot in self.parts]
        known = sum(share for _, share in shares)
        fewer = min(1, inside / known) if known > 0 else 0
        found = sum(move(call, int(share * fewer)) for call, share in shares)
        found_outside = move(root, min(outside_ns, int(outside)))
        for row, ns, squares, part in self.methods:
            of_outside = ns * part * found_outside / outside if outside > 0 else 0
            row.remembered_ns += of_outside + (ns * (1 - part) * min(1, found / inside) if inside > 0 else 0)
            row.remembered_squares += squares
        return found + found_outside


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

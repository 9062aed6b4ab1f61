"""A log-linear histogram of times: octaves of 32 linear steps, as native/timing/timing_records.h fills them.

Octave 0 holds 0..31 ticks, a step each; octave n holds [32 << (n-1), 64 << (n-1)), a step 1 << (n-1) ticks wide. The
middle of a step is at most 1/64 from any value in it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from math import ceil
from struct import unpack

STEPS = 32


class Histogram:
    """Counts by time in ns, where each time is the middle of a step."""

    __slots__ = ("counts",)

    def __init__(self) -> None:
        self.counts: dict[float, int] = {}

    def add_octave(self, octave: int, steps: memoryview, ns_per_tick: float) -> None:
        """Adds one octave's counts, a 64-bit integer for each step."""
        counts = self.counts
        for middle, count in zip(middles(octave), unpack(f"={STEPS}Q", steps), strict=True):
            if count:
                middle *= ns_per_tick
                counts[middle] = counts.get(middle, 0) + count

    def add(self, other: Histogram) -> None:
        """Adds another one's counts."""
        for time, count in other.counts.items():
            self.counts[time] = self.counts.get(time, 0) + count

    def percentiles(self, fractions: list[float], least: int, most: int) -> list[int]:
        """The times in ns that these fractions of the activations did not exceed; within [least, most]."""
        return [max(least, min(most, round(value))) for value in self.values(fractions)]

    def values(self, fractions: Sequence[float]) -> list[float]:
        """The middle of the step in which the percentile of each fraction is; 0 if nothing was counted."""
        values = sorted(self.counts)
        ranks = list(accumulate(self.counts[value] for value in values))
        found: list[float] = []
        for fraction in fractions:
            rank = max(1, ceil(fraction * ranks[-1])) if ranks else 0
            found.append(values[bisect_left(ranks, rank)] if ranks else 0)
        return found


@cache
def middles(octave: int) -> tuple[float, ...]:
    """The middles of an octave's steps, in ticks."""
    return tuple(middle_of(octave, step) for step in range(STEPS))


def middle_of(octave: int, step: int) -> float:
    """The middle of a step, in ticks."""
    if octave == 0:
        return float(step)
    width = 1 << (octave - 1)
    return float((STEPS + step) * width) + (width - 1) / 2

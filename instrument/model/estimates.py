"""Times of calls that were not timed, estimated from those that were, with standard errors. Only reports import this.

Each timed activation has a weight, the mean number of calls between two that are timed; which ones are is random. The
mean of those that were not timed is the weighted mean; its variance is that of a ratio of two sums (W. G. Cochran,
Sampling Techniques, 1977, 6.3).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

MOST = 1e60  # no sum of weights, times and their squares is as large, in any unit of a clock


@dataclass(slots=True)
class Spread:
    """Sums over `n` activations of their weights w and times x: of w, w², wx, w²x and w²x²; times in ns."""

    n: int = 0
    w: float = 0
    ww: float = 0
    wx: float = 0
    wwx: float = 0
    wwxx: float = 0

    def add(self, n: int, w: float, ww: float, *sums: float, scale: float) -> None:
        """Adds sums of another block, whose times are in units of `scale` ns."""
        wx, wwx, wwxx = sums
        self.n += n
        self.w += w
        self.ww += ww
        self.wx += wx * scale
        self.wwx += wwx * scale
        self.wwxx += wwxx * scale * scale

    def shift(self, ns: float) -> None:
        """Takes this off each time."""
        self.wwxx += ns * ns * self.ww - 2 * ns * self.wwx
        self.wwx -= ns * self.ww
        self.wx -= ns * self.w

    def estimate(self, calls: int, known: int, known_sum: int) -> tuple[int, int]:
        """The sum of the times of so many calls that were not timed, and its standard error, in ns. `known`: how many
        others were timed, and the sum of their times, for a guess where no sample is there."""
        if calls <= 0:
            return 0, 0
        if not self.n or self.w <= 0:
            guess = round(known_sum * calls / known) if known else 0
            return guess, abs(guess)
        mean = self.wx / self.w
        if self.n == 1:
            return round(mean * calls), round(abs(mean) * calls)
        spread = max(0.0, self.wwxx - 2 * mean * self.wwx + mean * mean * self.ww) * self.n / (self.n - 1)
        return round(mean * calls), round(calls / self.w * sqrt(spread))


def sampled(record: Any) -> int:
    """The number of activations of a struct ch_record that stand for others."""
    return int(record.sampled.n)


def of_record(total: Spread, own: Spread, record: Any, scale: float) -> None:
    """Adds a struct ch_record's activations that stand for others, whose clock counts `scale` ns. Raises ValueError if
    the record is damaged."""
    s, n = record.sampled, sampled(record)
    sums = (s.n, s.w, s.ww, s.wwtt, s.wwss, record.callee_squares)
    if (
        not (all(0 <= one < MOST for one in sums) and all(abs(one) < MOST for one in (s.wt, s.wwt, s.ws, s.wws)))
        or 0 < s.w < 1
    ):
        raise ValueError(f"impossible sums over activations: {sums}")  # each weight is at least 1
    total.add(n, s.w, s.ww, s.wt, s.wwt, s.wwtt, scale=scale)
    own.add(n, s.w, s.ww, s.ws, s.wws, s.wwss, scale=scale)

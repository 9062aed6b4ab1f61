"""Histograms whose buckets grow by a factor, as OpenTelemetry and Prometheus (native histograms) have them: those of
several machines add up, and then tell percentiles.

Bucket i of scale s holds what is more than b^i and at most b^(i+1), where b = 2^(2^-s). A bucket of scale s is two of
scale s + 1, so histograms of different scales add up, too
(https://opentelemetry.io/docs/specs/otel/metrics/data-model/#exponentialhistogram).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, inf, log2
from typing import NamedTuple

FINEST, COARSEST = 5, -10  # scales; the finest has 32 buckets for each power of two, as classhook's own histograms
MOST = 160  # buckets, as OpenTelemetry's own SDKs have


class Exponential(NamedTuple):
    """`counts`: of the buckets from `offset` on; `zeros`: how many values were 0; `sum`: of the values."""

    scale: int
    offset: int
    counts: list[int]
    zeros: int
    sum: float

    @property
    def number(self) -> int:
        return self.zeros + sum(self.counts)


def exponential(counts: Mapping[float, int], factor: float = 1.0, largest: float = inf) -> Exponential:
    """Makes a histogram from counts by value, each taken `factor` times, in at most MOST buckets; without values below
    0. `largest`: of the values that were counted, of which `counts` may have the middles of steps."""
    values = {value * factor: count for value, count in counts.items() if count and value > 0}
    zeros = sum(count for value, count in counts.items() if value == 0)
    if not values:
        return Exponential(0, 0, [], zeros, 0.0)
    least, most = min(values), max(values)
    scale = next(
        (one for one in range(FINEST, COARSEST, -1) if bucket(most, one) - bucket(least, one) < MOST), COARSEST
    )
    offset = bucket(least, scale)
    found = [0] * (bucket(most, scale) - offset + 1)
    for value, count in values.items():
        found[bucket(value, scale) - offset] += count
    return Exponential(scale, offset, found, zeros, sum(min(value, largest) * count for value, count in values.items()))


def bucket(value: float, scale: int) -> int:
    """The number of the bucket that a value above 0 belongs to."""
    return ceil(log2(value) * 2.0**scale) - 1

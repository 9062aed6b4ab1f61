"""Exponential histograms against the definition of OpenTelemetry, and percentiles of several added up against numpy's
of all values."""

from __future__ import annotations

import random
from collections import Counter
from math import inf

import numpy as np
import pytest

from classhook.reports.exponential_histogram import MOST, Exponential, bucket, exponential


def coarser(one: Exponential, scale: int) -> Counter[int]:
    """Its buckets at a coarser scale, as the data model adds histograms up."""
    found: Counter[int] = Counter()
    for at, count in enumerate(one.counts):
        found[(one.offset + at) >> (one.scale - scale)] += count
    return found


def percentile(buckets: Counter[int], scale: int, fraction: float) -> tuple[float, float]:
    """The limits of the bucket that has it."""
    rank = fraction * buckets.total()
    for at in sorted(buckets):
        rank -= buckets[at]
        if rank <= 0:
            return float(2 ** (at * 2.0**-scale)), float(2 ** ((at + 1) * 2.0**-scale))
    raise AssertionError


def test_histograms_of_two_machines_tell_the_percentiles_of_both() -> None:
    chance = random.Random(7)
    quick = [chance.lognormvariate(-12, 0.4) for _ in range(5000)]
    slow = [chance.lognormvariate(-5, 2.5) for _ in range(5000)]
    one, other = (exponential(Counter(values)) for values in (quick, slow))
    assert one.scale > other.scale, "the wider one is coarser"
    scale = min(one.scale, other.scale)
    both = coarser(one, scale) + coarser(other, scale)
    for fraction in (0.1, 0.5, 0.9, 0.99):
        low, high = percentile(both, scale, fraction)
        assert low / 1.001 <= np.quantile(quick + slow, fraction, method="inverted_cdf") <= high * 1.001
        assert high / low < 1.2


@pytest.mark.parametrize("values", [[1.0], [2.0**-40, 2.0**40], [5e-324, 1e308], [0.0], [], [0.0, 3.0, 3.0]])
def test_nothing_is_lost(values: list[float]) -> None:
    found = exponential(Counter(values))
    assert (found.number, found.zeros) == (len(values), values.count(0.0))
    assert len(found.counts) <= MOST
    assert found.sum == sum(values)


@pytest.mark.parametrize("scale", [-2, -1, 0])
def test_a_bucket_has_its_upper_limit(scale: int) -> None:
    assert bucket(1.0, scale) == -1
    assert bucket(1.0000001, scale) == 0
    assert bucket(2.0 ** (2.0**-scale), scale) == 0


def test_values_are_scaled_and_the_sum_does_not_exceed_what_was_measured() -> None:
    found = exponential({2_000_000_000.0: 3}, 1e-9, 1.9)
    assert found.sum == pytest.approx(5.7)
    assert exponential({2.0: 3}, 1.0, inf).sum == 6

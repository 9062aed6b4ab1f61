"""The histogram of times, filled as native/timing/timing_records.c does: any value is accurate to 3 %, percentiles
agree with a sorted list."""

from __future__ import annotations

from math import ceil
from struct import pack

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from classhook.model.time_histogram import STEPS, Histogram, middle_of
from classhook.native._layout import lib

LARGEST = (1 << (lib.CH_OCTAVES + 4)) - 1
FRACTIONS = [0.5, 0.9, 0.99]

powers = st.integers(0, 51).map(lambda n: 1 << n)
times = st.one_of(st.integers(0, 100), st.integers(0, LARGEST), powers, powers.map(lambda n: 2 * n - 1))


def place(ticks: int) -> tuple[int, int]:
    """Octave and step, as computed by ch_octave_of in native/timing/timing_records.h."""
    octave = 0 if ticks < STEPS else ticks.bit_length() - 5
    return octave, ticks >> (octave - 1) & (STEPS - 1) if octave else ticks


def histogram_of(values: list[int], ns_per_tick: float = 1.0) -> Histogram:
    histogram = Histogram()
    for octave, counts in octaves_of(values).items():
        histogram.add_octave(octave, memoryview(pack(f"={STEPS}Q", *counts)), ns_per_tick)
    return histogram


def test_the_layout_is_the_headers() -> None:
    assert lib.CH_OCTAVE_STEPS == STEPS
    assert place(LARGEST) == (lib.CH_OCTAVES - 1, STEPS - 1)


@given(times)
@example(0)
@example(31)
@example(32)
@example(LARGEST)
def test_any_time_is_known_to_three_percent(ticks: int) -> None:
    middle = middle_of(*place(ticks))
    assert abs(middle - ticks) <= 0.03 * ticks
    assert abs(middle - ticks) <= ticks / 64


def test_steps_follow_each_other() -> None:
    middles = [middle_of(octave, step) for octave in range(lib.CH_OCTAVES) for step in range(STEPS)]
    assert middles == sorted(set(middles))


@given(st.lists(times, min_size=1, max_size=300), st.sampled_from([1.0, 0.4, 0.2500013, 3.0]))
def test_percentiles_agree_with_a_sorted_list(values: list[int], ns_per_tick: float) -> None:
    ordered = sorted(values)
    least, most = round(ordered[0] * ns_per_tick), round(ordered[-1] * ns_per_tick)
    found = histogram_of(values, ns_per_tick).percentiles(FRACTIONS, least, most)
    for fraction, ns in zip(FRACTIONS, found, strict=True):
        exact = ordered[max(0, ceil(fraction * len(ordered)) - 1)] * ns_per_tick
        assert abs(ns - exact) <= 0.03 * exact + 1
        assert least <= ns <= most
    assert found == sorted(found)


@given(st.lists(times, min_size=1, max_size=50), st.lists(times, min_size=1, max_size=50))
def test_two_histograms_add_up(one: list[int], other: list[int]) -> None:
    both = histogram_of(one)
    for octave, counts in octaves_of(other).items():
        both.add_octave(octave, memoryview(pack(f"={STEPS}Q", *counts)), 1.0)
    assert both.counts == histogram_of(one + other).counts


def octaves_of(values: list[int]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for value in values:
        octave, step = place(value)
        found.setdefault(octave, [0] * STEPS)[step] += 1
    return found


@pytest.mark.parametrize(("least", "most"), [(0, 0), (5, 5)])
def test_no_activation_has_no_percentiles_but_the_bounds(least: int, most: int) -> None:
    assert Histogram().percentiles(FRACTIONS, least, most) == [least] * 3

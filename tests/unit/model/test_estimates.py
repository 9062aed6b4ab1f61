"""Estimates of the times of calls that were not timed: right on average, and as far off as their errors say."""

from __future__ import annotations

import random

import pytest

from classhook.model.estimates import Spread


def estimated(times: list[float], every: int, seed: int) -> tuple[int, int]:
    """The sum of all times by a random sample, and its error."""
    choice, spread, at = random.Random(seed), Spread(), 0
    while (at := at + choice.randint(1, 2 * every - 1)) < len(times):
        x, w = times[at], float(every)
        spread.add(1, w, w * w, w * x, w * w * x, w * w * x * x, scale=1.0)
    return spread.estimate(len(times), 0, 0)


@pytest.mark.parametrize("pattern", ["even", "growing", "every 10th"])
def test_the_truth_is_within_two_errors_in_19_of_20_runs(pattern: str) -> None:
    times = [
        {"even": 100.0 + i % 7, "growing": float(i), "every 10th": 1000.0 if i % 10 == 0 else 10.0}[pattern]
        for i in range(20_000)
    ]
    runs = [estimated(times, 50, seed) for seed in range(400)]
    near = sum(abs(value - sum(times)) <= 2 * error for value, error in runs)
    assert near / len(runs) >= 0.92
    mean = sum(value for value, _ in runs) / len(runs)
    assert abs(mean / sum(times) - 1) < 0.02


def test_without_a_sample_what_is_known_is_a_guess() -> None:
    assert Spread().estimate(10, 5, 500) == (1000, 1000)
    assert Spread().estimate(10, 0, 0) == (0, 0)
    assert Spread().estimate(0, 5, 500) == (0, 0)


def test_of_one_sample_nothing_is_known_but_its_size() -> None:
    one = Spread()
    one.add(1, 4, 16, 400, 1600, 160_000, scale=0.5)
    assert one.estimate(8, 0, 0) == (400, 400)

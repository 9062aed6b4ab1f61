"""Tests that are run again: which attempt counts, and which is flaky."""

from __future__ import annotations

import pytest

from classhook.model.retried_tests import retried_tests
from classhook.model.test_runs import TestRun


def run_of(attempt: int, status: str, pid: int = 1) -> TestRun:
    name = f"A::b (attempt {attempt})" if attempt > 1 else "A::b"
    return TestRun(name, "A", "b", "b", "test", status, 0, 1, "", attempt, "main", pid=pid)


@pytest.mark.parametrize(
    ("statuses", "retried", "flaky"),
    [
        (("passed",), [], []),
        (("failed",), [], []),
        (("failed", "passed"), [1], [2]),
        (("failed", "failed", "passed"), [1, 2], [3]),
        (("failed", "failed"), [1], []),
        (("failed", "unfinished"), [1], []),
        (("passed", "passed"), [], []),  # by two parts of a suite
        (("passed", "failed"), [], []),
    ],
)
def test_attempts(statuses: tuple[str, ...], retried: list[int], flaky: list[int]) -> None:
    runs = [run_of(i, status) for i, status in enumerate(statuses, 1)]
    found = retried_tests(runs)
    assert [run.attempt for run in runs if found.is_retried(run)] == retried
    assert [run.attempt for run in runs if found.is_flaky(run)] == flaky


def test_other_jvms_are_apart() -> None:
    found = retried_tests([run_of(1, "failed", 1), run_of(1, "passed", 2)])
    assert not found.retried
    assert not found.flaky

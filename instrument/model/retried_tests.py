"""Tests that were run again in the same JVM after they failed: the last attempt counts, and one that passed then is
flaky."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from classhook.base.test_words import FAILED, PASSED
from classhook.model.test_runs import TestRun


@dataclass(frozen=True, slots=True)
class RetriedTests:
    """`retried`: by number of the JVM and context, what failed and was run again; `flaky`: what passed after it had
    failed."""

    retried: frozenset[tuple[int, str]]
    flaky: frozenset[tuple[int, str]]

    def is_retried(self, run: TestRun) -> bool:
        return (run.pid, run.context) in self.retried

    def is_flaky(self, run: TestRun) -> bool:
        return (run.pid, run.context) in self.flaky


def retried_tests(runs: Iterable[TestRun]) -> RetriedTests:
    """The attempts of all executions. A test that passed and is run again, as by two parts of a suite, is not
    retried."""
    by_name: dict[tuple[int, str], list[TestRun]] = {}
    for run in runs:
        if run.is_test:
            name = run.context.removesuffix(f" (attempt {run.attempt})") if run.attempt > 1 else run.context
            by_name.setdefault((run.pid, name), []).append(run)
    retried, flaky = set(), set()
    for unsorted in by_name.values():
        tries, failed = sorted(unsorted, key=lambda run: run.attempt), False
        for run, following in zip(tries, [*tries[1:], None], strict=True):
            if run.status == FAILED and following is not None:
                failed = True
                retried.add((run.pid, run.context))
            elif run.status == PASSED and failed:
                failed = False
                flaky.add((run.pid, run.context))
            else:
                failed = False
    return RetriedTests(frozenset(retried), frozenset(flaky))

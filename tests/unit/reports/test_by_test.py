"""Tests of which a report says that they add nothing."""

from __future__ import annotations

from classhook.reports.coverage.by_test import ByTest, Test, _choose
from classhook.reports.coverage.context_coverage import Covers


def test_a_test_that_did_not_run_is_not_among_those_that_add_nothing() -> None:
    covered = {"a.java": Covers(0b11, 0)}
    found = ByTest(
        by="test",
        tests=[
            Test(1, "first", "passed", 1, covered),
            Test(2, "again", "passed", 1, covered),
            Test(3, "off", "skipped"),
            Test(4, "if", "aborted"),
        ],
    )
    _choose(found)
    assert [one.name for one in found.tests if not one.adds] == ["again"]

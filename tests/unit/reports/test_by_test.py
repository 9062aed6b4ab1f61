"""Coverage by test: what only one has, what adds nothing, and what failing tests ran."""

from __future__ import annotations

from math import sqrt
from types import SimpleNamespace
from typing import cast

import pytest

from classhook.model.snapshot import Snapshot
from classhook.reports.coverage.by_test import ByTest, by_test
from classhook.reports.coverage.told_apart import Covers, FileTold, numbers


def bits(*places: int) -> int:
    return sum([1 << place for place in places])


def told(lines: dict[str, tuple[int, ...]], statuses: dict[str, str] | None = None, kinds: dict[str, str] | None = None) -> ByTest:
    """By context, the lines of one file that it covered; "": outside of all."""
    names = ["", *(name for name in lines if name)]
    file = FileTold("a/B.java", bits(*range(1, 20)), {names.index(name): Covers(bits(*some)) for name, some in lines.items()})
    snapshot = Snapshot()
    runs = [
        SimpleNamespace(context=name, status=status, kind=(kinds or {}).get(name, "test"), duration_ns=10, started_unix_ns=i)
        for i, (name, status) in enumerate((statuses or {}).items())
    ]
    return by_test("test", names, [file], with_tests(snapshot, runs))


def with_tests(snapshot: Snapshot, runs: list[SimpleNamespace]) -> Snapshot:
    return cast("Snapshot", SimpleNamespace(tests=runs)) if runs else snapshot


def only(found: ByTest) -> dict[str, list[int]]:
    return {one.name: [line for covers in one.only.values() for line in numbers(covers.lines)] for one in found.tests}


def test_what_ran_outside_is_no_ones_alone() -> None:
    assert only(told({"": (1, 2), "x": (1, 3, 4), "y": (2, 4, 5)})) == {"x": [3], "y": [5]}


def test_containers_are_no_tests() -> None:
    found = told({"set-up": (1,), "x": (1, 2)}, {"set-up": "passed", "x": "passed"}, {"set-up": "container"})
    assert only(found) == {"x": [2]}
    assert {source: numbers(one.lines) for source, one in found.outside.items()} == {"a/B.java": [1]}


def test_what_adds_nothing_can_be_left_out_together() -> None:
    """x and y cover each other's lines: one of them is needed."""
    found = told({"x": (1, 2), "y": (1, 2), "z": (2, 3, 4), "none": ()})
    assert [one.name for one in found.superfluous] in (["x", "none"], ["y", "none"])
    kept = [one.files["a/B.java"].lines for one in found.tests if one.adds]
    assert len(kept) == 2
    assert kept[0] | kept[1] == bits(1, 2, 3, 4)


def test_suspicious_lines() -> None:
    statuses = {"bad": "failed", "worse": "failed", "good": "passed", "skipped": "skipped"}
    found = told({"bad": (1, 2), "worse": (1, 2, 3), "good": (2, 4), "skipped": (1,)}, statuses)
    suspects = {one.line: (one.failing, one.passing, one.score) for one in found.suspects}
    assert suspects == {1: (2, 0, 1.0), 2: (2, 1, pytest.approx(2 / sqrt(6))), 3: (1, 0, pytest.approx(1 / sqrt(2)))}
    assert [one.line for one in found.suspects] == [1, 2, 3]


def test_a_test_that_is_run_again_counts_as_it_ended_last() -> None:
    runs = [
        SimpleNamespace(context="x", status=status, kind="test", duration_ns=10, started_unix_ns=i) for i, status in enumerate(["failed", "passed"])
    ]
    file = FileTold("a/B.java", bits(1), {1: Covers(bits(1))})
    (test,) = by_test("test", ["", "x"], [file], with_tests(Snapshot(), runs)).tests
    assert (test.status, test.duration_ns) == ("passed", 20)
    assert by_test("context", ["", "x"], [file], with_tests(Snapshot(), runs)).tests[0].status == ""

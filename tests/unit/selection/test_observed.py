"""What a report has of tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from classhook.measures.methods.reader import METHODS, MethodRow
from classhook.model.snapshot import Snapshot
from classhook.model.test_runs import TestRun
from classhook.selection.observed import Observed, TestData, observed, share
from tests.unit.selection.conftest import Program

#: By context: what ran.
RAN = {
    "a.OrderTest": {("a.Table", "fill", "()[I")},
    "a.OrderTest::places": {("a.Check", "fits", "(I)Z")},
    "a.OrderTest::many(int) [1]": {("a.Slow", "make", "()V")},
    "a.OrderTest::many(int) [2]": {("a.Cache", "of", "()V")},
    "endpoint": {("a.Rates", "of", "(I)I")},
    "": {("a.Shape", "area", "()I")},
}


def snapshot(tests: Iterable[TestRun]) -> Snapshot:
    """A report with these tests."""
    found = Snapshot(tests=[*tests])

    def each(names: Iterable[str] | None = None) -> Iterator[tuple[str, Snapshot]]:
        for name, ran in RAN.items():
            one = Snapshot()
            one.tables[METHODS.name] = {key: MethodRow(calls=1) for key in ran} | {("a.Not", "called", "()V"): MethodRow()}
            yield name, one

    found.each_context = each
    return found


def run(context: str, method: str, status: str = "passed", parent: str = "a.OrderTest", kind: str = "test") -> TestRun:
    return TestRun(context, "a.OrderTest", method, method, kind, status, 0, 5, parent, 1, "main")


def test_tests_with_what_contains_them() -> None:
    template = "a.OrderTest::many(int)"
    runs = [
        run("a.OrderTest", "", parent="", kind="container"),
        run("a.OrderTest::places", "places"),
        run(template, "many", kind="container"),
        run("a.OrderTest::many(int) [1]", "many", parent=template),
        run("a.OrderTest::many(int) [2]", "many", "failed", parent=template),
    ]
    found = observed(snapshot(runs), {})
    set_up = {("a/Table", "fill()[I")}
    assert found.tests == {
        "a.OrderTest#places": TestData("passed", 5, {("a/Check", "fits(I)Z"), *set_up}),
        "a.OrderTest#many": TestData("failed", 10, {("a/Slow", "make()V"), ("a/Cache", "of()V"), *set_up}),
    }
    assert found.outside == {("a/Shape", "area()I"), ("a/Rates", "of(I)I")}, "what is in no test may belong to any"


def test_tests_that_rules_name() -> None:
    found = observed(snapshot([]), {})
    assert found.tests["#endpoint"].ran == {("a/Rates", "of(I)I")}
    assert found.outside == {("a/Shape", "area()I")}


@pytest.mark.parametrize(("name", "shared"), [("a/OrderTest", False), ("a/SharedTest", True)])
def test_tests_on_one_object(variant: Program, name: str, shared: bool) -> None:
    """One may leave something in a field for another."""
    dotted = name.replace("/", ".")
    one, other = TestData(ran={("a/Check", "fits(I)Z")}), TestData(ran={("a/Table", "fill()[I")})
    found = Observed({f"{dotted}#one": one, f"{dotted}#other": other})
    share(found, variant("same").classes)
    assert (one.ran == other.ran) == shared

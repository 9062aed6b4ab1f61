"""Facts about tests that a report has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from classhook.extensions.selection.observed import Observed, TestData, observed, share
from classhook.extensions.selection.program import Program as ProgramThere
from classhook.extensions.selection.record import Ran, what_ran
from classhook.measures.methods.reader import METHODS, MethodRow
from classhook.model.snapshot import Process, Snapshot
from classhook.model.test_runs import CLASS_FILES, ClassFileSum, TestRun
from tests.extensions.selection.unit.conftest import Program

#: By context: what ran.
RAN = {
    "a.OrderTest": {("a.Table", "fill", "()[I")},
    "a.OrderTest::places": {("a.Check", "fits", "(I)Z")},
    "a.OrderTest::many(int) [1]": {("a.Slow", "make", "()V")},
    "a.OrderTest::many(int) [2]": {("a.Cache", "of", "()V")},
    "a.GoneTest (discovery)": {("a.Gone", "make", "()V")},
    "endpoint": {("a.Rates", "of", "(I)I")},
    "": {("a.Shape", "area", "()I")},
}


def snapshot(tests: Iterable[TestRun]) -> Snapshot:
    """A report with these tests."""
    found = Snapshot(tests=[*tests])

    def each(names: Iterable[str] | None = None) -> Iterator[tuple[str, Snapshot]]:
        for name, ran in RAN.items():
            one = Snapshot()
            one.tables[METHODS.name] = {key: MethodRow(calls=1) for key in ran} | {
                ("a.Not", "called", "()V"): MethodRow()
            }
            yield name, one

    found.each_context = each
    return found


def run(context: str, method: str, status: str = "passed", parent: str = "a.OrderTest", kind: str = "test") -> TestRun:
    return TestRun(context, "a.OrderTest", method, method, kind, status, 0, 5, parent, 1, "main")


def test_tests_with_what_contains_them() -> None:
    template = "a.OrderTest::many(int)"
    runs = [
        run("a.OrderTest", "", parent="", kind="container"),
        run("a.GoneTest (discovery)", "", parent="", kind="container"),
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
    other = {("a/Rates", "of(I)I"), ("a/Gone", "make()V")}
    assert found.outside == {("a/Shape", "area()I"), *other}, "what is in no test may belong to any"


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


def test_which_classes_ran() -> None:
    """By their checksums; by their times where another agent may have changed them."""
    there = ProgramThere(classes={"a/Shape": None}, modified={"a/Shape": 5}, sums={"a/Shape": (1, 2)})  # type: ignore[dict-item]
    ran = Observed(outside={("a/Shape", "area()I")})

    def known(start: int, *sums: ClassFileSum) -> Ran:
        report = Snapshot(processes=[Process(1, "", "", "", start, 0, "exit", "", 0, 0, 0, 0)])
        CLASS_FILES.set(report, {"a/Shape": {*sums}} if sums else {})
        return what_ran(report, ran, there)

    same, other, altered = ClassFileSum(1, 2, False), ClassFileSum(7, 2, False), ClassFileSum(7, 2, True)
    assert [known(start, same) for start in (4, 6)] == [Ran.THE_SAME] * 2
    assert [known(start, other) for start in (4, 6)] == [Ran.OTHERS] * 2
    assert [known(start, altered) for start in (4, 6)] == [Ran.OTHERS, Ran.BY_TIME]
    assert [known(start) for start in (4, 6)] == [Ran.OTHERS, Ran.THE_SAME], "data without checksums"

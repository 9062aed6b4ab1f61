"""JVMs that tests started: to which tests it belongs what ran in them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from classhook.extensions.selection.children import give
from classhook.extensions.selection.observed import Child, Observed, TestData, observed
from classhook.extensions.selection.processes import OTHERS, not_jvms
from classhook.measures.methods.reader import METHODS, MethodRow
from classhook.model.snapshot import Process, Snapshot
from classhook.model.test_runs import STARTED_BY, UNSEEN, Started, Starter, TestRun

PARENT, CHILD, GRANDCHILD = 10, 20, 30


def run(method: str, begin: int, end: int, pid: int = PARENT, parent: str = "a.ATest", kind: str = "test") -> TestRun:
    context = f"a.ATest::{method}" if method else "a.ATest"
    return TestRun(context, "a.ATest", method, method, kind, "passed", begin, end - begin, parent, 1, "main", pid=pid)


RUNS = [run("", 0, 100, parent="", kind="container"), run("first", 10, 20), run("second", 30, 40), run("third", 50, 60)]


def child(context: str, begin: int, end: int | None, pid: int = CHILD, of: int = PARENT, ran: str = "run()V") -> Child:
    return Child(Starter(of, context), pid, begin, end, {("a/Tool", ran)}, set())


def given(*children: Child, runs: list[TestRun] = RUNS) -> dict[str, set[str]]:
    """By test: what ran in it; in "": outside of all."""
    found = Observed(
        {f"a.ATest#{one.method}": TestData() for one in runs if one.is_test}, runs=runs, children=[*children]
    )
    give(found)
    return {name.partition("#")[2]: {member for _, member in test.ran} for name, test in found.tests.items()} | {
        "": {member for _, member in found.outside}
    }


NOWHERE: dict[str, set[str]] = {"first": set(), "second": set(), "third": set(), "": set()}
RAN = {"run()V"}


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (child("a.ATest::second", 31, 39), {"second": RAN}),
        (
            child("a.ATest::first", 11, 35),
            {"first": RAN, "second": RAN, "third": RAN},
        ),  # all are in the class that ran meanwhile
        (child("a.ATest", 5, 99), {"first": RAN, "second": RAN, "third": RAN}),
        (child("a.BTest::other", 31, 39), {"": RAN}),
        (child("a.ATest::second", 31, 39, of=11), {"": RAN}),
    ],
    ids=["within its test", "after it", "of a class", "of an unknown test", "of an unknown JVM"],
)
def test_whose_it_is(one: Child, expected: dict[str, set[str]]) -> None:
    assert given(one) == NOWHERE | expected


def test_one_that_runs_on_belongs_to_tests_that_ran_meanwhile() -> None:
    alone = [run(name, begin, begin + 10, parent="") for name, begin in (("first", 10), ("second", 30), ("third", 50))]
    assert given(child("a.ATest::second", 31, 45), runs=alone) == NOWHERE | {"second": RAN}
    assert given(child("a.ATest::first", 11, 35), runs=alone) == NOWHERE | {"first": RAN, "second": RAN}
    assert given(child("a.ATest::second", 31, None), runs=alone) == NOWHERE | {"second": RAN, "third": RAN}, (
        "it was killed"
    )


def test_children_of_tests_that_a_child_runs() -> None:
    runs = [*RUNS, run("inner", 32, 34, pid=CHILD, parent="")]
    grandchild = child("a.ATest::inner", 33, 33, GRANDCHILD, CHILD, "grand()V")
    found = given(child("a.ATest::second", 31, 39), grandchild, runs=runs)
    assert found == NOWHERE | {"second": {"run()V", "grand()V"}, "inner": {"grand()V"}}


def test_tests_are_taken_out_where_it_is_not_known_what_ran() -> None:
    one = child("a.ATest::second", 31, 39)
    one.is_lost = True
    assert given(one).keys() == {"first", "third", ""}


def report(*runs: TestRun, unseen: bool = False) -> Snapshot:
    """The report of a JVM that a test started; one method ran in that test's context, another in each of `runs`."""
    process = Process(CHILD, "", "", "", 31, 8, "exit", "", 0, 0, 0, 0)
    STARTED_BY.set(process, Starter(PARENT, "a.ATest::second"))
    found = Snapshot(processes=[process], tests=[*runs])
    UNSEEN.set(found, {"a.ATest::second"} if unseen else set())

    def each(names: object = None) -> Iterator[tuple[str, Snapshot]]:
        for name in ("a.ATest::second", *(one.context for one in runs)):
            one = Snapshot()
            one.tables[METHODS.name] = {("a.Tool", name.rpartition("::")[2], "()V"): MethodRow(calls=1)}
            yield name, one

    found.each_context = each
    return found


def test_a_childs_data() -> None:
    found = observed(report(), {})
    assert (found.tests, found.outside, found.knows_files) == ({}, set(), True)
    assert found.children == [
        Child(Starter(PARENT, "a.ATest::second"), CHILD, 31, 39, {("a/Tool", "second()V")}, set())
    ]
    assert [one.is_seen for one in observed(report(unseen=True), {}).children] == [False]


def test_tests_that_a_child_runs_are_tests_too() -> None:
    found = observed(report(run("inner", 32, 34, CHILD, "")), {})
    both = {("a/Tool", "second()V"), ("a/Tool", "inner()V")}
    assert (found.tests, found.outside) == ({"a.ATest#inner": TestData("passed", 2, both)}, set())
    assert found.children[0].ran == both


GIT, SHELL, OUTSIDE = ("a.ATest::first", "/usr/bin/git"), ("a.ATest::second", "/bin/sh"), ("", "ls")


@pytest.mark.parametrize(
    ("started", "jvms", "children", "expected"),
    [
        ([GIT], [], [], ["git, started by a.ATest#first"]),
        ([GIT, GIT, OUTSIDE], [], [], ["git, started by a.ATest#first, and 1 other"]),
        ([OUTSIDE], [], [], ["ls, started outside of tests"]),
        ([SHELL], [], [child("a.ATest::second", 31, 39)], []),  # through the shell
        ([("a.ATest::second", "java")], [40], [child("a.ATest::second", 31, 39, pid=40)], []),
        ([SHELL], [41], [child("a.ATest::first", 11, 19, pid=41)], ["sh, started by a.ATest#second"]),
        (
            [("a.ATest::second", "java"), SHELL],
            [40],
            [child("a.ATest::second", 31, 39, pid=40)],
            ["sh, started by a.ATest#second"],
        ),
    ],
)
def test_processes_that_are_no_jvms(
    started: list[tuple[str, str]], jvms: list[int], children: list[Child], expected: list[str]
) -> None:
    all_started = [Started(Starter(PARENT, context), 40 + i, program) for i, (context, program) in enumerate(started)]
    assert not_jvms(all_started, jvms, children, RUNS) == [f"{OTHERS} ({text})" for text in expected]


def test_a_test_that_ran_again() -> None:
    """A child that the test's first run started, and that ran on, served the tests in between."""
    runs = [run("first", 10, 20, parent=""), run("second", 30, 40, parent=""), run("first", 50, 60, parent="")]
    assert given(child("a.ATest::first", 11, 35), runs=runs) == {"first": RAN, "second": RAN, "": set()}
    assert given(child("a.ATest::second", 31, 55), runs=runs) == {"first": RAN, "second": RAN, "": set()}

"""`time from A to B by KEY` (java/Intervals.java)."""

from __future__ import annotations

import pytest

from tests.conftest import Compiled, Jvm, Result, Run, classhook_command, execute

pytestmark = pytest.mark.every_jvm

RULES = [
    "time from Intervals$Queue::put to Intervals$Queue::take by arg0, result",
    "time from Intervals$Queue::put to Intervals$Queue::{take,none} by arg0, result",
    "time from Intervals::request to Intervals::answer by id",
    "time from Intervals::number to Intervals::same by result, arg0",
    "time from Intervals::again to Intervals::again by n",
    "time from Intervals::left to Intervals::right by key",
    "time from Intervals::open to Intervals::close by o",
]


@pytest.fixture(scope="module")
def intervals(jvm: Jvm, compiled: Compiled, run: Run) -> Result:
    result = run(RULES, jvm.java, "-Xcheck:jni", "-Xverify:all", "-Xmx64m", "-cp", compiled("Intervals"), "Intervals")
    assert (result.status, "WARNING" in result.stdout + result.stderr) == (0, False), result.stderr
    return result


def test_an_interval_ends_at_the_call_with_its_key(intervals: Result) -> None:
    rows = {(row["method"], row["key"]): row for row in intervals.report["keys"]}
    waited = rows["take", "from Intervals$Queue::put by arg0"]
    assert (waited["calls"], waited["kind"]) == (20, "chosen_by_key")
    assert waited["min_ns"] > 60e6, "objects are keys by themselves, and not by equals"
    assert rows["put", "to Intervals$Queue::take by arg0"]["calls"] == 20
    answered = rows["answer", "from Intervals::request by id"]
    assert answered["calls"] == 7, "a string is a key by its text; one without a begin, or with two ends, has no time"
    assert answered["min_ns"] > 30e6
    assert rows["request", "to Intervals::answer by id"]["calls"] == 10, "null is no key"
    assert rows["same", "from Intervals::number by result"]["calls"] == 1


def test_between_two_calls_of_one_method(intervals: Result) -> None:
    (row,) = (row for row in intervals.report["keys"] if row["method"] == "again" and row["kind"] == "chosen_by_key")
    assert row["calls"] == 4
    assert row["min_ns"] > 2e6


def test_keys_that_are_alike(intervals: Result) -> None:
    """Long strings that differ at their end, constants of two enums with one name, a float and a double."""
    rows = {row["method"]: row["calls"] for row in intervals.report["keys"] if row["key"].startswith("from ")}
    assert rows["right"] == 3


def test_intervals_that_never_end_have_a_limit(intervals: Result) -> None:
    """Intervals of objects that are gone make room: the program has more intervals than fit, but not at once."""
    rows = {(row["method"], row["key"]): row["calls"] for row in intervals.report["keys"]}
    assert rows["open", "to Intervals::close by o"] == 120_000
    assert ("close", "from Intervals::open by o") not in rows


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("time from A::b to A::c", "a rule `time from` needs `by`"),
        ("time from A::b by arg0", "a rule `time from` needs `to`"),
        ("time from A::b to A::c by arg0, arg1, arg2", "one for each end"),
        ("time from A::b to A::c by exception", "`exception` is no value of the call"),
        ("time from A::b to nothing by arg0", "a method is missing"),
        ("time from Intervals::open to Intervals::close by result", "open(Object) has no result"),
        ("time from Intervals::open to Intervals::answer by o, nosuch", "answer(long, String) has no parameter nosuch"),
    ],
)
def test_mistakes(rule: str, said: str, compiled: Compiled) -> None:
    done = execute([*classhook_command(), "check", "-e", rule, compiled("Intervals")])
    assert done.status in (1, 2)
    assert said in done.stdout + done.stderr

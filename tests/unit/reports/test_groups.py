"""Rows added up: nested calls of a group count once where the tree knows them, else the total says that it is a
bound."""

from __future__ import annotations

import io
import re
from typing import Any

from classhook.measures.methods.reader import MethodRow
from classhook.model.call_tree import Call
from classhook.model.snapshot import Snapshot
from classhook.model.time_histogram import Histogram
from classhook.reports import Options, matched_rows
from classhook.reports.filters import matcher
from classhook.reports.json import as_dict
from classhook.reports.selection import Selection
from classhook.reports.text import report as text_report
from tests.schema import check

A, B, OTHER = ("p.A", "a", "()V"), ("p.A", "b", "()V"), ("q.O", "o", "()V")


def timed(calls: int, total: int, own: int, **more: Any) -> MethodRow:
    row = MethodRow(
        calls=calls,
        timed=True,
        completed=calls,
        total_ns=total,
        self_ns=own,
        min_ns=own // calls,
        max_ns=total,
        rule="r",
        **more,
    )
    row.histogram = Histogram()
    row.histogram.counts = {float(total // calls): calls}
    return row


def snapshot(tree: bool) -> Snapshot:
    """a of 100 ns calls o of 70, which calls b of 30 twice."""
    found = Snapshot()
    found.tables["methods"] |= {A: timed(1, 100, 30), OTHER: timed(1, 70, 40), B: timed(2, 30, 30)}
    if tree:
        at = found.exact_tree
        for method, calls, wall in ((A, 1, 30), (OTHER, 1, 40), (B, 2, 30)):
            at = at.child(method)
            at.calls, at.wall = calls, wall
    return found


def grouped(found: Snapshot, by: str = "class", pattern: str = "") -> dict[str, dict[str, Any]]:
    Selection(matcher([pattern]) if pattern else None, by).apply(found)
    report = as_dict(found, Options())
    check(report)
    return {row["group"]: row for row in report["methods"]}


def test_the_tree_tells_the_outermost_calls_of_a_group_and_their_total() -> None:
    rows = grouped(snapshot(tree=True))
    assert (rows["p.A"]["calls"], rows["p.A"]["nested"], rows["p.A"]["completed"], rows["p.A"]["calls_is_bound"]) == (
        1,
        2,
        1,
        False,
    )
    assert (rows["p.A"]["self_ns"], rows["p.A"]["total_ns"], rows["p.A"]["mean_ns"], rows["p.A"]["total_is_bound"]) == (
        60,
        100,
        100,
        False,
    )
    assert (rows["p.A"]["min_ns"], rows["p.A"]["max_ns"], rows["p.A"]["p50_ns"]) == (15, 100, 15)
    assert (rows["q.O"]["calls"], rows["q.O"]["nested"], rows["q.O"]["total_ns"]) == (1, 0, 70)
    assert grouped(snapshot(tree=True), pattern="p.A")["p.A"]["total_ns"] == 100


def test_without_a_tree_the_total_is_a_bound() -> None:
    found = snapshot(tree=False)
    rows = grouped(found)
    assert (rows["p.A"]["self_ns"], rows["p.A"]["total_ns"], rows["p.A"]["total_is_bound"], rows["p.A"]["mean_ns"]) == (
        60,
        130,
        True,
        None,
    )
    assert (rows["q.O"]["total_ns"], rows["q.O"]["total_is_bound"]) == (70, False), "of one method it is its own"
    out = io.StringIO()
    text_report(found, Options(), out)
    assert "\n2 groups of timed methods by self: 100 ns in all\n" in out.getvalue()
    assert "≤130 ns" in out.getvalue()
    assert "≤ at most: the number is the sum over the methods of the group, " in out.getvalue()


def test_calls_are_exact_where_the_tree_has_those_of_the_group_only() -> None:
    """Timed methods without `tree`: what they take is in no path."""
    found = snapshot(tree=True)
    found.tables["methods"]["r.X", "x", "()V"] = timed(9, 90, 90)
    rows = grouped(found)
    assert (rows["p.A"]["calls"], rows["p.A"]["nested"], rows["p.A"]["calls_is_bound"]) == (1, 2, False)
    assert (rows["p.A"]["total_ns"], rows["p.A"]["total_is_bound"], rows["p.A"]["mean_ns"]) == (130, True, None)
    assert (rows["r.X"]["calls"], rows["r.X"]["nested"], rows["r.X"]["total_is_bound"]) == (9, 0, False)


def test_counting_knows_no_callers() -> None:
    found = Snapshot()
    found.tables["methods"] |= {A: MethodRow(calls=2), B: MethodRow(calls=5), OTHER: MethodRow(calls=3)}
    rows = grouped(found)
    assert [(rows[name]["calls"], rows[name]["calls_is_bound"]) for name in ("p.A", "q.O")] == [(7, True), (3, False)]
    out = io.StringIO()
    text_report(found, Options(), out)
    assert "≤7" in out.getvalue()
    assert "≤ at most: the number is the sum over the methods of the group, " in out.getvalue()


def test_a_method_that_recurses_is_a_group_of_its_outermost_calls() -> None:
    found = Snapshot()
    found.tables["methods"] |= {A: timed(10, 100, 100, recursed=True, outermost=2)}
    row = grouped(found)["p.A"]
    assert (row["calls"], row["nested"], row["completed"], row["mean_ns"]) == (2, 8, 2, 50)


def test_nested_calls_have_a_column_only_where_there_are_any() -> None:
    for by, shown in (("class", True), ("", False)):
        found, out = snapshot(tree=True), io.StringIO()
        Selection(None, by).apply(found)
        text_report(found, Options(), out)
        assert ("  nested  " in out.getvalue()) == shown


def test_methods_that_do_not_call_each_other_have_an_exact_total() -> None:
    found = Snapshot()
    found.tables["methods"] |= {A: timed(1, 100, 100), B: timed(2, 30, 30)}
    row = grouped(found)["p.A"]
    assert (row["total_ns"], row["total_is_bound"], row["mean_ns"]) == (130, False, 43)


def test_recursive_calls_have_no_mean() -> None:
    """A total of the outermost calls for each of all calls would be below the shortest."""
    found = Snapshot()
    found.tables["methods"] |= {A: timed(10, 100, 100, recursed=True), B: timed(2, 30, 30)}
    assert {row["method"]: row["mean_ns"] for row in as_dict(found, Options())["methods"]} == {"a": None, "b": 15}
    out = io.StringIO()
    assert matched_rows.report(found, Options(sort="calls"), out)
    assert re.search(r"^10 calls +100 ns in all +100 ns at most  p.A.a\(\)$", out.getvalue(), re.MULTILINE)
    assert grouped(found)["p.A"]["mean_ns"] is None


def test_counted_and_timed_methods_of_a_class_are_two_rows() -> None:
    found = snapshot(tree=False)
    found.tables["methods"]["p.A", "c", "()V"] = MethodRow(calls=7)
    Selection(None, "class").apply(found)
    rows = as_dict(found, Options())["methods"]
    assert [(row["kind"], row["calls"]) for row in rows if row["group"] == "p.A"] == [("timed", 3), ("counted", 7)]


def test_samples_of_a_group_count_once() -> None:
    found = Snapshot()
    found.tables["methods"] |= {A: MethodRow(calls=1, profiled=True), B: MethodRow(calls=1, profiled=True)}
    at: Call = found.calls
    for method, cpu in ((A, 5), (OTHER, 20), (B, 7)):
        at = at.child(method)
        at.cpu, at.cpu_squares = cpu, float(cpu)
    row = grouped(found)["p.A"]
    assert (row["cpu_self_ns"], row["cpu_total_ns"]) == (12, 32)

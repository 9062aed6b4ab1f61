"""Heads and notes of tables: numbers do not run together, and only what is shown is explained."""

from __future__ import annotations

import io
from typing import Any

import pytest

from classhook.measures.cpu.reader import SAMPLED
from classhook.measures.locks.reader import BLOCKED
from classhook.measures.methods.reader import MethodRow
from classhook.model.call_tree import Sampled
from classhook.model.reading.files import _suggest
from classhook.model.snapshot import RuleRow, Snapshot
from classhook.reports import Options
from classhook.reports.text import report
from classhook.rules.parse import parse_text


def text_of(snapshot: Snapshot, **options: Any) -> list[str]:
    out = io.StringIO()
    report(snapshot, Options(**options), out)
    return out.getvalue().splitlines()


def profiled(calls: int, thrown: int = 0) -> MethodRow:
    return MethodRow(
        calls=calls,
        profiled=True,
        exceptions=thrown,
        sampled=Sampled(cpu_self=3_000_000, cpu_total=5_000_000, wall_total=9_000_000),
    )


@pytest.mark.parametrize(
    ("columns", "note"),
    [
        (
            (),
            (
                "from samples: self, total and mean are CPU time; wall self and wall total are elapsed time; ± is the"
                " standard error of self"
            ),
        ),
        (("self", "wall", "calls"), "from samples: self is CPU time; wall total is elapsed time; calls are exact"),
        (
            ("total", "error", "calls", "thrown"),
            "from samples: total is CPU time; ± is the standard error of self; calls and thrown are exact",
        ),
        (("calls",), "calls are exact"),
    ],
)
def test_notes_are_about_the_columns_that_are_shown(columns: tuple[str, ...], note: str) -> None:
    snapshot = Snapshot()
    snapshot.tables["methods"] = {("a.B", "c", "()V"): profiled(3), ("a.B", "d", "()V"): profiled(4)}
    lines = text_of(snapshot, columns=columns)
    assert "2 profiled methods by CPU self: 6.00 ms of CPU time in all" in lines
    assert lines[-1].startswith(note), lines[-1]
    snapshot = Snapshot()
    snapshot.tables[SAMPLED.name] = {("a.B", "c", "()V"): SAMPLED.row(sampled=Sampled(cpu_self=3_000_000))}
    if "calls" not in columns:
        assert text_of(snapshot, columns=columns)[-1].startswith(
            "samples of all threads; self and total are CPU time; "
        )


def test_a_narrow_table_does_not_explain_columns_without_room() -> None:
    snapshot = Snapshot()
    snapshot.tables["methods"] = {("a.B", "c", "()V"): profiled(3)}
    text = text_of(snapshot, width=40)
    assert "from samples: self is CPU time; ± is the standard error of self" in text
    assert any(line.startswith("not shown: ") and "wall total" in line for line in text)


def test_calls_that_were_only_counted_are_not_running() -> None:
    """One run timed two calls, of which one has not returned; another one counted five."""
    row = MethodRow(timed=True, calls=2, completed=1, total_ns=10, self_ns=10)
    row.count(5)
    row.finish()
    snapshot = Snapshot()
    snapshot.tables["methods"] = {("a.B", "c", "()V"): row}
    assert text_of(snapshot)[-1].endswith("  a.B.c() (1 still running) (5 not timed)")
    row = MethodRow()
    row.count(5)
    row.finish()
    assert (row.calls, row.not_timed) == (5, 0), "it was not to be timed"


def test_threads_that_are_still_blocked_are_in_the_head() -> None:
    snapshot = Snapshot()
    key = ("a.B", "c", "()V", 7, "a.Lock", "blocked", "a.B.c(B.java:7)")
    snapshot.tables[BLOCKED.name] = {key: BLOCKED.row(event="blocked", pending=2, pending_ns=3_000_000)}
    assert "Blocked at monitors: 1 place, 0 completed times, 2 threads still blocked, 3.00 ms in all" in text_of(
        snapshot
    )
    snapshot.tables[BLOCKED.name] = {key: BLOCKED.row(event="blocked", count=4, total_ns=3_000_000)}
    assert "Blocked at monitors: 1 place, 4 times, 3.00 ms in all" in text_of(snapshot)


def test_a_class_that_another_rule_does_not_fit_says_nothing_about_a_name_that_is_wrong() -> None:
    for reason, described, expected in (
        (
            "rule-does-not-fit",
            set(),
            "this rule matched no method of the classes it names: time a.B::fnd; did you mean a.B::find?",
        ),
        (
            "loader-refuses",
            {"a.B"},
            "this rule matched no method of the classes it names: time a.B::fnd; did you mean a.B::find?",
        ),
        (
            "loader-refuses",
            set(),
            "this rule matched only classes that were not instrumented: time a.B::fnd; did you mean a.B::find?",
        ),
    ):
        (rule,) = parse_text("time a.B::fnd", "-e")
        snapshot = Snapshot(
            rules={rule.text: RuleRow(matched_classes=1)},
            parsed_rules={rule.text: rule},
            missed={("a.B", "find", "()V")},
        )
        snapshot.skipped["a.B", "", "", reason, "why"] = 1
        snapshot.classes_of[rule.text] = described
        _suggest(snapshot)
        assert expected in text_of(snapshot)

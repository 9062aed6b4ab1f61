"""The marks in tables: four, each explained below the table in which it is, in lines that fit."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest

from classhook.measures.calls.reader import CallRow
from classhook.measures.keys.reader import KeyRow
from classhook.measures.methods.reader import MethodRow
from classhook.measures.tables import tables
from classhook.measures.value.reader import ValueRow
from classhook.measures.watch.reader import CallRow as WatchedCall
from classhook.model.snapshot import Process, Snapshot
from classhook.reports import Options, matched_rows
from classhook.reports.comparison import Side, compared
from classhook.reports.comparison import text as comparison
from classhook.reports.text import report

MARKS = "~≤!+"
TIMES: dict[str, Any] = {"calls": 10, "timed": True, "completed": 10, "total_ns": 5000, "self_ns": 4000, "timings": 10}


def marked() -> Snapshot:
    """A row with each mark, and one without."""
    snapshot = Snapshot()
    snapshot.tables["methods"] = {
        ("a.B", "plain", "()V"): MethodRow(**TIMES),
        ("a.B", "own", "()V"): MethodRow(**{**TIMES, "self_ns": 900, "probes_ns": 1000}),
        ("a.B", "whole", "()V"): MethodRow(**TIMES, total_mostly_probes=True),
        ("a.B", "guess", "()V"): MethodRow(**TIMES, estimated=True, self_error=700, sample=10),
        ("a.B", "sampled", "()V"): MethodRow(calls=3, profiled=True),
        ("a.B", "bound", "()V"): MethodRow(calls=3, calls_bound=True),
    }
    snapshot.tables["keys"]["a.B", "key", "()V", "arg0", "k"] = KeyRow(calls=3, before=5)
    snapshot.tables["values"]["a.B", "value", "()V", "arg0", "int", "k"] = ValueRow(count=3, before=5, missing=2)
    snapshot.tables["call_sites"]["a.B", "site", "()V", 7, "a.C", "called", "()V"] = CallRow(calls=3, unfit=True)
    return snapshot


def text(snapshot: Snapshot, **options: Any) -> str:
    out = io.StringIO()
    report(snapshot, Options(**options), out)
    return re.sub(r"\x1b\[[\d;]*m", "", out.getvalue())


def test_there_are_four_marks_and_each_has_a_legend_of_its_own() -> None:
    words = [legend.words for table in tables() for section in table.sections for legend in section.legends]
    signs = [one for one in words if not re.match(r"[a-z]", one)]
    assert {
        sign
        for one in signs
        for sign in re.findall(r"[^\w\s]", one.partition(")")[0] if one[0] == "(" else one[0])
        if sign != "("
    } == set(MARKS)


def test_each_mark_is_explained_below_its_table() -> None:
    said = text(marked(), width=0)
    for row, mark, words in (
        ("a.B.own()", " !", "! in most calls"),
        ("a.B.whole()", " (total !)", "(total !) more than half"),
        ("a.B.guess()", " (1 of 10 timed)", "~ an estimate"),
        ("a.B.bound()", "", "≤ at most: the number"),
        ("a.B.key() [k]", " (≤5 more)", "≤ at most this many more calls"),
        ("a.B.value() arg0 [k]", " (≤5 more)", "≤ at most this many more values"),
        ("a.C.called()  <- a.B.site():7", " +", "+ only counted: in a constructor"),
    ):
        assert said.count(f"\n{words}") == 1, words
        place = re.search(f"{re.escape(row + mark)}$", said, re.MULTILINE)
        assert place is not None, row
        between = said[place.end() : said.index(f"\n{words}")]
        assert "\n\n" not in between, f"another table is between {row} and its legend"
    assert re.search(r"^ *≤3 .*  a\.B\.bound\(\)$", said, re.MULTILINE)
    assert re.search(r"^[ \d.%µnms]+ +10 .*  a\.B\.plain\(\)$", said, re.MULTILINE)


def test_what_no_row_has_and_no_column_shows_is_not_explained() -> None:
    snapshot = Snapshot()
    snapshot.tables["methods"]["a.B", "guess", "()V"] = MethodRow(**TIMES, estimated=True, self_error=700, sample=10)
    assert "\n~ an estimate" in text(snapshot)
    assert "an estimate" not in text(snapshot, columns=("calls",))
    assert "! " not in text(snapshot)


def test_one_line_of_an_answer_has_its_legend_too() -> None:
    out = io.StringIO()
    snapshot = marked()
    snapshot.tables["methods"] = {key: row for key, row in snapshot.tables["methods"].items() if key[1] == "own"}
    matched_rows.report(snapshot, Options(), out)
    assert "a.B.own() !\n" in out.getvalue()
    assert "\n! in most calls, more than half" in out.getvalue()


@pytest.mark.parametrize("width", [60, 80, 120])
def test_footnotes_fit_between_words_and_hang(width: int) -> None:
    whole = text(marked()).splitlines()
    lines = text(marked(), width=width, terminal=True).splitlines()
    assert max(map(len, lines)) <= width
    legends = {legend.words for table in tables() for section in table.sections for legend in section.legends}
    notes = [line for line in whole if line in legends]
    assert len(notes) == 8
    for note in notes:
        at = next(at for at, line in enumerate(lines) if line == note or (note.startswith(line) and len(line) > 20))
        shown = [lines[at]]
        while " ".join(line.strip() for line in shown) != note:
            at += 1
            assert re.match(r"  \S", lines[at]), (note, lines[at])
            shown.append(lines[at])
        assert (len(shown) > 1) == (len(note) > width)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_footnotes_of_a_comparison_fit(width: int) -> None:
    sides = []
    for calls in (3, 4):
        snapshot = Snapshot(processes=[Process(1, "17", "x", "java -cp a p.Main", 1, 10**9, "exit", "f", 0, 0, 0, 0)])
        snapshot.tables["methods"]["a.B", "plain", "()V"] = MethodRow(
            **{**TIMES, "calls": calls, "self_ns": 1000 * calls}
        )
        sides.append(Side(["data"], snapshot, {"x": [snapshot]}))
    out = io.StringIO()
    comparison.report(
        (sides[0], sides[1]), compared(sides[0], sides[1], ""), [], Options(width=width, terminal=True), out
    )
    notes = out.getvalue()[out.getvalue().index("? it is unknown") :].splitlines()
    assert max(map(len, notes)) <= width
    assert all(line.startswith("  ") for line in notes[1:])


def test_headings_of_comparisons_are_words() -> None:
    out = io.StringIO()
    side = Side(["data"], marked(), {})
    side.whole.processes.append(Process(1, "17", "x", "java -cp a p.Main", 1, 10**9, "exit", "f", 0, 0, 0, 0))
    comparison.report((side, side), compared(side, side, ""), [], Options(width=0), out)
    heads = [line.partition(" by change of ")[0] for line in out.getvalue().splitlines() if " by change of " in line]
    assert heads == [
        "Timed methods",
        "Profiled methods",
        "Counted methods",
        "Counted keys",
        "Counted call sites",
        "Recorded values",
    ]


def test_what_several_keys_divide_counts_once() -> None:
    snapshot = Snapshot()
    for by, key, calls in (("arg0", "x", 20), ("arg0", "y", 9), ("arg1", "x", 29)):
        snapshot.tables["keys"]["K", "q", "()V", by, key] = KeyRow(calls=calls)
    snapshot.tables["keys"]["K", "r", "()V", "arg0", "x"] = KeyRow(calls=1)
    assert text(snapshot).partition("keys: ")[2].splitlines() == [
        "30 calls",
        "calls         method [key]",
        "   29  96.7%  K.q() [x] by arg1",
        "   20  66.7%  K.q() [x] by arg0",
        "    9  30.0%  K.q() [y] by arg0",
        "    1   3.3%  K.r() [x]",
    ]
    side = Side(["data"], snapshot, {"x": [snapshot]})
    (keys,) = compared(side, side, "")
    assert keys.whole is not None
    assert keys.whole.after.value == 30


def test_the_name_of_a_rule_is_behind_the_arguments_of_a_call() -> None:
    snapshot = Snapshot(rule_names={"watch a.B::c": "mine"})
    row = WatchedCall(rule="watch a.B::c", count=1, took_ns=1000, thread="main", values=(("=x", 7),))
    snapshot.tables["calls"]["a.B", "c", "(I)V", 1, 0] = row
    out = io.StringIO()
    report(snapshot, Options(), out)
    assert "B.c(7)  [mine]" in out.getvalue()

"""Two sides compared: what is noise is none, what nobody knows says so, and thresholds break only beyond noise."""

from __future__ import annotations

import io
import json
from math import inf

import pytest
from jsonschema import Draft202012Validator

from classhook.measures.methods.reader import MethodRow
from classhook.model.call_tree import Sampled
from classhook.model.snapshot import Process, Snapshot
from classhook.reports import Options
from classhook.reports.comparison import Difference, Figure, Side, by_chance, compared
from classhook.reports.comparison.json import as_dict
from classhook.reports.comparison.text import report
from classhook.reports.comparison.thresholds import broken, parse, uncertain, unknown
from classhook.rules.errors import RuleError
from tests.schema import SCHEMA_FILE

SCHEMA = json.loads((SCHEMA_FILE.parent / "comparison" / "schema.json").read_text())
KEY = ("p.A", "a", "()V")
OTHER = ("p.A", "b", "()V")


def timed(own: int, calls: int = 10) -> MethodRow:
    return MethodRow(calls=calls, timed=True, completed=calls, total_ns=own, self_ns=own, rule="r")


def side(*runs: dict[tuple[str, str, str], MethodRow]) -> Side:
    """Repetitions of one command."""
    whole = Snapshot(processes=[Process(1, "17", "x", "java p.A", 0, 1, "exit", "f", 0, 0, 0, 0)] * len(runs))
    each = [Snapshot() for _ in runs]
    for rows, one in zip(runs, each, strict=True):
        one.tables["methods"] |= rows
        whole.tables["methods"] |= rows
    return Side(["d"], whole, {"java p.A": each})


def status(before: Side, after: Side, sort: str = "self") -> dict[str, str]:
    (section,) = compared(before, after, sort)
    return {row.key[1]: row.status for row in section.rows}


def test_a_difference_within_the_spread_of_runs_is_none() -> None:
    before = side(*({KEY: timed(own)} for own in (100, 120, 110, 105)))
    assert status(before, side(*({KEY: timed(own)} for own in (115, 108, 125, 110)))) == {"a": "same"}
    assert status(before, side(*({KEY: timed(own)} for own in (200, 220, 210, 205)))) == {"a": "changed"}


def test_a_run_that_is_slow_by_a_factor_hides_no_large_change() -> None:
    before = side(*({KEY: timed(own)} for own in (100_000, 110_000, 400_000, 105_000, 99_000)))
    assert status(before, side(*({KEY: timed(own)} for own in (900, 1000, 1100, 950, 3000)))) == {"a": "changed"}
    assert status(before, side(*({KEY: timed(own)} for own in (101_000, 120_000, 99_000, 100_000, 300_000)))) == {
        "a": "same"
    }


def test_of_single_runs_times_are_unknown_and_calls_exact() -> None:
    before, after = side({KEY: timed(100)}), side({KEY: timed(150, calls=11)})
    assert status(before, after) == {"a": "unknown"}
    assert status(before, after, "calls") == {"a": "changed"}
    assert status(before, side({KEY: timed(100)})) == {"a": "same"}


def test_three_runs_tell_a_multiple() -> None:
    before = side(*({KEY: timed(own)} for own in (100_000, 150_000, 85_000)))
    assert status(before, side(*({KEY: timed(own)} for own in (620_000, 400_000, 950_000)))) == {"a": "changed"}


def test_what_chance_allows_falls_with_every_degree_of_freedom() -> None:
    allowed = [by_chance(freedom) for freedom in (1, 1.5, 2, 2.5, 3, 3.9, 4, 9, 12, 20, 100, inf)]
    assert allowed == sorted(allowed, reverse=True)
    assert len(set(allowed)) == len(allowed)
    assert by_chance(20) == pytest.approx(2.845, rel=0.01)
    assert by_chance(100) == pytest.approx(2.626, rel=0.01)


def test_samples_have_errors_of_their_own() -> None:
    def profiled(cpu: int, error: float) -> Side:
        return side({KEY: MethodRow(calls=1, profiled=True, sampled=Sampled(cpu_self=cpu, cpu_self_error=error))})

    assert status(profiled(1000, 100), profiled(1200, 100)) == {"a": "same"}
    assert status(profiled(1000, 10), profiled(1200, 10)) == {"a": "changed"}


def test_rows_come_and_go() -> None:
    before, after = side({KEY: timed(100)}), side({OTHER: timed(300)})
    assert status(before, after) == {"b": "new", "a": "gone"}
    assert list(status(before, after)) == ["b", "a"], "the largest change first"


def test_repetitions_are_means_and_commands_add_up() -> None:
    before = side({KEY: timed(100)}, {KEY: timed(300)})
    before.runs["java p.B"] = side({KEY: timed(50)}).runs["java p.A"]
    (section,) = compared(before, side({KEY: timed(10)}), "self")
    assert section.rows[0].differences["self"].before.value == 250
    assert section.rows[0].differences["calls"].before == Figure(20, 0, 1)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (Figure(10), Figure(10), False),
        (Figure(10), Figure(11), True),
        (Figure(10, None), Figure(11), None),
        (Figure(10, None), Figure(10), False),
        (Figure(10, 1.0, inf), Figure(13, 1.0, inf), False),
        (Figure(10, 1.0, inf), Figure(14, 1.0, inf), True),
        (Figure(10, 1.0, 1), Figure(14, 1.0, 1), False),  # of two runs each, so much may be chance
    ],
)
def test_what_is_more_than_chance(before: Figure, after: Figure, expected: bool | None) -> None:
    assert Difference(before, after).significant is expected


BEFORE, AFTER = {KEY: timed(100_000_000)}, {KEY: timed(111_000_000, calls=11), OTHER: timed(5)}
SINGLE = side(BEFORE), side(AFTER)
STEADY = side(BEFORE, BEFORE, BEFORE), side(AFTER, AFTER, AFTER)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("self > +10%", ["a"]),
        ("self > +11.5%", []),
        ("self>+10ms", ["a"]),
        ("self > +12ms", []),
        ("self < -1%", []),
        ("calls > +0", ["b", "a"]),
        ("calls > +10%", []),
        ("calls>+9%,self > +10 %", ["a", "a"]),
        ("total > +0ns", ["a", "b"]),
    ],
)
def test_thresholds(text: str, rows: list[str]) -> None:
    assert [one.change.key[1] for one in broken(compared(*STEADY, "self"), parse(text))] == rows


def test_what_nobody_knows_breaks_no_threshold() -> None:
    sections = compared(side({KEY: timed(100)}), side({KEY: timed(150, calls=12)}), "self")
    assert broken(sections, parse("self > +10%, total > +1ns")) == []
    assert [one.expression for one in unknown(sections, parse("self > +10%, self > +60%, total > +1ns"))] == [
        "self > +10%",
        "total > +1ns",
    ]
    assert [one.expression for one in broken(sections, parse("calls > +1, calls > +10%"))] == [
        "calls > +1",
        "calls > +10%",
    ]


def test_noise_breaks_no_threshold() -> None:
    before = side(*({KEY: timed(own)} for own in (100, 300, 200)))
    sections = compared(before, side(*({KEY: timed(own)} for own in (200, 400, 300))), "self")
    assert broken(sections, parse("self > +10%")) == []
    assert [one.change.key[1] for one in uncertain(sections, parse("self > +10%"))] == ["a"]
    assert uncertain(sections, parse("self > +60%")) == []


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "expected a column"),
        ("sefl > +10%", 1, "there is no column `sefl`"),
        ("self 10%", 6, "expected `>` or `<`"),
        ("self > 10%", 8, "expected a change with its sign"),
        ("self > +x", 9, "expected a number"),
        ("self > +5", 10, "a change of `self` has another unit"),
        ("calls > +5ms", 11, "a change of `calls` has another unit"),
        ("calls > +5% please", 13, "the expression ends here"),
        ("calls > +5, self", 17, "expected `>` or `<`"),
    ],
)
def test_mistakes_have_a_caret(text: str, column: int, message: str) -> None:
    with pytest.raises(RuleError) as error:
        parse(text)
    assert message in str(error.value)
    assert error.value.column == column
    assert f"\n    {' ' * (column - 1)}^" in str(error.value)


def test_json_follows_its_schema_and_text_says_the_same() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    for sides in (
        SINGLE,
        (side(*({KEY: timed(own)} for own in (1, 2, 3))), side(*({KEY: timed(own)} for own in (2, 2, 3)))),
    ):
        sections = compared(*sides, "self")
        Draft202012Validator(SCHEMA).validate(as_dict(sides, sections, broken(sections, parse("calls > +0"))))
    out = io.StringIO()
    report(SINGLE, compared(*SINGLE, "self"), [], Options(), out)
    assert "p.A.a()" in out.getvalue()
    assert "+11.0 ms  +11.0%  ?  p.A.a()" in out.getvalue()
    assert "p.A.b()  [new]" in out.getvalue()
    assert "? it is unknown how much times vary between runs" in out.getvalue()

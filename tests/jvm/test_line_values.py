"""`value` at lines: numbers of local variables (java/LineValues.java)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Compiled, Jvm, Result, Run, classhook_command, execute

pytestmark = pytest.mark.every_jvm

RULES = [
    "value LineValues:10 of cents",
    "value LineValues:10 of item.cents by item.name",
    "value LineValues:10 of total by kind, thread",
    "value LineValues:10 of item.cents by cents top 2",
    "value LineValues:12 of total",
    "value LineValues:12-13 of total",  # the line of the rule before counts once
]


@pytest.fixture(scope="module")
def recorded(jvm: Jvm, compiled: Compiled, run: Run) -> Result:
    classes = compiled("LineValues", debug=True)
    result = run(RULES, jvm.java, "-Xcheck:jni", "-Xverify:all", "-cp", classes, "LineValues")
    assert (result.status, "WARNING" in result.stdout + result.stderr) == (0, False), result.stderr
    return result


def test_numbers_are_those_of_each_execution(recorded: Result) -> None:
    """Three times the prices 5, 7, and 100, 101 and 102."""
    rows = {(row["of"], row["by"], row["key"]): (row["count"], row["sum"]) for row in recorded.report["values"]}
    by_cents = {key: found for (of, by, key), found in rows.items() if by == "cents"}
    assert {key: found for key, found in rows.items() if key[1] != "cents"} == {
        ("cents (line 10)", "", ""): (9, 339),
        ("total (line 12)", "", ""): (3, 339),
        ("item.cents (line 10)", "item.name", "ab"): (3, 15),
        ("item.cents (line 10)", "item.name", "b"): (6, 324),
        ("total (line 10)", "kind, thread", "a, main"): (3, 0),
        ("total (line 10)", "kind, thread", "b, main"): (6, 51),
    }
    assert by_cents["7"] == (3, 21)
    assert sum(count for count, _ in by_cents.values()) == 9
    assert len(by_cents) <= 3
    assert recorded.report["classes"]["skipped"] == []


def checked(rule: str, classes: Path) -> str:
    done = execute([*classhook_command(), "check", "-e", rule, classes])
    assert done.status != 0
    return done.stdout + done.stderr


@pytest.mark.any_jvm
def test_what_a_line_does_not_have_is_said(compiled: Compiled) -> None:
    classes = compiled("LineValues", debug=True)
    there = "there are: items, total, item, cents, kind"
    assert f"there is no local variable price at line 10 of sum(List); {there}" in checked(
        "value LineValues:10 of price", classes
    )
    assert "is of type LineValues$Item, not a number" in checked("value LineValues:10 of item", classes)
    assert "no local variable no at line 10" in checked("value LineValues:10 of cents by no", classes)
    assert "keys of a line have no `sql(...)`" in checked("value LineValues:10 of cents by sql(item.name)", classes)
    assert "at a line, values are not calculated" in checked("value LineValues:10 of cents + 1", classes)
    assert "local variables and fields of these" in checked("value LineValues:10 of cents by cents + 1", classes)
    assert "a `value` rule says which number" in checked("value LineValues:10", classes)

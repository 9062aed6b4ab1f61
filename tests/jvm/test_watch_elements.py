"""Conditions on the elements of collections and arrays: `any` and `all` (java/watch/Elements.java)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Compiled, FindJvm, Jvm, Result, Run, classhook_command, execute, releases, run_line

LISTS, LINKED, RING, NULL, EMPTY, WITH_NULL, AT_LIMIT, BEYOND, MANY, SET, WRAPPED = range(11)
KNOWN = [LISTS, LINKED, RING, EMPTY, WITH_NULL, AT_LIMIT, SET, WRAPPED]
DEAR = [LISTS, LINKED, RING, WITH_NULL, AT_LIMIT, BEYOND, MANY, WRAPPED]
#: The program's line: `return items`.
SOURCE = Path(__file__).with_name("java") / "watch" / "Elements.java"
LINE = next(i for i, text in enumerate(SOURCE.read_text().splitlines(), 1) if "// the line" in text)
HOLDS = {
    "any(arg1.items, price > 100)": DEAR,
    "all(order.items, price > 100)": [LINKED, RING, EMPTY, AT_LIMIT, WRAPPED],
    "!any(arg1.items, price > 100)": [EMPTY, SET],
    "!all(arg1.items, price > 100)": [LISTS, WITH_NULL, SET],
    "any(arg1.items, it == null)": [WITH_NULL],
    "all(arg1.items, it != null && price >= 0)": [i for i in KNOWN if i != WITH_NULL],
    "any(arg1.items, price == 201)": [AT_LIMIT],
    "any(arg1.items, price < 100)": [LISTS, WITH_NULL, SET],  # of BEYOND, the last one
    "any(arg1.items, it instanceof Elements$Special && it.it == 5)": [WRAPPED],
    'any(arg1.items, any(tags, it == "t150") && name ~ "n*")': [LISTS, LINKED, RING, WITH_NULL],
    'all(arg1.items, any(tags, it == "all" || length < 1)) && arg0 < 3': [LISTS, LINKED, RING],
    "any(arg1.array, price * 2 > 500)": [WRAPPED],
    "any(arg1.codes, it == 150)": [LISTS, LINKED, RING, WITH_NULL],
    "all(arg1.codes, it % 50 == 0) && !all(arg1.codes, it > 60)": [LISTS],
    "any(arg1.rates, it < 1) && all(arg1.rates, it in {0.5, 2})": [*range(11)],
    "any(arg1.byName, price == 10)": [SET],
    'all(arg1.byName, name == "special") && arg0 > 4': [WRAPPED],
    "any(result, price > 100)": DEAR,
    "all(result, price > 100) || arg0 == 9": [LINKED, RING, EMPTY, AT_LIMIT, SET, WRAPPED],
    "arg1.items.size > 1 && any(arg1.items, price == 50)": [LISTS, WITH_NULL],
}


@pytest.fixture(scope="module", params=releases(17, 25), ids=lambda version: f"jdk{version}")
def result(request: pytest.FixtureRequest, find_jvm: FindJvm, compiled: Compiled, run: Run) -> Result:
    jvm: Jvm = find_jvm(request.param)
    rules = [f'watch Elements::place when {text} show arg0 as "{i}"' for i, text in enumerate(HOLDS)]
    rules.append(f'watch Elements:{LINE} when any(items, price > 100) show arg0 as "line"')
    rules.append("count Elements::place when all(arg1.items, price > 100)")
    done = run(rules, jvm.java, "-Xcheck:jni", "-Xverify:all", "-cp", compiled("watch"), "Elements")
    assert done.status == 0, done.stderr
    assert "WARNING" not in done.stdout + done.stderr  # of -Xcheck:jni
    return done


def shown(result: Result, name: str, rows: str = "calls") -> list[int]:
    of = "fields" if rows == "calls" else "values"
    return [row[of]["i"] for row in result.report[rows] if row["name"] == name]


def test_conditions_hold_for_any_or_all_elements(result: Result) -> None:
    assert {text: shown(result, f"{i}") for i, text in enumerate(HOLDS)} == HOLDS


def test_elements_are_read_at_lines_and_for_counts(result: Result) -> None:
    assert shown(result, "line", "executions") == DEAR
    assert [row["calls"] for row in result.report["keys"]] == [5]


@pytest.mark.any_jvm
def test_what_cannot_be_read_is_said(jvm: Jvm, compiled: Compiled, tmp_path: Path) -> None:
    rules = [
        "watch Elements::place when any(arg1.items, price > 100) && arg0 == 2",
        "watch Elements::place when any(arg1.array, nothing == 1)",
    ]
    done = execute(run_line(rules, tmp_path / "data", [jvm.java, "-cp", compiled("watch"), "Elements", "other"]))
    assert done.status == 0
    report = execute([*classhook_command(), "report", "-f", "json", tmp_path / "data"])
    assert json.loads(report.stdout)["calls"] == []
    said = (
        "a rule names elements in any or all, which objects of java.util.concurrent.ConcurrentLinkedQueue do not have"
    )
    assert said in report.stderr
    assert "a rule names the field nothing, which objects of Elements$Item do not have" in report.stderr

"""Conditions of `watch` on collections, patterns, types, threads and static fields: each holds for the calls that Java
says (Collected.java)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Compiled, FindJvm, Jvm, Result, Run, classhook_command, execute, releases, run_line

CHECKED = "-Xcheck:jni"
OWN = 27  # the number of the program's own list
QUEUE = 18  # that of a LinkedBlockingQueue

TEXTS = {
    'arg1 ~ "SELECT *"': [0, 3],
    'arg1 ~ "SELECT*"': [0, 1, 3],
    'arg1 ~ "*FROM*" && arg0 < 9': [0, 3],
    'arg1 ~ "*b"': [3, 6],
    'arg1 ~ "a*b"': [6],
    'arg1 ~ "a\\\\*b"': [6],
    'arg1 ~ "SELECT \\\\* *"': [0],
    'arg1 ~ "a*X*c"': [8],
    'arg1 ~ "*z*z*!"': [9],
    'arg1 ~ "x*y"': [7],
    'arg1 ~ "x?y"': [],
    'arg1 ~ "*" && arg0 < 100': [0, 1, 2, 3, 5, 6, 7, 8, 9],
    'arg1 ~ ""': [5],
    '!(arg1 ~ "*e*") && arg0 < 100': [0, 1, 3, 4, 5, 6, 7, 8, 9],
    '!(arg1 ~ "s*") && arg0 < 100': [0, 1, 3, 4, 5, 6, 7, 8, 9],
    '!(arg1 ~ "SEL*T") && arg0 < 3': [0, 2],
    'arg2 ~ "se*"': [2],
    "arg0 % 3 == 2": [2, 5, 8, 101],
    "arg0 % 2 != 0 && arg1.length % 2 == 1": [3, 9, 101],
    "arg0 * 2 - 1 > 10 && arg0 < 9": [6, 7, 8],
    "(arg0 + 1) * 2 in {4, 8}": [1, 3],
    "arg0 / 2 == 1.5 || 9.0 == arg0 * 1.0": [3, 9],
    "arg0 * arg0 > 100 - arg0 && arg0 - 2 < 10": [],
    "-1 == arg0 - 10 || arg0 > 3 * 33.4": [9, 101],
    "arg1.length - arg0 > 3": [0, 1, 2, 3, 9],
    "arg0 > arg1.length * 2 && arg0 < 100": [5],
    "100 / (arg0 - 3) > 20": [4, 5, 6, 7],
    "arg0 < 6 && !(100 / (arg0 - 3) < 0)": [4, 5],  # not by zero
    "arg2 + 1 == arg0 + 1": [1, 3, 5, 7, 9],
    "arg2 * 1 != arg0 && arg0 < 9": [4],  # null; no number
    'Collected$Config::limit - 2 == arg0 && thread == "main"': [1],
    "arg0 in {1, 4, 100}": [1, 4, 100],
    'arg1 in {"SELECT", "select", null}': [1, 2, 4],
    '!(arg1 in {"SELECT", ""}) && arg0 < 4': [0, 2, 3],
    "arg2 instanceof java.lang.Integer": [1, 3, 5, 7, 9],
    "arg2 instanceof java.lang.CharSequence": [0, 2, 6, 8],
    "!(arg2 instanceof java.lang.Comparable)": [4, 100, 101],
    'thread == "worker-7"': [100],
    'thread ~ "ma*" && arg0 > 8': [9, 101],
    "arg0 >= Collected$Config::limit && arg0 < 6": [3, 4, 5],
    "Collected$Config::limit == 5": [101],
    'Collected$Config::names[1] == "b" && arg0 == 1': [1],
    "arg0 > 9 && Collected$Config::names.length == 2": [100, 101],
    "Collected$Late::limit == 3": [],  # never initialised
    'arg0 == 101 && arg2[0] == "a"': [101],
    "arg0 == 101 && arg2[2] == null": [],
}
THROWN = {
    "thrown instanceof java.io.FileNotFoundException": [1],
    "thrown instanceof java.io.IOException": [1, 2],
    "thrown instanceof java.lang.Exception": [1, 2, 3],
    "!(thrown instanceof java.lang.Exception)": [0],
    'thrown.message ~ "*full*"': [2],
    "exception.message == null": [0, 3],
    "thrown != null && thrown.message == null": [3],
}


@pytest.fixture(scope="module", params=releases(17, 25), ids=lambda version: f"jdk{version}")
def result(request: pytest.FixtureRequest, find_jvm: FindJvm, compiled: Compiled, run: Run) -> Result:
    jvm: Jvm = find_jvm(request.param)
    rules = [f'watch Collected::text when {text} show arg0 as "text {i}"' for i, text in enumerate(TEXTS)]
    rules += [f'watch Collected::thrown when {text} show arg0 as "thrown {i}"' for i, text in enumerate(THROWN)]
    rules += [
        (
            f"watch Collected::list when arg0 < {OWN} && arg1.size == arg2 || arg0 > {OWN} && arg1.length == arg2 show"
            ' arg0 as "sizes"'
        ),
        f'watch Collected::list when arg0 != {OWN} && arg1[0] == arg3 show arg0 as "firsts"',
        f'watch Collected::list when arg0 > {OWN} && arg1[1] == 6 show arg0 as "numbers"',
        f'watch Collected::list when arg0 != {OWN} && arg1[99] == null show arg0 as "beyond"',
        'watch Collected::map when arg1.size == arg2 show arg0 as "map sizes"',
        'watch Collected::map when arg1["key"] == arg3 show arg0 as "values"',
        'watch Collected::map when arg1["key"] == "found" show arg0, arg1["key"], arg1.size as "found"',
        'watch Collected::map when arg1[9] == arg4 && arg4 != null show arg0 as "ninths"',
        'watch Collected::map when arg1["none"] != null show arg0 as "none"',
        f'watch Collected::list when !(arg0 in {{{QUEUE}, {OWN}}}) && any(arg1, it == "w0") show arg0 as "any"',
        f'watch Collected::list when !(arg0 in {{{QUEUE}, {OWN}}}) && all(arg1, it ~ "d*") show arg0 as "all"',
        'watch Collected::map when !(arg0 in {20, 21}) && any(arg1, it == "found") show arg0 as "any of map"',
        'watch Collected::map when !(arg0 in {20, 21}) && any(arg1, it == "n39") show arg0 as "last of map"',
    ]
    done = run(rules, jvm.java, CHECKED, "-cp", compiled("watch"), "Collected")
    assert done.status == 0, done.stderr
    assert "WARNING" not in done.stdout + done.stderr  # of -Xcheck:jni
    return done


def numbers(result: Result, name: str) -> list[int]:
    return [row["fields"]["i"] for row in result.report["calls"] if row["name"] == name]


def test_patterns_types_threads_and_static_fields(result: Result) -> None:
    assert {text: numbers(result, f"text {i}") for i, text in enumerate(TEXTS)} == TEXTS


def test_what_was_thrown(result: Result) -> None:
    assert {text: numbers(result, f"thrown {i}") for i, text in enumerate(THROWN)} == THROWN


def test_lists_have_the_size_and_the_elements_that_java_says(result: Result) -> None:
    assert numbers(result, "sizes") == [i for i in range(30) if i != OWN]
    ordered = [*range(1, 5), 6, 7, 8, 9, 10, 11, 12, 14, 15, 29]
    assert [i for i in numbers(result, "firsts") if i in ordered] == ordered
    assert numbers(result, "numbers") == [28]
    assert numbers(result, "beyond") == []
    assert numbers(result, "any") == [*range(1, 5), *range(6, 13), 14, 15, 17, 19, *range(21, 27), 29]
    assert numbers(result, "all") == [0, 5, 13, 16, 20]


@pytest.mark.any_jvm
def test_methods_of_the_programs_own_collections_are_not_called(jvm: Jvm, compiled: Compiled, tmp_path: Path) -> None:
    """The report names the class whose objects cannot be read, once for each rule."""
    rules = [
        f"watch Collected::list when arg0 == {OWN} && arg1.size == 7",
        'watch Collected::list when arg1[0] == "own"',
    ]
    done = execute(run_line(rules, tmp_path / "data", [jvm.java, CHECKED, "-cp", compiled("watch"), "Collected"]))
    assert (done.status, done.stdout.split()[0]) == (0, "0")
    report = execute([*classhook_command(), "report", "-f", "json", tmp_path / "data"])
    assert report.status == 1  # something that was asked for is missing
    assert json.loads(report.stdout)["calls"] == []
    assert "a rule names the field size, which objects of Collected$Own do not have" in report.stderr
    assert "a rule names elements in brackets, which objects of Collected$Own do not have" in report.stderr


def test_maps_have_the_size_and_the_values_that_java_says(result: Result) -> None:
    maps = int(result.stdout.split()[1])
    assert numbers(result, "map sizes") == [*range(maps)]
    rows: Any = [row for row in result.report["calls"] if row["name"] == "found"]
    found = [row["fields"]["i"] for row in rows]
    assert found == [1, 2, 3, 4, 5, 6, 7, 9, 11, 12, 13, 15, 22, 23]
    assert {row["fields"]['collection["key"]'] for row in rows} == {"found"}
    assert numbers(result, "ninths") == [16, 17, 18, 19]
    assert numbers(result, "none") == []
    assert numbers(result, "any of map") == found
    assert numbers(result, "last of map") == [16, 17, 18, 19]

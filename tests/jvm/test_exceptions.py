"""`count throws` and `count catches` (java/Exceptions.java)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Compiled, Jvm, Run, classhook_command, execute
from tests.jvm.test_contexts import contexts_of

pytestmark = pytest.mark.every_jvm

MISSING, IO, STATE, INDEX, OWN = (
    "java.io.FileNotFoundException",
    "java.io.IOException",
    "java.lang.IllegalStateException",
    "java.lang.IndexOutOfBoundsException",
    "Exceptions$Own",
)


def counted(rows: list[dict[str, Any]]) -> dict[tuple[str, str], int]:
    return {(row["method"], row["type"]): row["count"] for row in rows}


@pytest.mark.parametrize(
    ("types", "caught"),
    [
        (
            "*",
            {
                ("file", MISSING): 20,
                ("file", IO): 20,
                ("several", STATE): 40,
                ("loops", "java.lang.RuntimeException"): 5,
            },
        ),
        ("java.io.IOException+", {("file", MISSING): 20, ("file", IO): 20}),
        ("java.io.IOException, java.lang.Index*", {("file", IO): 20, ("several", INDEX): 40}),
        ("java.lang.Error", {}),
    ],
)
def test_handlers_count_by_their_types(
    types: str, caught: dict[tuple[str, str], int], jvm: Jvm, compiled: Compiled, run: Run
) -> None:
    result = run(
        [f"count catches {types} in Exceptions"], jvm.java, "-Xverify:all", "-cp", compiled("Exceptions"), "Exceptions"
    )
    assert (result.status, result.stdout.split()) == (0, ["241"])
    assert counted(result.report["exceptions"]) == caught


#: Exceptions that the program throws if it has an argument: their number, by method and type.
THROWN = {
    ("raise", IO): 20,
    ("raise", MISSING): 20,
    ("raise", STATE): 20,
    ("loops", "java.lang.RuntimeException"): 5,
    ("rethrows", MISSING): 5,
    ("cleans", OWN): 5,
    ("again", MISSING): 5,
    ("again", "java.lang.Error"): 1,
    ("nothing", "java.lang.NullPointerException"): 10,
}


@pytest.mark.parametrize(
    ("types", "fits"),
    [
        pytest.param("*", {*THROWN}, marks=pytest.mark.core),
        ("java.io.IOException", {("raise", IO)}),
        ("java.io.IOException+", {("raise", IO), ("raise", MISSING), ("rethrows", MISSING), ("again", MISSING)}),
        ("java.lang.IllegalStateException+", {("raise", STATE), ("cleans", OWN)}),
        ("java.lang.Illegal*, Exceptions$*", {("raise", STATE), ("cleans", OWN)}),
        ("java.util.**", set()),
    ],
)
def test_athrows_count_by_what_they_throw(
    types: str, fits: set[tuple[str, str]], jvm: Jvm, compiled: Compiled, run: Run
) -> None:
    rule = f'count throws {types} in Exceptions as "thrown"'
    mistyped = "count throws java.lang.Index*, java.io.IOExeption in Exceptions"
    result = run([rule, mistyped], jvm.java, "-Xverify:all", "-cp", compiled("Exceptions"), "Exceptions", "more")
    assert (result.status, result.stdout.split()) == (0, ["241", "20"])
    rows = result.report["exceptions"]
    assert counted(rows) == {at: count for at, count in THROWN.items() if at in fits}
    assert {(row["event"], row["name"]) for row in rows} <= {("throw", "thrown")}
    unmatched = [f"this rule matched nothing that was thrown: {mistyped}; did you mean {IO}?"]
    assert result.report["notes"] == [f"this rule matched nothing that was thrown: {rule}"] * (not fits) + unmatched


def test_other_rules_and_contexts_beside(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    rules = [
        "count throws java.lang.Error in Exceptions",
        "count throws * in Exceptions",
        "count catches * in Exceptions",
    ]
    more = [
        "time Exceptions::*",
        "cover Exceptions exact",
        "count Exceptions::rethrows by arg0",
        "context Exceptions::again",
    ]
    program = (jvm.java, "-Xverify:all", "-cp", compiled("Exceptions"), "Exceptions", "more")
    result = run([*rules, *more], *program)
    assert (result.status, result.stdout.split()) == (0, ["241", "20"])
    inside = {at: count for at, count in THROWN.items() if at[0] in ("again", "cleans", "rethrows")}
    (again,) = [one for one in contexts_of(result.data) if one["context"] == "Exceptions.again"]
    thrown = [row for row in again["exceptions"] if row["event"] == "throw"]
    assert counted(thrown) == inside
    assert {row["type"] for row in thrown if row["rule"] == rules[0]} == {"java.lang.Error"}


def test_classes_woven_ahead_of_time(jvm: Jvm, compiled: Compiled, run: Run, tmp_path: Path) -> None:
    rules = [
        "-e",
        "count throws java.io.IOException+ in Exceptions",
        "-e",
        "count throws java.lang.Error in Exceptions",
    ]
    classes = compiled("Exceptions")
    check = execute([*classhook_command(), "check", *rules, classes])
    assert check.stdout.count("1 class, 6 methods, 10 places") == 2
    execute([*classhook_command(), "weave", "--quiet", *rules, classes, "-o", tmp_path / "woven"])
    result = run([], jvm.java, "-Xverify:all", "-cp", tmp_path / "woven", "Exceptions", "more")
    assert (result.status, result.stdout.split()) == (0, ["241", "20"])
    fits = {("raise", IO), ("raise", MISSING), ("rethrows", MISSING), ("again", MISSING), ("again", "java.lang.Error")}
    assert counted(result.report["exceptions"]) == {at: count for at, count in THROWN.items() if at in fits}

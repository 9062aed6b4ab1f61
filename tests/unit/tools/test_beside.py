"""Differences that count as problems in the table of agents and loaders."""

from __future__ import annotations

from typing import Any

import pytest

from tools.beside.cells import Cell, Ran, apart, judged
from tools.beside.page import Key, page
from tools.beside.programs import Program

PROGRAM = Program("Some", ("Some",), {"Some::main": 1})
WARNING = "[otel.javaagent 2026-01-02 03:04:05:678 +0000] [main] WARN io.opentelemetry.Thing - {} is slow"


def report(calls: int = 1, notes: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "methods": [{"class": "Some", "method": "main", "calls": calls}],
        "classes": {"woven": 1, "skipped": [{"class": "Other", "method": "", "reason": "timeout"}]},
        "processes": [{"notes": list(notes)}],
    }


def ran(status: int | None = 0, out: str = "hello\n", err: str = "", **more: Any) -> Ran:
    (stdout, logged), (stderr, too) = apart(out), apart(err)
    return Ran(status, stdout, stderr, logged | too, report(**more))


def cell(ours: Ran, bare_err: str = "") -> Cell:
    assert PROGRAM.calls is not None
    return judged(PROGRAM, PROGRAM.calls, [ran(err=bare_err)], ours, allocations=False)


def test_the_same_is_no_problem_whenever_and_however_often_another_agent_says_it() -> None:
    said = "\n".join(
        [
            "Picked up JAVA_TOOL_OPTIONS: -agentpath:...",
            WARNING.format("5 of 7"),
            WARNING.replace("WARN", "INFO").format("all"),
        ]
    )
    judgement = cell(ran(err=said), WARNING.format("1 of 2"))
    assert judgement == Cell([], woven=1, left={("timeout", "Other")})


@pytest.mark.parametrize(
    ("ours", "problem"),
    [
        (ran(None), "did not end"),
        (
            ran(1, "", 'Error: sorry\nException in thread "main" java.lang.StackOverflowError\n\tat A.b\n'),
            "StackOverflowError",
        ),
        (ran(out="hello\nworld\n"), "stdout differs: world"),
        (ran(out=""), "stdout differs: (missing) hello"),
        (ran(err="oops\n"), "stderr differs: oops"),
        (ran(err=WARNING.format("it")), "logs: [otel.javaagent"),
        (ran(calls=2), "Some::main: 2 calls, not 1"),
        (ran(notes=("something is missing",)), "something is missing"),
        (Ran(0, ["hello"], [], set()), "no data"),
    ],
    ids=[
        "hangs",
        "dies",
        "says more",
        "says less",
        "complains",
        "makes another agent complain",
        "counts wrong",
        "note",
        "no data",
    ],
)
def test_what_differs_is_a_problem(ours: Ran, problem: str) -> None:
    (said,) = cell(ours).problems
    assert problem in said


def test_the_page_tells_them() -> None:
    keys = [Key("Other 1.0", "Hello", 17, "count", order) for order in ("ours first", "ours last")]
    text = page({keys[0]: cell(ran()), keys[1]: cell(ran(None))}, ["17.0.1"], 10)
    assert "| Other 1.0 | **1 of 2** | 1 |" in text
    assert "- Other 1.0, Hello: `did not end within 120 s` (17, `count`, ours last)" in text
    assert "- Other 1.0: 1 `timeout`, in (no package) (1)" in text

"""`sample 1/N`: calls stay exact, times become estimates and say so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import (
    ERRORS,
    OLDEST_AND_NEWEST,
    Compiled,
    Jvm,
    Result,
    Run,
    classhook_command,
    execute,
    report_of,
)

pytestmark = [pytest.mark.alone, pytest.mark.any_jvm]

CALLS = 100_000
EXACT = {"tiny": 2 * CALLS, "once": 1, "failing": 2000, "loop": 2, "body": 2}


@pytest.mark.parametrize("mode", [[], ["-Xint"], ["-XX:TieredStopAtLevel=1"]], ids=["mixed", "interpreted", "C1"])
@OLDEST_AND_NEWEST
def test_a_sample_counts_all_and_times_some(jvm: Jvm, compiled: Compiled, run: Run, mode: list[str]) -> None:
    result = run(
        "time Pace::* sample 1/100", jvm.java, "-Xverify:all", *mode, "-cp", compiled("Pace"), "Pace", str(CALLS)
    )
    assert (result.status, result.stdout, result.stderr) == (0, "true\n", "")
    rows = {row["method"]: row for row in result.report["methods"]}
    assert {name: rows[name]["calls"] for name in EXACT} == EXACT
    assert all(row["completed"] == row["calls"] and row["total_ns"] > 0 for row in rows.values())
    # the first calls of each thread are all timed and stand for themselves
    estimated = {name for name, row in rows.items() if row.get("estimated")}
    assert estimated == {"tiny", "failing"}
    assert all(rows[name]["sample"] == 100 and rows[name]["total_ns_error"] > 0 for name in estimated)
    assert all(abs(rows["once"][total] - rows["once"]["max_ns"]) <= 1 for total in ("total_ns", "self_ns"))
    # every second call throws, which a fixed distance between timed ones would see always or never
    assert rows["failing"]["exceptions"] == 1000


def test_the_true_time_is_within_two_errors_of_an_estimate(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    """Forty methods whose calls take times of many patterns; the program itself adds up what each took. Where other
    programs interrupted a call, what one of twenty took says nothing about the others: such methods are left out, and
    the program runs until there are enough of the others."""
    rules = ["time Patterns::method* sample 1/20", "time Patterns::main"]
    found: list[tuple[float, float]] = []  # estimates and their errors, as parts of the truth
    for _ in range(8):
        result = run(rules, jvm.java, "-cp", compiled("Patterns"), "Patterns")
        truth = {
            name: (int(ns), int(interrupted)) for name, ns, interrupted in map(str.split, result.stdout.splitlines())
        }
        rows = {row["method"]: row for row in result.report["methods"]}
        main = rows.pop("main")
        assert rows.keys() == truth.keys()
        assert len(rows) == 40
        assert all(row["estimated"] for row in rows.values())
        found += [
            (rows[name]["total_ns"] / ns, rows[name]["total_ns_error"] / ns)
            for name, (ns, interrupted) in truth.items()
            if not interrupted
        ]
        if len(found) >= 40:
            break
    assert len(found) >= 20, "too many other programs run"
    missed = [one for one in found if abs(one[0] - 1) > 2 * one[1] + 0.01]
    assert len(missed) <= 0.05 * len(found) + ERRORS * (0.05 * 0.95 * len(found)) ** 0.5, missed
    assert sum(error for _, error in found) < len(found) / 2, "errors that say something"
    # what the caller takes itself is known only as well as what is taken off for them
    assert not main["estimated"]
    own = main["total_ns"] - sum(ns for ns, _ in truth.values())
    others = 20 * sum(interrupted for _, interrupted in truth.values())
    assert abs(main["self_ns"] - own) <= ERRORS * main["self_ns_error"] + own / 50 + others
    assert 0 < main["self_ns_error"] < main["total_ns"] / 4
    (line,) = (line for line in text_of(result).splitlines() if "Patterns.main(" in line)
    assert re.match(r" *~[\d.]+ m?s ±\d+%", line)


def test_a_sampled_recursion_has_its_self_time(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    """All time is that of the method which calls itself; its caller, timed each time, has nearly none."""
    rules = ["time Recursive::tree sample 1/20", "time Recursive::main"]
    rows = {
        row["method"]: row for row in run(rules, jvm.java, "-cp", compiled("Recursive"), "Recursive").report["methods"]
    }
    tree, main = rows["tree"], rows["main"]
    assert (tree["calls"], tree["estimated"], tree["total_ns"]) == (20 * 12 * (2**12 - 1), True, None)
    assert abs(tree["self_ns"] - main["total_ns"]) < ERRORS * tree["self_ns_error"] + main["total_ns"] / 10
    assert main["self_ns"] < main["total_ns"] / 2 + ERRORS * main["self_ns_error"]


def test_what_was_woven_ahead_is_sampled(jvm: Jvm, compiled: Compiled, run: Run, tmp_path: Path) -> None:
    """The table of each class says how rarely, whatever the rules are."""
    woven = execute(
        [
            *classhook_command(),
            "weave",
            "-e",
            "time Pace::tiny sample 1/100",
            compiled("Pace"),
            "-o",
            tmp_path / "woven",
        ]
    )
    assert woven.status == 0, woven.stderr
    row = run("count no.such.Type::*", jvm.java, "-cp", tmp_path / "woven", "Pace", str(CALLS)).method("Pace::tiny")
    assert (row["calls"], row["completed"], row["sample"], row["estimated"]) == (2 * CALLS, 2 * CALLS, 100, True)


def test_times_of_another_process_remain(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    """One process times the method, the other only counts it."""
    counted = run("count Pace::tiny", jvm.java, "-cp", compiled("Pace"), "Pace", "10000")
    whole = run("time Pace::tiny", jvm.java, "-cp", compiled("Pace"), "Pace", "10000")
    (row,) = report_of(counted.data, whole.data)["methods"]
    assert (row["calls"], row["completed"], row["not_timed"]) == (40_000, 20_000, 20_000)
    (alone,) = whole.report["methods"]
    times = [
        key
        for key, ns in alone.items()
        if key.endswith("_ns") and ns is not None and not key.startswith(("self", "probes"))
    ]
    assert len(times) == 7
    assert {key: row[key] for key in times} == {key: alone[key] for key in times}
    text = execute([*classhook_command(), "report", "--wide", counted.data, whole.data]).stdout
    assert "tiny(int) (20,000 not timed)" in text


def text_of(result: Result) -> str:
    report = execute([*classhook_command(), "report", result.data])
    assert report.status == 0, report.stderr
    return report.stdout

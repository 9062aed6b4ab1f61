"""`sample` and `budget`: calls stay exact, times become estimates and say so."""

from __future__ import annotations

import pytest

from tests.conftest import Compiled, Jvm, Run

CALLS = 100_000
EXACT = {"tiny": 2 * CALLS, "once": 1, "failing": 2000, "loop": 2, "body": 2}


@pytest.mark.parametrize("mode", [[], ["-Xint"], ["-XX:TieredStopAtLevel=1"]], ids=["mixed", "interpreted", "C1"])
def test_a_sample_counts_all_and_times_some(jvm: Jvm, compiled: Compiled, run: Run, mode: list[str]) -> None:
    result = run("time Pace::* sample 1/100", jvm.java, "-Xverify:all", *mode, "-cp", compiled("Pace"), "Pace", str(CALLS))
    assert (result.status, result.stdout, result.stderr) == (0, "true\n", "")
    rows = {row["method"]: row for row in result.report["methods"]}
    assert {name: rows[name]["calls"] for name in EXACT} == EXACT
    assert all(row["estimated"] and row["sample"] == 100 for row in rows.values())
    assert all(row["completed"] == row["calls"] and row["total_ns"] > 0 for row in rows.values())
    # the first of every hundred is timed, and i % 2 == 0 throws: all that are timed do
    assert rows["failing"]["exceptions"] == 2000


def test_a_budget_takes_tiny_hot_methods_from_timed_to_counted(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    calls = 20_000_000
    result = run("time Pace::* budget 1%", jvm.java, "-cp", compiled("Pace"), "Pace", str(calls))
    rows = {row["method"]: row for row in result.report["methods"]}
    assert (result.stdout, rows["tiny"]["calls"], rows["loop"]["calls"]) == ("true\n", 2 * calls, 2)
    assert rows["tiny"]["sample"] >= 64
    assert "estimated" not in rows["body"]
    assert rows["body"]["completed"] == 2


def test_a_budget_that_is_not_used_up_times_all(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    result = run("time Pace::* budget 100%", jvm.java, "-cp", compiled("Pace"), "Pace", "1000")
    rows = {row["method"]: row for row in result.report["methods"]}
    assert not any("estimated" in row for row in rows.values())
    assert (rows["failing"]["calls"], rows["failing"]["completed"], rows["failing"]["exceptions"]) == (2000, 2000, 1000)
    assert all(process["time_cost_ns"] > 0 for process in result.report["processes"])

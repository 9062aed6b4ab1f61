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


@pytest.mark.parametrize("mode", [[], ["-Xint"], ["-XX:TieredStopAtLevel=1"]], ids=["mixed", "interpreted", "C1"])
def test_a_budget_only_counts_tiny_methods(jvm: Jvm, compiled: Compiled, run: Run, mode: list[str]) -> None:
    calls = 2_000_000
    result = run("time Pace::* budget 1%", jvm.java, "-Xverify:all", *mode, "-cp", compiled("Pace"), "Pace", str(calls))
    rows = {row["method"]: row for row in result.report["methods"]}
    assert (result.status, result.stdout, result.stderr) == (0, "true\n", "")
    assert {name: rows[name]["calls"] for name in EXACT} == EXACT | {"tiny": 2 * calls}
    for name in ("tiny", "failing"):
        assert rows[name]["over_budget"]
        assert "total_ns" not in rows[name]
    for name in ("body", "loop", "main"):
        assert rows[name]["completed"] == rows[name]["calls"] > 0
        assert not {"estimated", "over_budget"} & rows[name].keys()
    assert rows["body"]["total_ns"] >= rows["body"]["self_ns"] > 0


def test_a_budget_times_what_takes_long_enough(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    """Of methods that throw, too."""
    result = run("time Budget::* budget 100%", jvm.java, "-Xverify:all", "-cp", compiled("Budget"), "Budget", "1000")
    rows = {row["method"]: row for row in result.report["methods"]}
    assert (result.stdout, result.stderr) == ("500\n", "")
    assert {name: (rows[name]["calls"], rows[name]["completed"], rows[name]["exceptions"]) for name in ("work", "failing", "<init>")} == {
        "work": (1000, 1000, 0), "failing": (1000, 1000, 500), "<init>": (500, 500, 0),
    }  # fmt: skip
    assert not any("estimated" in row for row in rows.values())
    assert all(process["time_cost_ns"] > 0 for process in result.report["processes"])


def test_threads_that_come_later_only_count_what_is_too_short(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    result = run("time Budget::tiny budget 5%", jvm.java, "-cp", compiled("Budget"), "Budget", "0", "200")
    (row,) = result.report["methods"]
    assert (row["calls"], row["over_budget"]) == (200 * 1000, True)

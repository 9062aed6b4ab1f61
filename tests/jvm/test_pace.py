"""`sample` and `budget`: calls stay exact, times become estimates and say so."""

from __future__ import annotations

import pytest

from instrument.datafile import lib, read_file
from tests.conftest import Compiled, Jvm, Result, Run, classhook_command, execute, report_of

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
    """Of methods that throw, too, and of one that calls itself."""
    rules = ["time Budget::pause budget 5%", "time Budget::* budget 100%"]
    result = run(rules, jvm.java, "-Xverify:all", "-cp", compiled("Budget"), "Budget", "1000")
    rows = {row["method"]: row for row in result.report["methods"]}
    assert (result.stdout, result.stderr) == ("500\n", "")
    assert {name: (row["calls"], row["completed"], row["exceptions"]) for name, row in rows.items() if name not in ("main", "<clinit>")} == {
        "work": (1200, 1200, 0), "failing": (1000, 1000, 500), "<init>": (500, 500, 0), "deep": (200, 200, 0), "pause": (200, 200, 0),
    }  # fmt: skip
    assert not any("estimated" in row for row in rows.values())
    assert rows["pause"]["min_ns"] >= 1_000_000
    assert all(process["time_cost_ns"] > 0 for process in result.report["processes"])


def test_what_is_too_short_is_soon_given_up_by_all_threads(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    result = run("time Budget::tiny budget 5%", jvm.java, "-cp", compiled("Budget"), "Budget", "0", "200")
    (row,) = result.report["methods"]
    assert (row["calls"], row["over_budget"]) == (200 * 1000, True)
    assert "tiny(int) *" in text_of(result)
    (path,) = result.data.glob("*.classhook")
    file = read_file(path)
    (slot,) = (slot for slot in range(100) if file.sample(slot) == lib.CH_COUNTED)
    timed = sum(block.record(at).timed for block in file.blocks if (at := block.slot(slot)))
    assert 63 <= timed < 64 * 9  # eight threads run at once


def test_times_of_another_process_remain(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    """In one the method is too short, in the other there is no budget."""
    short = run("time Budget::tiny budget 5%", jvm.java, "-cp", compiled("Budget"), "Budget", "0", "20")
    whole = run("time Budget::tiny", jvm.java, "-cp", compiled("Budget"), "Budget", "0", "20")
    (row,) = report_of(short.data, whole.data)["methods"]
    assert (row["calls"], row["completed"], row["estimated"], row["sample"]) == (40_000, 40_000, True, 2)
    (alone,) = whole.report["methods"]
    assert row["total_ns"] == pytest.approx(2 * alone["total_ns"], rel=0.01)


def test_over_its_budget_a_method_is_timed_less_often(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    """With activations that are long enough not to be given up while they are few, and many of them."""
    result = run("time Busy::* budget 20%", jvm.java, "-cp", compiled("Busy"), "Busy", "3000000")
    row = result.method("Busy::work")
    assert (row["calls"], row["estimated"]) == (3_000_000, True)
    assert row["sample"] >= 8


def text_of(result: Result) -> str:
    report = execute([*classhook_command(), "report", result.data])
    assert report.status == 0, report.stderr
    return report.stdout

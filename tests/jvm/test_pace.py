"""`sample` and `budget`: calls stay exact, times become estimates and say so.

On a busy machine any call may take some milliseconds. Methods meant to be too short have a budget of 0.1 %, so that even a mean of one
millisecond is too short. Methods meant to be timed run long, which other processes only make longer, or have too few calls to be judged.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from classhook.classfile.pool import MAX_COUNT
from classhook.classfile.reader import ClassFile
from classhook.probes.records import PacedRecord
from classhook.rules.parse import load
from classhook.store.data_file import lib, read_file
from classhook.weaving.weave import weave
from tests.conftest import Compiled, FindJvm, Jvm, Result, Run, classhook_command, execute, quick, report_of, run_line
from tests.pressure.conftest import OLDEST_AND_NEWEST

pytestmark = [pytest.mark.alone, pytest.mark.any_jvm]

CALLS = 100_000
Cached = Callable[..., Result]
EXACT = {"tiny": 2 * CALLS, "once": 1, "failing": 2000, "loop": 2, "body": 2}


@quick("jdk25-mixed")
@pytest.mark.parametrize("mode", [[], ["-Xint"], ["-XX:TieredStopAtLevel=1"]], ids=["mixed", "interpreted", "C1"])
@OLDEST_AND_NEWEST
def test_a_sample_counts_all_and_times_some(jvm: Jvm, compiled: Compiled, run: Run, mode: list[str]) -> None:
    result = run("time Pace::* sample 1/100", jvm.java, "-Xverify:all", *mode, "-cp", compiled("Pace"), "Pace", str(CALLS))
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
    """Forty methods whose calls take times of many patterns; the program itself adds up what each took. Where other programs interrupted a call,
    what one of twenty took says nothing about the others: such methods are left out, and the program runs until there are enough of the others."""
    rules = ["time Patterns::method* sample 1/20", "time Patterns::main"]
    found: list[tuple[float, float]] = []  # estimates and their errors, as parts of the truth
    for _ in range(8):
        result = run(rules, jvm.java, "-cp", compiled("Patterns"), "Patterns")
        truth = {name: (int(ns), int(interrupted)) for name, ns, interrupted in map(str.split, result.stdout.splitlines())}
        rows = {row["method"]: row for row in result.report["methods"]}
        main = rows.pop("main")
        assert rows.keys() == truth.keys()
        assert len(rows) == 40
        assert all(row["estimated"] for row in rows.values())
        found += [(rows[name]["total_ns"] / ns, rows[name]["total_ns_error"] / ns) for name, (ns, interrupted) in truth.items() if not interrupted]
        if len(found) >= 40:
            break
    assert len(found) >= 20, "too many other programs run"
    missed = [one for one in found if abs(one[0] - 1) > 2 * one[1] + 0.01]
    assert len(missed) <= 0.05 * len(found) + 3 * (0.05 * 0.95 * len(found)) ** 0.5, missed
    assert sum(error for _, error in found) < len(found) / 2, "errors that say something"
    # what the caller takes itself is known only as well as what is taken off for them
    assert not main["estimated"]
    own = main["total_ns"] - sum(ns for ns, _ in truth.values())
    others = 20 * sum(interrupted for _, interrupted in truth.values())
    assert abs(main["self_ns"] - own) <= 2 * main["self_ns_error"] + own / 50 + others
    assert 0 < main["self_ns_error"] < main["total_ns"] / 4
    (line,) = (line for line in text_of(result).splitlines() if "Patterns.main(" in line)
    assert re.match(r" *~[\d.]+ m?s ±\d+%", line)


@pytest.mark.parametrize("mode", [[], ["-Xint"], ["-XX:TieredStopAtLevel=1"]], ids=["mixed", "interpreted", "C1"])
@OLDEST_AND_NEWEST
def test_a_budget_samples_tiny_methods(jvm: Jvm, compiled: Compiled, run: Run, mode: list[str]) -> None:
    calls = 2_000_000
    result = run("time Pace::* budget 0.1%", jvm.java, "-Xverify:all", *mode, "-cp", compiled("Pace"), "Pace", str(calls))
    rows = {row["method"]: row for row in result.report["methods"]}
    assert (result.status, result.stdout, result.stderr) == (0, "true\n", "")
    assert {name: rows[name]["calls"] for name in EXACT} == EXACT | {"tiny": 2 * calls}
    for name in ("tiny", "failing"):
        assert rows[name]["over_budget"]
        assert "total_ns" not in rows[name]
    assert rows["failing"]["exceptions"] == 1000
    assert rows["tiny"]["cpu_self_ns_error"] > 0
    for name in ("body", "loop", "main"):
        assert rows[name]["completed"] == rows[name]["calls"] > 0
        assert not any(rows[name].get(key) for key in ("estimated", "over_budget"))
    assert rows["body"]["total_ns"] >= rows["body"]["self_ns"] >= 0


def test_long_calls_after_short_ones_keep_their_times(jvm: Jvm, compiled: Compiled, cached: Cached) -> None:
    """Its first hundred calls are too short for the budget; the others take nearly all of the run. The program adds up what each took."""
    words = ["time Turns::* budget 5%", jvm.java, "-cp", compiled("Turns"), "Turns"]
    for _ in range(3):
        result = cached(*words)
        turn = result.method("Turns::turn")
        (truth,) = (int(line) for line in result.stdout.splitlines())
        times = [turn["wall_total_ns"], turn["wall_total_ns_error"]] if "total_ns" not in turn else [turn["total_ns"], 0]
        assert (turn["calls"], abs(times[0] - truth) < truth / 20 + 2 * times[1]) == (300, True), (turn, truth)


def test_what_takes_some_microseconds_has_its_share(jvm: Jvm, compiled: Compiled, cached: Cached) -> None:
    """Of three methods each takes a third of the time: in each run, whether it is timed, sampled or only counted, and more exactly on average."""
    runs = 4
    off: dict[str, list[float]] = {"small": [], "middle": [], "large": []}
    errors: dict[str, list[float]] = {name: [] for name in off}
    for _ in range(runs):
        rows = {row["method"]: row for row in cached("time Parts::* budget 5%", jvm.java, "-cp", compiled("Parts"), "Parts").report["methods"]}
        whole = sum(rows[name]["cpu_self_ns"] for name in off)
        for name in off:
            off[name].append(rows[name]["cpu_self_ns"] / whole - 1 / 3)
            errors[name].append(rows[name]["cpu_self_ns_error"] / whole)
            assert abs(off[name][-1]) < 4 * errors[name][-1], (name, rows)
        assert (rows["small"]["calls"], rows["large"]["calls"]) == (600 * 3000, 600)
    for name in off:
        assert abs(sum(off[name])) / runs < 0.01 + 3 * sum(error**2 for error in errors[name]) ** 0.5 / runs, (name, off, errors)


def test_a_sampled_recursion_has_its_self_time(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    """All time is that of the method which calls itself; its caller, timed each time, has nearly none."""
    rules = ["time Recursive::tree sample 1/20", "time Recursive::main"]
    rows = {row["method"]: row for row in run(rules, jvm.java, "-cp", compiled("Recursive"), "Recursive").report["methods"]}
    tree, main = rows["tree"], rows["main"]
    assert (tree["calls"], tree["estimated"], tree["total_ns"]) == (20 * 12 * (2**12 - 1), True, None)
    assert abs(tree["self_ns"] - main["total_ns"]) < 4 * tree["self_ns_error"] + main["total_ns"] / 10
    assert main["self_ns"] < main["total_ns"] / 2 + 2 * main["self_ns_error"]


def test_a_budget_times_what_takes_long_enough(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    """Including methods that throw, and one that calls itself."""
    rules = ["time Budget::pause budget 20%", "time Budget::* budget 100%"]
    result = run(rules, jvm.java, "-Xverify:all", "-cp", compiled("Budget"), "Budget", "1000")
    rows = {row["method"]: row for row in result.report["methods"]}
    assert (result.stdout, result.stderr) == ("500\n", "")
    assert {name: (row["calls"], row["completed"], row["exceptions"]) for name, row in rows.items() if name not in ("main", "<clinit>")} == {
        "work": (1200, 1200, 0),
        "failing": (1000, 1000, 500),
        "<init>": (500, 500, 0),
        "deep": (200, 200, 0),
        "pause": (200, 200, 0),
    }
    assert not any(row.get("estimated") for row in rows.values())
    assert rows["pause"]["min_ns"] >= 1_000_000
    assert all(process["time_cost_ns"] > 0 for process in result.report["processes"])


def test_what_is_too_short_is_soon_given_up_by_all_threads(jvm: Jvm, compiled: Compiled, cached: Cached) -> None:
    result = cached("time Budget::tiny budget 0.1%", jvm.java, "-cp", compiled("Budget"), "Budget", "0", "200")
    (row,) = result.report["methods"]
    assert (row["calls"], row["over_budget"], row["not_timed"]) == (200 * 1000, True, 200 * 1000)
    assert "tiny(int) +\n" in text_of(result)
    assert 63 <= timed_calls(result) < 64 * 9  # eight threads run at once


@quick("jdk25-mixed")
@pytest.mark.parametrize("mode", [[], ["-Xint"]], ids=["mixed", "interpreted"])
def test_the_next_run_knows_what_is_too_short(jvm: Jvm, compiled: Compiled, cached: Cached, mode: list[str]) -> None:
    words = [jvm.java, "-Xverify:all", *mode, "-cp", compiled("Pace"), "Pace", str(CALLS)]
    rules = ["time Pace::* budget 0.1%", "alloc * in Pace"]
    runs = [cached(rules, *words) for _ in range(4)]
    first, second = runs[:2]
    assert timed_calls(first) > 0
    for later in runs[1:]:
        assert (later.status, later.stdout, later.stderr) == (0, "true\n", "")
        assert calls_of(later) == calls_of(first)
        assert without_times(later.report["allocations"]) == without_times(first.report["allocations"])
        assert timed_calls(later) == 0
        assert {row["method"] for row in later.report["methods"] if row.get("earlier_run")} >= {"tiny", "failing"}
        assert "tiny(int) +" in text_of(later) or "tiny(int) (only counted +)" in text_of(later)
    assert not any(row.get("earlier_run") for row in first.report["methods"])
    assert (first.report["classes"]["cached"], second.report["classes"]["cached"]) == (0, 0)  # the second wove it again
    assert runs[-1].report["classes"]["cached"] == 1
    assert runs[-1].report["processes"][0]["python_start_ns"] == 0


def test_what_is_only_counted_has_the_time_of_an_earlier_run(jvm: Jvm, compiled: Compiled, cached: Cached) -> None:
    """So many calls of a method that takes so little are worth no frames."""
    words = ["time Pace::* budget 0.1%", jvm.java, "-cp", compiled("Pace"), "Pace"]
    cached(*words, "20000000")
    second, third = (cached(*words, calls).method("Pace::tiny") for calls in ("20000000", "40000000"))
    for row, calls in ((second, 40_000_000), (third, 80_000_000)):
        assert row == {**row, "calls": calls, "only_counted": calls, "earlier_run": True}
        assert min(row["cpu_self_ns"], row["cpu_self_ns_error"]) > 0
    assert third["cpu_self_ns"] == pytest.approx(2 * second["cpu_self_ns"], rel=0.5)


def test_what_is_only_counted_is_not_in_its_callers_time_too(jvm: Jvm, compiled: Compiled, cached: Cached) -> None:
    """The sum of all methods' own times is at most what the thread used, in each run; and the tree has all of it."""
    for n in range(4):
        result = cached("time Sums::* budget 0.1%", jvm.java, "-cp", compiled("Sums"), "Sums")
        rows = {row["method"]: row for row in result.report["methods"]}
        whole, ran = sum(row.get("cpu_self_ns", 0) for row in rows.values()), int(result.stdout)
        assert ran / 2 < whole <= ran * 1.02, (n, rows, ran)
        assert (rows["tiny"]["only_counted"] > 0) == (n > 0)
        (sampling,) = (process["sampling"] for process in result.report["processes"])
        assert (sampling["counted_cpu_ns"] > 0) == (n > 0)
        assert rows["tiny"]["cpu_self_ns"] > whole / 50  # 2 ns, inlined: that it has time, not how much
        assert rows["half"]["cpu_self_ns"] > whole / 50  # 0.05 to 0.2 of it, by processor
        assert rows["main"]["cpu_total_ns"] >= 0.99 * whole
    assert "Sums.main;[counted] " in execute([*classhook_command(), "report", result.data, "-f", "collapsed", "--clock", "cpu"]).stdout


def test_a_class_without_room_for_what_is_only_counted(jvm: Jvm, compiled: Compiled, cached: Cached, tmp_path: Path) -> None:
    """Its constant pool has room for the probes of the first run only: in later ones too it is sampled, and has no time of an earlier run."""
    classes = shutil.copytree(compiled("Sums"), tmp_path / "classes")
    (classes / "Sums.class").write_bytes(nearly_full((classes / "Sums.class").read_bytes(), "time Sums::* budget 0.1%"))
    for n in range(3):
        row = cached("time Sums::* budget 0.1%", jvm.java, "-cp", classes, "Sums").method("Sums::tiny")
        assert row == {**row, "calls": 300 * 200_000, "over_budget": True}
        assert (row["earlier_run"], row["only_counted"]) == (n > 0, 0)


def nearly_full(data: bytes, rule: str) -> bytes:
    """The class with as many further constants as leave room for the rule's probes, but not for others if its first method is only counted."""
    pool = ClassFile.parse(data).pool
    for more in range(MAX_COUNT - pool.count, 0, -1):
        count = (pool.count + more).to_bytes(2, "big")
        padded = data[: pool.at] + count + data[pool.at + 2 : pool.end_at] + b"\3\0\0\0\0" * more + data[pool.end_at :]
        if any(isinstance(record, PacedRecord) for record in weave(padded, load([], [rule]), False).table):
            return padded
    raise AssertionError


@pytest.mark.parametrize("names", [("booter1.jar", "booter20261122.jar"), ("one.jar", "other.jar")], ids=["digits", "other"])
def test_the_same_jar_may_have_another_number(
    jvm: Jvm, find_jvm: FindJvm, compiled: Compiled, cached: Cached, tmp_path: Path, names: list[str]
) -> None:
    known = []
    for i, name in enumerate(names):
        jar = tmp_path / str(i) / name
        jar.parent.mkdir()
        made = execute([find_jvm(17).tool("jar"), "--create", "--file", jar, "--main-class", "Budget", "-C", compiled("Budget"), "."])
        assert made.status == 0, made.stderr
        row = cached("time Budget::tiny budget 0.1%", jvm.java, "-jar", jar, "0", "20").method("Budget::tiny")
        known.append(row["earlier_run"])
    assert known == [False, names[0].startswith("booter")]


def test_other_programs_judge_by_themselves(jvm: Jvm, compiled: Compiled, cached: Cached) -> None:
    for main in ("Budget", "OtherBudget"):
        result = cached("time Budget::tiny budget 0.1%", jvm.java, "-cp", compiled("Budget"), main, "0", "20")
        assert result.method("Budget::tiny")["over_budget"]
        assert timed_calls(result) > 0


def test_a_cache_that_is_damaged_meanwhile_still_knows(jvm: Jvm, compiled: Compiled, cached: Cached, tmp_path: Path) -> None:
    words = ["time Budget::tiny budget 0.1%", jvm.java, "-cp", compiled("Budget"), "Budget", "0", "20"]
    for _ in range(2):
        cached(*words)
    (pack,) = (tmp_path / "cache" / "classhook").glob("*.pack")
    pack.write_bytes(pack.read_bytes() + b"half a record of a JVM that was killed")
    row = cached(*words).method("Budget::tiny")
    assert (row["calls"], row["over_budget"], "total_ns" in row) == (20_000, True, False)


def test_a_method_that_has_become_long_is_timed_again(jvm: Jvm, compiled: Compiled, cached: Cached) -> None:
    def run(calls: int, slow: int) -> dict[str, Any]:
        words = [jvm.java, "-cp", compiled("Busy"), "Busy", str(calls), str(slow)]
        return cached("time Busy::work budget 5%", *words).method("Busy::work")

    assert run(100_000, 0)["over_budget"]
    second, third = run(1000, 1000), run(1000, 1000)
    assert second == {**second, "calls": 1000, "over_budget": True, "earlier_run": True}
    assert second["cpu_self_ns"] > 0
    assert third["completed"] == third["calls"] == 1000


SHIFT = """
public class Shift {
    static int sum;
    static void before(int n) { sum += Math.abs(n); }
    static void large(int n) { %s }
    static void after(int n) { sum ^= Math.abs(n); }
    static void slow() { for (long end = System.nanoTime() + 100_000; System.nanoTime() < end; sum++) { } }
    static void last(int n) { sum -= Math.abs(n); }
    public static void main(String[] args) {
        for (int i = 0; i < 20000; i++) { before(i); after(i); last(i); }
        for (int i = 0; i < 2000; i++) { slow(); large(i); }
    }
}
"""


def test_a_method_too_large_for_its_probes_shifts_no_other(jvm: Jvm, find_jvm: FindJvm, cached: Cached, tmp_path: Path) -> None:
    """Methods keep their places from one run to the next. HotSpot compiles methods of up to 8,000 bytes: there is room for a count only."""
    (tmp_path / "Shift.java").write_text(SHIFT % ("n += 100000; " * 1597))  # 5 bytes each
    assert execute([find_jvm(17).tool("javac"), "--release", "17", "-d", tmp_path, tmp_path / "Shift.java"]).status == 0
    rules = ["time Shift::slow budget 100%", "time Shift::* budget 0.1%"]
    for _ in range(3):
        result = cached(rules, jvm.java, "-Xverify:all", "-cp", tmp_path, "Shift")
        rows = {row["method"]: row for row in result.report["methods"]}
        assert {name for name, row in rows.items() if row.get("over_budget")} == {"before", "after", "last"}
        assert (rows["slow"]["completed"], rows["large"]["calls"], "completed" in rows["large"]) == (2000, 2000, False)
        assert [skip["method"] for skip in result.report["classes"]["skipped"]] == ["large"]


def test_without_a_cache_each_run_finds_out_anew(jvm: Jvm, compiled: Compiled, tmp_path: Path) -> None:
    for n in range(2):
        line = run_line(["time Budget::tiny budget 0.1%"], tmp_path / str(n), [jvm.java, "-cp", compiled("Budget"), "Budget", "0", "20"])
        line.insert(line.index("--"), "--no-cache")
        assert execute(line).status == 0
        assert timed_calls(Result(0, "", "", tmp_path / str(n))) > 0


def test_what_was_woven_ahead_is_not_timed_again(jvm: Jvm, compiled: Compiled, cached: Cached, tmp_path: Path) -> None:
    woven = execute([*classhook_command(), "weave", "-e", "time Budget::tiny budget 0.1%", compiled("Budget"), "-o", tmp_path / "woven"])
    assert woven.status == 0, woven.stderr
    first, second = (cached("count no.such.Type::*", jvm.java, "-cp", tmp_path / "woven", "Budget", "0", "20") for _ in range(2))
    assert (timed_calls(first) > 0, timed_calls(second)) == (True, 0)
    for result in (first, second):
        row = result.method("Budget::tiny")
        assert (row["calls"], row["over_budget"]) == (20_000, True)


def test_times_of_another_process_remain(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    """In one process the method is too short, in the other there is no budget."""
    short = run("time Budget::tiny budget 0.1%", jvm.java, "-cp", compiled("Budget"), "Budget", "0", "20")
    whole = run("time Budget::tiny", jvm.java, "-cp", compiled("Budget"), "Budget", "0", "20")
    (row,) = report_of(short.data, whole.data)["methods"]
    assert (row["calls"], row["completed"], row["not_timed"], row["over_budget"]) == (40_000, 20_000, 20_000, True)
    (alone,) = whole.report["methods"]
    times = [key for key, ns in alone.items() if key.endswith("_ns") and ns is not None and not key.startswith(("self", "probes"))]
    assert len(times) == 7
    assert {key: row[key] for key in times} == {key: alone[key] for key in times}
    text = execute([*classhook_command(), "report", "--wide", short.data, whole.data]).stdout
    assert "tiny(int) (20,000 not timed)" in text


def test_over_its_budget_a_method_is_timed_less_often(jvm: Jvm, compiled: Compiled, cached: Cached) -> None:
    """Its activations are long enough not to be downgraded early, and there are many."""
    words = ["time Busy::* budget 10%", jvm.java, "-cp", compiled("Busy"), "Busy", "10000000"]
    row = cached(*words).method("Busy::work")
    assert (row["calls"], row["estimated"]) == (10_000_000, True)
    assert row["sample"] >= 8
    row = cached(*words).method("Busy::work")  # now the compiled method is known to be too short
    assert (row["calls"], row["over_budget"]) == (10_000_000, True)


@pytest.fixture
def cached(run: Run, tmp_path: Path) -> Cached:
    """`run` with a cache that belongs to this test."""
    return lambda *words: run(*words, env={"XDG_CACHE_HOME": str(tmp_path / "cache")})


def timed_calls(result: Result) -> int:
    """Activations that were timed before their methods were downgraded to counting."""
    (path,) = result.data.glob("*.classhook")
    file = read_file(path)
    slots = [slot for slot in range(100) if file.control(slot) & lib.CH_SAMPLE_MASK in (lib.CH_ON_PATH, lib.CH_COUNTED)]
    assert slots
    return sum(block.record(at).completed + int(block.record(at).sampled.n) for block in file.blocks for slot in slots if (at := block.slot(slot)))


def calls_of(result: Result) -> set[tuple[str, int]]:
    return {(row["method"], row["calls"]) for row in result.report["methods"]}


def without_times(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows without times, sorted."""
    plain = [{key: value for key, value in row.items() if not key.endswith("_ns")} for row in rows]
    return sorted(plain, key=lambda row: json.dumps(row, sort_keys=True))


def text_of(result: Result) -> str:
    report = execute([*classhook_command(), "report", result.data])
    assert report.status == 0, report.stderr
    return report.stdout

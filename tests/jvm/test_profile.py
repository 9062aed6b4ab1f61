"""Profiles of programs whose shares of time are known by construction (java/Shares.java), and what the reports make of
them."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import (
    ENVIRONMENT,
    ERRORS,
    PATIENCE,
    Compiled,
    FindJvm,
    Jvm,
    Result,
    Run,
    classhook_command,
    execute,
    report_of,
    run_line,
)

pytestmark = [pytest.mark.alone, pytest.mark.every_jvm]  # of virtual threads, each has its own

RULE = "profile Shares::* every 1ms exceptions"
#: With some, counted loops have polls for safepoints; with the first two they have none.
COLLECTORS = {17: "-XX:+UseSerialGC", 21: "-XX:+UseParallelGC"}
#: Shares of each part's time that the methods whose names end with 1 take; the others take the rest.
EXPECTED = {"leaf": 0.25, "chain": 1, "recursion": 0.25, "raise": 0.25, "threads": 0.25, "virtual": 0.25}


@pytest.fixture(scope="module")
def shares(jvm: Jvm, compiled: Compiled, run: Run) -> Result:
    return run(
        RULE, jvm.java, COLLECTORS.get(jvm.version, "-XX:+UseG1GC"), "-Xverify:all", "-cp", compiled("Shares"), "Shares"
    )


def assert_share(one: list[tuple[int, int]], rest: list[tuple[int, int]], expected: float) -> None:
    """Asserts the first methods' share of the time of all; each is a time and its error."""
    time_of_one, whole = sum(time for time, _ in one), sum(time for time, _ in [*one, *rest])
    error = sum(error**2 for _, error in [*one, *rest]) ** 0.5 / whole
    assert abs(time_of_one / whole - expected) <= 0.03 + ERRORS * error, (
        f"{time_of_one / whole:.3f} of {whole / 1e6:.0f} ms, error {error:.3f}"
    )


def times(result: Result, names: Callable[[str], bool], key: str = "cpu_self_ns") -> list[tuple[int, int]]:
    return [(row[key], row[f"{key}_error"]) for row in result.report["methods"] if names(row["method"]) and key in row]


@pytest.mark.parametrize("part", EXPECTED)
def test_shares_of_cpu_time(shares: Result, part: str) -> None:
    one = times(shares, lambda name: name == f"{part}1")
    rest = times(
        shares, lambda name: name.startswith(part) and name != f"{part}1" and name not in ("threads", "virtual")
    )
    if not one and part == "virtual":
        pytest.skip("this JVM has no virtual threads")
    assert_share(one, rest, EXPECTED[part])


def test_callers_are_told_apart_by_their_callees(shares: Result) -> None:
    totals = [
        times(shares, lambda name, caller=caller: name == caller, "cpu_total_ns") for caller in ("callers1", "callers3")
    ]  # type: ignore[misc]
    assert_share(*totals, 0.25)
    assert (
        sum(time for time, _ in times(shares, lambda name: name in ("callers1", "callers3")))
        < sum(t for t, _ in totals[0]) / 2
    )


def self_times(result: Result) -> dict[str, int]:
    """By path."""
    lines = (line.rpartition(" ") for line in tree(result, "collapsed").splitlines())
    return {path: int(time) for path, _, time in lines}


def test_short_methods_keep_their_time(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    """The methods take some 10 ns, of which the probes themselves are a part."""
    times = self_times(
        run(
            "profile Brief::*", jvm.java, COLLECTORS.get(jvm.version, "-XX:+UseG1GC"), "-cp", compiled("Brief"), "Brief"
        )
    )
    shares = {}
    for caller in ("waits", "goesOn", "longer"):
        below, own = (times.get(f"Brief.main;Brief.{caller}{end}", 0) for end in (";Brief.work", ""))
        shares[caller] = below / (below + own)
    assert shares["longer"] > 0.9, shares
    assert min(shares["waits"], shares["goesOn"]) > 0.6, shares


def test_loops_keep_their_time(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    times = self_times(
        run(
            "profile Loops::*", jvm.java, COLLECTORS.get(jvm.version, "-XX:+UseG1GC"), "-cp", compiled("Loops"), "Loops"
        )
    )
    for caller in ("heavy", "rotated"):
        own, below = (times.get(f"Loops.main;Loops.{caller}{end}", 0) for end in ("", ";Loops.first"))
        assert own / (own + below) > 0.9, times
    assert times.get("Loops.main", 0) < sum(times.values()) / 10


def test_methods_of_a_few_instructions_have_their_own_time(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    result = run("profile Divisions::*", jvm.java, "-cp", compiled("Divisions"), "Divisions")
    short, whole = result.method("Divisions::quotient"), result.method("Divisions::main")
    assert short["exceptions"] is None
    assert short["calls"] == 100_000_000
    assert short["cpu_self_ns"] > 0.3 * whole["cpu_total_ns"]


def test_time_in_probes_is_no_methods(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    """Probes take 15 % or more of calls that last a nanosecond or two, depending on what the JIT makes of them."""
    result = run("profile ShortCalls::* every 1ms", jvm.java, "-cp", compiled("ShortCalls"), "ShortCalls")
    sampling = result.report["processes"][0]["sampling"]
    rows = sum(row["cpu_self_ns"] for row in result.report["methods"])
    assert sampling["probes_cpu_ns"] > 0.08 * sampling["seen_cpu_ns"]
    assert abs(rows + sampling["outside_cpu_ns"] + sampling["probes_cpu_ns"] - sampling["seen_cpu_ns"]) < 10
    done = execute([*classhook_command(), "report", result.data])
    assert re.search(r"; [\d.]+ m?s in probes, not counted for any method", done.stdout)


@pytest.mark.measured
def test_a_program_may_take_the_signal_for_itself(jvm: Jvm, compiled: Compiled, tmp_path: Path) -> None:
    """CPU time then goes to methods on which a thread was seen running, and not to its sleep."""
    command = [jvm.java, "-cp", compiled("TakesSignal"), "TakesSignal"]
    result = execute(run_line(["profile TakesSignal::*"], tmp_path, command))
    used = dict(zip(("first", "second", "sleeps"), map(int, result.stdout.split()), strict=True))
    done = execute([*classhook_command(), "report", tmp_path, "-f", "json"])
    result.report = json.loads(done.stdout)
    assert done.status == 1
    (note,) = result.report["processes"][0]["notes"]
    assert note.startswith("the program has taken the signal for ticks of CPU time")
    for name, ns in used.items():
        row = result.method(f"TakesSignal::{name}")
        assert abs(row["cpu_total_ns"] - ns) < 0.2 * ns + ERRORS * row["cpu_total_ns_error"], (name, used)
    assert result.method("TakesSignal::sleeps")["cpu_self_ns"] < sum(used.values()) / 10


def test_recursion_counts_once(shares: Result) -> None:
    recursive = shares.method("Shares::recursion1")
    assert recursive["calls"] == 600 * 2 * 10
    assert recursive["cpu_total_ns"] == recursive["cpu_self_ns"]


def test_waiting_takes_wall_time_and_no_cpu_time(shares: Result) -> None:
    waits, waited = shares.method("Shares::waits"), int(shares.stdout.split()[1])
    assert abs(waits["wall_self_ns"] - waited) < waited / 5
    assert waits["cpu_self_ns"] < waited / 7, "what the thread used just before may be found late"


def test_exceptions_are_counted(shares: Result) -> None:
    assert shares.method("Shares::raise1")["exceptions"] == shares.method("Shares::raise1")["calls"] == 600 * 2 * 5
    assert shares.method("Shares::fails")["exceptions"] == 10_000
    assert shares.method("Shares::raise3")["exceptions"] == 0


def test_what_is_measured_is_nearly_all(shares: Result) -> None:
    sampling = shares.report["processes"][0]["sampling"]
    whole = sum(row.get("cpu_self_ns", 0) for row in shares.report["methods"])
    assert sampling["period_ns"] == 1_000_000
    assert sampling["unseen_cpu_ns"] + sampling["outside_cpu_ns"] < whole / 5
    assert sampling["refused"] == 0


def tree(shares: Result, form: str, *more: str) -> str:
    assert shares.data
    done = execute([*classhook_command(), "report", shares.data, "-f", form, *more])
    assert done.status == 0, done.stderr
    return done.stdout


def test_a_frame_whose_exception_nobody_instrumented_caught_is_gone(shares: Result) -> None:
    paths = [line.rpartition(" ")[0].split(";") for line in tree(shares, "collapsed").splitlines()]
    assert any(path[-1] == "Shares.succeeds" for path in paths)
    assert not any("Shares.fails" in path[:-1] for path in paths)


def test_collapsed_stacks_add_up(shares: Result) -> None:
    sums: dict[str, int] = {}
    for line in tree(shares, "collapsed", "--clock", "wall").splitlines():
        path, _, us = line.rpartition(" ")
        sums[path.split(";")[-1]] = sums.get(path.split(";")[-1], 0) + int(us)
    leaf = shares.method("Shares::leaf3")
    assert abs(sums["Shares.leaf3"] * 1000 - leaf["wall_self_ns"]) < 10_000


def test_the_tree_as_text(shares: Result) -> None:
    lines = tree(shares, "tree", "--cut", "0").splitlines()
    assert lines[0].startswith("CPU time: ")
    pairs = [(above, below) for above, below in pairwise(lines) if "Shares.leaf3(int)" in above]
    assert any(  # it is there twice if a sample's callers are unknown
        below.endswith("  Shares.leaf1(int)") and below.index("Shares") == above.index("Shares") + 2
        for above, below in pairs
    ), "\n".join(lines)


def test_speedscope(shares: Result) -> None:
    file = json.loads(tree(shares, "speedscope"))
    names = [frame["name"] for frame in file["shared"]["frames"]]
    assert file["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    assert {frame.get("file") for frame in file["shared"]["frames"]} == {"Shares.java"}
    assert [profile["name"] for profile in file["profiles"]] == ["CPU time", "wall time"]
    for profile in file["profiles"]:
        assert (profile["type"], profile["unit"], profile["endValue"]) == (
            "sampled",
            "nanoseconds",
            sum(profile["weights"]),
        )
        assert len(profile["samples"]) == len(profile["weights"])
        assert all(0 <= frame < len(names) for sample in profile["samples"] for frame in sample)
    cpu = file["profiles"][0]
    own = sum(
        weight
        for sample, weight in zip(cpu["samples"], cpu["weights"], strict=True)
        if names[sample[-1]] == "Shares.leaf3"
    )
    assert own == shares.method("Shares::leaf3")["cpu_self_ns"]


def test_pprof(shares: Result, tmp_path: Path) -> None:
    """Read by the tool itself, where Go is there."""
    import shutil

    go = shutil.which("go") or shutil.which("/usr/local/go/bin/go")
    if go is None:
        pytest.skip("Go is not installed; `go tool pprof` is the judge")
    path = tmp_path / "calls.pprof"
    tree(shares, "pprof", "-o", str(path))
    done = subprocess.run(
        [go, "tool", "pprof", "-top", "-unit=ns", "-nodefraction=0", path], capture_output=True, text=True, check=True
    )
    rows = {
        line.split()[-1]: line.split()
        for line in done.stdout.splitlines()
        if line.strip() and line.split()[-1].startswith("Shares.")
    }
    leaf = shares.method("Shares::leaf3")
    assert rows["Shares.leaf3"][0] == f"{leaf['cpu_self_ns']}ns"
    assert rows["Shares.leaf3"][3] == f"{leaf['cpu_total_ns']}ns"


def test_a_flame_graph_is_one_file(shares: Result, tmp_path: Path) -> None:
    text = tree(shares, "flamegraph")
    data: dict[str, Any] = json.loads(text.partition("const data = ")[2].partition(";\n")[0])
    assert "Shares.leaf3" in data["names"]
    assert len(data["calls"]) % 4 == 0
    assert "http" not in text.replace("https://www.w3.org", "")


def test_there_is_no_tree_without_a_profile(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    data = run("count Times::*", jvm.java, "-cp", compiled("Times"), "Times").data
    assert data
    done = execute([*classhook_command(), "report", data, "-f", "tree"])
    assert (done.status, done.stdout) == (1, "")
    assert "no method was profiled" in done.stderr


@pytest.mark.parametrize("collector", sorted(COLLECTORS.values()))
def test_a_loop_in_an_inlined_leaf_is_seen(find_jvm: FindJvm, compiled: Compiled, run: Run, collector: str) -> None:
    """The collector decides whether loops have safepoints, and thereby what the JIT may move."""
    options = [collector, "-Drounds=400", "-XX:CompileCommand=quiet", "-XX:CompileCommand=inline,Shares::leaf1"]
    result = run("profile Shares::leaf*", find_jvm(17).java, *options, "-cp", compiled("Shares"), "Shares")
    assert_share(times(result, lambda name: name == "leaf1"), times(result, lambda name: name == "leaf3"), 0.25)


def test_samples_outlive_a_killed_jvm(find_jvm: FindJvm, compiled: Compiled, tmp_path: Path) -> None:
    line = run_line(
        [RULE], tmp_path / "data", [find_jvm(17).java, "-Drounds=100000", "-cp", compiled("Shares"), "Shares"]
    )
    with subprocess.Popen(line, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            time.sleep(0.5)
            files = list((tmp_path / "data").glob("*.classhook")) if (tmp_path / "data").exists() else []
            rows = {row["method"]: row for row in report_of(*files)["methods"]} if files else {}
            if rows.get("leaf3", {}).get("cpu_self_ns", 0) > 50e6:
                break
        subprocess.run(["pkill", "-KILL", "-f", str(tmp_path / "data")], check=False)
        process.wait()
    report = report_of(tmp_path / "data")
    rows = {row["method"]: row for row in report["methods"]}
    assert report["processes"][0]["end"] == "killed"
    assert rows["leaf3"]["cpu_self_ns"] > 50e6
    assert report["processes"][0]["duration_ns"] >= rows["leaf3"]["wall_self_ns"]


def test_timed_methods_are_in_the_tree_of_profiled_ones(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    rules = ["time Shares::leaf3", "profile Shares::leaf1, Shares::main every 1ms"]
    result = run(rules, jvm.java, "-Drounds=200", "-cp", compiled("Shares"), "Shares")
    leaf = result.method("Shares::leaf3")
    assert leaf["completed"] == leaf["calls"] == 400
    assert_share(times(result, lambda name: name == "leaf1"), times(result, lambda name: name == "leaf3"), 0.25)
    assert "Shares.main;Shares.leaf3;Shares.leaf1 " in tree(result, "collapsed")


def test_a_method_that_fails_again_and_again_has_its_time(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    """Constructors whose super() throws."""
    result = run("profile Left::main, **.Left*::*", jvm.java, "-Xverify:all", "-cp", compiled("Left"), "Left")
    rows = {(row["class"], row["method"]): row for row in result.report["methods"]}
    whole = sum(row.get("cpu_self_ns", 0) for row in rows.values())
    assert rows["Left", "main"]["cpu_self_ns"] > 0.8 * whole
    assert all(
        line.count("Left$Failing.<init>") <= 1 for line in tree(result, "collapsed", "--clock", "wall").splitlines()
    )
    # the wall time of threads that end while nobody looks
    napped = int(result.stdout.split()[0])
    assert 0.9 * napped < rows["Left", "nap"]["wall_total_ns"] < 1.1 * napped


def test_a_long_period_does_not_delay_the_end(find_jvm: FindJvm, compiled: Compiled, run: Run) -> None:
    result = run("profile Left::main every 1s", find_jvm(17).java, "-cp", compiled("Left"), "Left")
    (process,) = result.report["processes"]
    assert process["sampling"]["period_ns"] == 10**9
    assert result.method("Left::main")["calls"] == 1


@pytest.mark.parametrize(
    ("rules", "period"),
    [
        (["profile Left::*"], 4_000_000),
        (["profile Left::main every 10ms", "profile Left::naps every 1500us"], 1_500_000),
        (["profile Left::main", "cpu every 2ms"], 2_000_000),
    ],
)
def test_the_shortest_period_counts(
    find_jvm: FindJvm, compiled: Compiled, run: Run, rules: list[str], period: int
) -> None:
    result = run(rules, find_jvm(17).java, "-cp", compiled("Left"), "Left")
    assert result.report["processes"][0]["sampling"]["period_ns"] == period


def test_classes_woven_ahead_of_time_are_sampled_without_rules(
    find_jvm: FindJvm, compiled: Compiled, tmp_path: Path
) -> None:
    woven = tmp_path / "woven"
    done = execute(
        [*classhook_command(), "weave", "--quiet", "-e", "profile Shares::*", compiled("Shares"), "-o", woven]
    )
    assert done.status == 0, done.stderr
    execute(run_line([], tmp_path / "data", [find_jvm(17).java, "-cp", woven, "Shares"]))
    rows = {row["method"]: row for row in report_of(tmp_path / "data")["methods"]}
    assert rows["leaf3"]["calls"] == 1200
    assert rows["leaf3"]["cpu_self_ns"] > 2 * rows["leaf1"]["cpu_self_ns"] > 0


def test_processes_without_the_rule_cpu_are_not_in_its_table(
    find_jvm: FindJvm, compiled: Compiled, tmp_path: Path
) -> None:
    """In whatever order their files are read."""
    folders = []
    for rule in ("cpu", "profile Left::*"):
        folders.append(tmp_path / rule[:3])
        execute(run_line([rule], folders[-1], [find_jvm(17).java, "-cp", compiled("Left"), "Left"]))
    alone, both, turned = (report_of(*some) for some in (folders[:1], folders, folders[::-1]))
    assert alone["cpu"] == both["cpu"] == turned["cpu"]
    assert both["methods"] == turned["methods"] != []


def test_both_rules_tell_of_the_same_samples(find_jvm: FindJvm, compiled: Compiled, run: Run) -> None:
    result = run(["profile Left::*", "cpu"], find_jvm(17).java, "-cp", compiled("Left"), "Left")
    sampled = {(row["class"], row["method"]): row for row in result.report["cpu"]}
    profiled = result.method("Left::main")
    assert profiled["cpu_total_ns"] == sampled["Left", "main"]["cpu_total_ns"] > 0
    assert profiled["cpu_self_ns"] >= sampled["Left", "main"]["cpu_self_ns"]
    assert result.data
    done = execute([*classhook_command(), "report", result.data])
    assert done.stdout.count("  CPU time: compiled") == 1

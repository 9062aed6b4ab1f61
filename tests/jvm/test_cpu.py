"""The rule `cpu`: samples of all threads' stacks, in a program whose threads use known CPU time (java/stacks)."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from classhook.extensions import EXTENSIONS
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

RULE = "cpu every 2ms"
UNIT = 300e6
PARTS = ["both", "words", "naps", "recursion", "deep", "unloading", "churn"]
DEEPEST = 1024  # frames that are kept of a stack
VIRTUAL = 21  # the first JDK with virtual threads


@pytest.fixture(scope="module")
def stacks(jvm: Jvm, compiled: Compiled, run: Run) -> Result:
    parts = [*PARTS, "virtual"] if jvm.version >= VIRTUAL else PARTS
    result = run(RULE, jvm.java, "-Xcheck:jni", "-cp", compiled("stacks"), "Stacks", *parts)
    assert result.status == 0, result.stderr
    return result


def row(result: Result, name: str) -> dict[str, Any]:
    rows: list[dict[str, Any]] = [row for row in result.report["cpu"] if f"{row['class']}.{row['method']}" == name]
    assert len(rows) == 1, [row["class"] + "." + row["method"] for row in result.report["cpu"]]
    return rows[0]


def assert_near(of: dict[str, Any], key: str, expected: float) -> None:
    """Within 5 % and what chance adds."""
    assert abs(of[key] - expected) <= 0.05 * expected + ERRORS * of[f"{key}_error"], (of, expected)


def report(result: Result, *options: str) -> Result:
    assert result.data
    return execute([*classhook_command(), "report", result.data, *options])


def paths(result: Result, *options: str) -> list[list[str]]:
    done = report(result, "-f", "collapsed", *options)
    assert done.status == 0, done.stderr
    return [line.rpartition(" ")[0].split(";") for line in done.stdout.splitlines()]


@pytest.mark.parametrize(("method", "units"), [("one", 1), ("three", 3), ("words", 1), ("bottom", 2)])
def test_cpu_time_is_that_of_the_threads_clock(stacks: Result, method: str, units: int) -> None:
    assert_near(row(stacks, f"Stacks.{method}"), "cpu_total_ns", units * UNIT)


def test_methods_of_the_jdk_are_below_their_callers(stacks: Result) -> None:
    below = [path[path.index("Stacks.words") + 1 :] for path in paths(stacks) if "Stacks.words" in path]
    assert any(
        path[0] == "java.lang.String.split" and any(name.startswith("java.util.regex.") for name in path)
        for path in below
        if path
    )


def test_a_thread_that_waits_takes_wall_time_only(stacks: Result) -> None:
    slept = next(int(line.split()[1]) for line in stacks.stdout.splitlines() if line.startswith("slept"))
    sleeps = row(stacks, "Stacks.sleeps")
    assert abs(sleeps["wall_total_ns"] - slept) < 0.05 * slept
    assert sleeps["cpu_total_ns"] < 0.01 * slept


def test_waiting_takes_no_cpu_time_of_the_work_before_it(stacks: Result) -> None:
    naps, works, sleep = (row(stacks, name) for name in ("Stacks.naps", "Stacks.works", "java.lang.Thread.sleep"))
    # on a busy machine, a piece of 2 ms is over before the thread's stack is taken: its caller is then unknown
    unjoined = stacks.report["processes"][0]["cpu_sampling"]["unjoined_cpu_ns"]
    assert UNIT / 3 < works["cpu_total_ns"] <= naps["cpu_total_ns"] + unjoined < 1.2 * UNIT + unjoined
    # a tick on the way into the kernel is joined with the stack of the sleep that follows
    assert sleep["cpu_total_ns"] < works["cpu_total_ns"] / 1.5
    assert sleep["wall_total_ns"] > UNIT / 2


def test_deep_stacks_are_whole_and_deeper_ones_keep_their_topmost_frames(stacks: Result) -> None:
    deep = [path for path in paths(stacks) if "Stacks.bottom" in path]
    whole = [path for path in deep if path[0] != "[deeper]"]
    assert whole
    assert {path[0] for path in whole} == {"Stacks.main"}
    assert {path.count("Stacks.recursion") for path in whole} == {301}
    assert {len(path) for path in deep if path[0] == "[deeper]"} == {1 + DEEPEST}
    assert 0.5 * UNIT < stacks.report["processes"][0]["cpu_sampling"]["cut_cpu_ns"] < 1.5 * UNIT


def test_classes_that_are_unloaded_keep_their_names(stacks: Result) -> None:
    assert_near(row(stacks, "Dropped.run"), "cpu_total_ns", 15 * 20e6)


def test_mounted_virtual_threads_are_seen_on_their_carriers(stacks: Result, jvm: Jvm) -> None:
    if jvm.version < VIRTUAL:
        pytest.skip("this JVM has no virtual threads")
    one, three = (row(stacks, f"Stacks.{name}")["cpu_total_ns"] for name in ("virtual1", "virtual3"))
    errors = [row(stacks, f"Stacks.{name}")["cpu_total_ns_error"] for name in ("virtual1", "virtual3")]
    assert abs(one / (one + three) - 0.25) <= 0.03 + ERRORS * sum(errors) / (one + three)
    assert any("java.lang.VirtualThread.run" in path and "Stacks.virtual3" in path for path in paths(stacks))


def test_nothing_is_woven_and_no_python_started(stacks: Result) -> None:
    (process,) = stacks.report["processes"]
    assert (process["end"], process["python_start_ns"]) == ("exit", 0)
    assert not any(stacks.report["classes"].values())
    assert process["cpu_sampling"]["period_ns"] == 2_000_000
    assert process["cpu_sampling"]["interval_ns"] > 1_500_000
    assert process["cpu_sampling"]["probes_cpu_ns"] == 0
    assert process["cpu_sampling"]["refused"] == 0
    assert process["cpu_sampling"]["outside_cpu_ns"] < 10e6, "the sampler's own thread has no Java frames"


def test_the_jni_is_used_as_it_must_be(stacks: Result) -> None:
    assert [line for line in stacks.stdout.splitlines() if not line.startswith("slept")] == []
    assert "classhook:" not in stacks.stderr


def test_the_text_says_what_json_says(stacks: Result) -> None:
    text = report(stacks, "--sort", "total", "--top", "0").stdout
    assert re.search(r"^\d+ sampled methods by CPU total: ", text, re.MULTILINE)
    assert re.search(
        r"\n  stacks of all threads sampled every [\d.]+ ms(, instead of every 2.00 ms)?: [\d,]+ samples; ", text
    )
    assert "Stacks.three()" in text
    assert "[deeper] stands for" in text
    assert "matched nothing" not in text


def test_samples_outlive_a_killed_jvm(find_jvm: FindJvm, compiled: Compiled, tmp_path: Path) -> None:
    line = run_line(
        [RULE], tmp_path / "data", [find_jvm(17).java, "-Dunit=100000", "-cp", compiled("stacks"), "Stacks", "both"]
    )
    with subprocess.Popen(line, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + PATIENCE
        seen: dict[str, Any] = {}
        while time.monotonic() < deadline and seen.get("cpu_total_ns", 0) < 100e6:
            time.sleep(0.3)
            files = list((tmp_path / "data").glob("*.classhook")) if (tmp_path / "data").exists() else []
            running = report_of(*files) if files else {"cpu": []}
            seen = next((row for row in running["cpu"] if row["method"] == "three"), {})
        os.kill(running["processes"][0]["pid"], signal.SIGKILL)
        process.wait()
    killed = report_of(tmp_path / "data")
    three = next(row for row in killed["cpu"] if row["method"] == "three")
    assert killed["processes"][0]["end"] == "killed"
    assert three["cpu_total_ns"] >= seen["cpu_total_ns"] >= 100e6
    assert killed["processes"][0]["duration_ns"] >= 0.95 * three["wall_total_ns"]


def test_depth_and_period_are_those_of_the_rule(find_jvm: FindJvm, compiled: Compiled, run: Run) -> None:
    result = run("cpu every 1ms depth 3", find_jvm(17).java, "-cp", compiled("stacks"), "Stacks", "recursion")
    assert result.report["processes"][0]["cpu_sampling"]["period_ns"] == 1_000_000
    deepest = max(paths(result), key=len)
    assert len(deepest) == 4 + deepest[-1].endswith("]"), "[deeper], and below a method the function of native code"
    assert row(result, ".[deeper]")["cpu_self_ns"] == 0


def test_probes_are_no_methods_of_the_program(find_jvm: FindJvm, compiled: Compiled, run: Run) -> None:
    result = run(
        ["time Stacks::step", "cpu every 2ms"], find_jvm(17).java, "-cp", compiled("stacks"), "Stacks", "steps"
    )
    sampling = result.report["processes"][0]["cpu_sampling"]
    assert sampling["probes_cpu_ns"] + sampling["ran_ns"]["classhook"] > 0.2 * UNIT, "the probes' native code"
    assert 0 < sampling["probes_cpu_ns"] < UNIT
    assert row(result, "Stacks.steps")["cpu_total_ns"] < 1.1 * UNIT - sampling["probes_cpu_ns"]
    for form in ("collapsed", *(name for one in EXTENSIONS for name, *_, binary in one.forms if not binary)):
        assert "Tracker" not in report(result, "-f", form).stdout
    assert not [row for row in result.report["cpu"] if "Tracker" in row["class"]]
    assert " ms in probes, not counted for any method" in report(result).stdout


def test_the_agents_threads_are_not_the_programs(find_jvm: FindJvm, compiled: Compiled, tmp_path: Path) -> None:
    script = tmp_path / "busy.py"
    script.write_text("""\
import time
from classhook.agent import Agent

agent = Agent()

@agent.every(0.01)
def burn():
    end = time.thread_time() + 0.05
    while time.thread_time() < end: pass
""")
    line = run_line(
        ["cpu every 2ms"],
        tmp_path / "data",
        [find_jvm(17).java, "-Dunit=200", "-cp", compiled("stacks"), "Stacks", "words"],
    )
    line[line.index("--") : line.index("--")] = ["--agent", str(script)]
    assert execute(line).status == 0
    (process,) = report_of(tmp_path / "data")["processes"]
    assert process["cpu_sampling"]["outside_cpu_ns"] < 0.05 * UNIT


def test_the_interval_is_that_of_the_threads_and_not_the_plan(find_jvm: FindJvm, compiled: Compiled, run: Run) -> None:
    result = run("cpu every 2ms", find_jvm(17).java, "-Dunit=50", "-cp", compiled("stacks"), "Stacks", "busy")
    sampling = result.report["processes"][0]["cpu_sampling"]
    assert sampling["interval_ns"] > 2 * sampling["period_ns"]
    assert " ms, instead of every 2.00 ms: " in report(result).stdout


def test_beside_other_rules(find_jvm: FindJvm, compiled: Compiled, run: Run) -> None:
    rules = ["profile Stacks::words, Stacks::main every 1ms", "count Stacks::cpu", "cpu every 2ms"]
    result = run(rules, find_jvm(25).java, "-cp", compiled("stacks"), "Stacks", "words")
    profiled = result.method("Stacks::words")
    assert profiled["calls"] == 1
    assert result.method("Stacks::cpu")["calls"] > 1
    assert_near(profiled, "cpu_total_ns", UNIT)
    assert_near(row(result, "Stacks.words"), "cpu_total_ns", UNIT)
    assert paths(result, "--clock", "wall") == paths(result, "--clock", "wall", "--measure", "profile")
    assert {name for path in paths(result) for name in path} <= {"Stacks.main", "Stacks.words"}
    assert "java.lang.String.split" in {name for path in paths(result, "--measure", "cpu") for name in path}
    assert report(result, "-f", "tree", "--measure", "cpu").stdout.partition("\n")[0].endswith(" in all threads")


def test_a_tree_that_is_not_there_is_refused(stacks: Result) -> None:
    done = report(stacks, "-f", "collapsed", "--measure", "profile")
    assert (done.status, done.stdout) == (1, "")
    assert "no method was profiled" in done.stderr
    assert "--measure cpu" in done.stderr


def test_what_was_woven_ahead_is_not_counted_and_the_report_says_so(
    find_jvm: FindJvm, compiled: Compiled, tmp_path: Path
) -> None:
    classes = compiled("stacks")
    done = execute(
        [*classhook_command(), "weave", "-e", "count Stacks::*", "-e", "cpu", classes, "-o", tmp_path / "woven"]
    )
    assert done.status == 0, done.stderr
    assert "this rule weaves nothing" in done.stderr
    command = [find_jvm(17).java, "-Dunit=10", "-cp", tmp_path / "woven", "Stacks", "words"]
    ran = execute(run_line(["cpu"], tmp_path / "data", command))
    assert (ran.status, ran.stdout.split()[0]) == (0, "slept")
    said = execute([*classhook_command(), "report", tmp_path / "data"])
    assert said.status == 1
    assert "note: classes that were woven ahead of time ran, and were not counted" in said.stdout

"""`cpu` by ticks of CPU time: time is where it was spent, also in inlined methods, native code and the JVM's threads
(java/ticks)."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Compiled, FindJvm, Jvm, Result, Run, classhook_command, execute

pytestmark = pytest.mark.every_jvm

WITH_SAMPLER = 25  # the first JDK whose flight recorder samples by CPU time, with SIGPROF


@pytest.fixture(scope="module")
def ticks(jvm: Jvm, compiled: Compiled, run: Run) -> Result:
    result = run("cpu every 4ms", jvm.java, "-Xmx256m", "-XX:+UseG1GC", "-cp", compiled("ticks"), "Ticks")
    assert result.status == 0, result.stderr
    return result


def times(result: Result) -> dict[str, dict[str, Any]]:
    return {f"{row['class']}.{row['method']}".lstrip("."): row for row in result.report["cpu"]}


def sampling(result: Result) -> dict[str, Any]:
    found: dict[str, Any] = result.report["processes"][0]["cpu_sampling"]
    return found


def test_an_inlined_method_has_its_own_time(ticks: Result) -> None:
    of = times(ticks)
    divide, work = of["Ticks.divide"], of["Ticks.work"]
    assert divide["cpu_self_ns"] > 0.8 * work["cpu_total_ns"]


@pytest.mark.alone  # the stack is taken a moment after the tick, and later on a busy machine
def test_callers_of_compiled_code_are_known(ticks: Result) -> None:
    of = sampling(ticks)
    assert of["unjoined_cpu_ns"] < 0.1 * of["ran_ns"]["compiled"]


def test_functions_of_native_libraries_are_below_the_methods_that_call_them(ticks: Result) -> None:
    done = execute([*classhook_command(), "report", ticks.data, "-f", "collapsed"])
    lines = [line.rpartition(" ")[::2] for line in done.stdout.splitlines()]
    zlib = [(stack, int(us)) for stack, us in lines if stack.endswith(("[libz.so.1]", "[libzip.so]"))]
    called = [(stack, us) for stack, us in zlib if "java.util.zip.Deflater.deflateBytesBytes" in stack.split(";")]
    assert sum(us for _, us in called) > 0.9 * sum(us for _, us in zlib) > 0
    assert all(stack.startswith("Ticks.main;") for stack, _ in called)


def test_threads_of_the_jvm_have_names(ticks: Result) -> None:
    of = times(ticks)
    assert of["[garbage collector]"]["cpu_total_ns"] > 20e6
    assert of["[JIT compiler]"]["cpu_total_ns"] > 20e6


def test_functions_of_the_jvms_threads_are_in_trees_and_not_among_the_methods(ticks: Result) -> None:
    of = times(ticks)["[JIT compiler]"]
    done = execute([*classhook_command(), "report", ticks.data, "-f", "collapsed"])
    below = [line.rpartition(" ")[::2] for line in done.stdout.splitlines() if line.startswith("[JIT_compiler];")]
    assert any(stack.endswith("[libjvm.so]") for stack, _ in below)
    assert of["cpu_self_ns"] == of["cpu_total_ns"]
    assert abs(sum(int(us) for _, us in below) - of["cpu_self_ns"] / 1000) <= len(below)


def test_the_header_says_where_the_time_went(ticks: Result) -> None:
    done = execute([*classhook_command(), "report", ticks.data])
    line = next(line for line in done.stdout.splitlines() if line.startswith("  CPU time: "))
    for kind in ("compiled", "garbage collector", "JIT compiler", "native", "classhook"):
        assert f" {kind} " in line, line


def test_all_time_of_the_process_is_there(ticks: Result) -> None:
    of = sampling(ticks)
    rows = sum(row["cpu_self_ns"] for row in ticks.report["cpu"])
    listed = rows + of["outside_cpu_ns"] + of["unseen_cpu_ns"] + of["ran_ns"]["classhook"]
    # the rest, 0.5 % on a quiet machine, is of threads that ended after their last tick
    assert 0.96 * of["process_cpu_ns"] < listed < 1.02 * of["process_cpu_ns"]
    assert 0.9 * int(ticks.stdout) < of["process_cpu_ns"] < 1.02 * int(ticks.stdout), "all but the start of the JVM"


def test_jfr_samples_by_cpu_time_at_once(find_jvm: FindJvm, compiled: Compiled, run: Run, tmp_path: Path) -> None:
    jvm = find_jvm(WITH_SAMPLER)
    recording = f"-XX:StartFlightRecording:jdk.CPUTimeSample#enabled=true,filename={tmp_path}/x.jfr"
    result = run("cpu every 4ms", jvm.java, recording, "-cp", compiled("ticks"), "Ticks")
    of = sampling(result)["ran_ns"]
    assert of["compiled"] > of["native"], "JFR's handler would be native code"
    jfr = shutil.which("jfr", path=Path(jvm.java).parent)
    assert jfr
    summary = execute([jfr, "summary", f"{tmp_path}/x.jfr"]).stdout
    counts = dict(line.split()[:2] for line in summary.splitlines() if line.strip().startswith("jdk.CPUTimeSample "))
    assert int(counts["jdk.CPUTimeSample"]) > 50


@pytest.mark.parametrize("rule", ["cpu every 1ms", "profile **::* every 1ms"])
def test_no_call_of_a_native_library_is_interrupted(
    rule: str, jvm: Jvm, compiled: Compiled, run: Run, jni_library: Callable[[Path], Path]
) -> None:
    """Linux sends the signal of a tick to a thread that returns from the kernel (x86-64: since 5.9)."""
    library = jni_library(Path(__file__).with_name("waits.c"))
    result = run(
        rule, jvm.java, "--enable-native-access=ALL-UNNAMED", "-cp", compiled("waits"), "Waits", library, "500"
    )
    assert result.stdout == "0\n", result.stderr
    (process,) = result.report["processes"]
    kind = "cpu_sampling" if rule.startswith("cpu") else "sampling"
    assert process[kind]["ran_ns"]["native"] > 20e6, "ticks came while the library ran"


def test_profile_names_what_is_not_in_its_rows(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    result = run("profile Ticks::*", jvm.java, "-Xmx256m", "-XX:+UseG1GC", "-cp", compiled("ticks"), "Ticks")
    of = result.report["processes"][0]["sampling"]
    rows = sum(row["cpu_self_ns"] or 0 for row in result.report["methods"])
    sampled = rows + of["outside_cpu_ns"] + of["probes_cpu_ns"]
    ran = of["ran_ns"]
    assert 0.98 * sampled < sum(ran.values()) - ran["classhook"] < 1.02 * sampled
    assert 0.85 * int(result.stdout) < of["process_cpu_ns"] < 1.02 * int(result.stdout)
    assert abs(sum(ran.values()) + of["unseen_cpu_ns"] - of["process_cpu_ns"]) < 0.02 * of["process_cpu_ns"]
    done = execute([*classhook_command(), "report", result.data])
    line = next(line for line in done.stdout.splitlines() if line.startswith("  CPU time: "))
    assert re.search(r"garbage collector [\d.]+%", line)
    assert re.search(r"JIT compiler [\d.]+%", line)

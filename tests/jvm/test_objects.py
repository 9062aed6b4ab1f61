"""`alloc ... live` and `alloc ... stack N`: known objects that live on or do not (java/objects/Keeps.java)."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import (
    ENVIRONMENT,
    ERRORS,
    OLDEST_AND_NEWEST,
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

EXACT = "alloc * in Keeps live stack 2 every 0"
COLLECTORS = ("Serial", "Parallel", "G1", "Z", "Shenandoah")
VIRTUAL = 21  # the first JDK with virtual threads


def rows(report: dict[str, Any], method: str, type_name: str = "") -> list[dict[str, Any]]:
    return [
        row
        for row in report["objects"]
        if row["class"] == "Keeps" and row["method"] == method and type_name in ("", row["type"])
    ]


def row(report: dict[str, Any], method: str, type_name: str) -> dict[str, Any]:
    (found,) = rows(report, method, type_name)
    return found


def size_of(report: dict[str, Any], method: str, type_name: str) -> int:
    """Returns the size of one object, by the JVM's own measure."""
    (site,) = [one for one in report["allocations"] if (one["method"], one["type"]) == (method, type_name)]
    size: int = site["bytes"] // site["count"]
    return size


def near(found: dict[str, Any], key: str, true: float) -> bool:
    error: int = found[f"{key}_error"]
    return abs(found[key] - true) <= ERRORS * error


def text_of(data: Path, *options: str) -> str:
    done = execute([*classhook_command(), "report", data, *options])
    assert done.status == 0, done.stderr
    return done.stdout


# ---- each object is sampled


@OLDEST_AND_NEWEST
def test_sampled_alone_weaves_no_class(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    """Nor one that another rule has woven."""
    sampled = "alloc * in Keeps stack 2 every 0 sampled"
    words = [jvm.java, "-cp", compiled("objects"), "Keeps", "some"]
    exact, alone = run("alloc * in Keeps stack 2 every 0", *words), run(sampled, *words)
    assert (alone.report["classes"]["woven"], alone.report["allocations"]) == (0, [])
    beside = run([sampled, "count Keeps::*"], *words)
    assert (beside.report["classes"]["woven"], beside.report["allocations"]) == (1, [])
    for one in (exact, alone, beside):
        counts = [row(one.report, *of)["count"] for of in (("item", "Keeps$Item"), ("bytes", "byte[]"))]
        assert counts == [20_000, 2_000]


@OLDEST_AND_NEWEST
@pytest.mark.parametrize("collector", COLLECTORS)
def test_live_objects_are_exact_with_each_collector(jvm: Jvm, compiled: Compiled, run: Run, collector: str) -> None:
    result = run(EXACT, jvm.java, f"-XX:+Use{collector}GC", "-Xcheck:jni", "-cp", compiled("objects"), "Keeps", "some")
    assert result.status == 0, result.stderr
    assert "WARNING" not in result.stdout
    report = result.report
    for method, type_name, live, allocated in (
        ("item", "Keeps$Item", 5_000, 20_000),
        ("bytes", "byte[]", 1_000, 2_000),
    ):
        found, size = row(report, method, type_name), size_of(report, method, type_name)
        assert (found["live_count"], found["live_bytes"]) == (live, live * size)
        assert (found["count"], found["bytes"]) == (allocated, allocated * size)
        assert {found[key] for key in found if key.endswith("_error")} == {0}
    nested = {one["type"]: one["live_count"] for one in rows(report, "run") if one["type"].startswith("int[]")}
    assert nested == {"int[][]": 200, "int[]": sum(i % 3 + 1 for i in range(0, 1000, 5))}
    (process,) = report["processes"]
    assert process["objects"] | {"sampled": 0} == {"every": 0, "live": "reached", "sampled": 0, "refused": 0}
    assert result.data
    assert "live: reachable at the end" in text_of(result.data)


@OLDEST_AND_NEWEST
def test_threads_of_both_kinds_are_sampled_from_their_first_object_on(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    words = ["threads", *(["virtually"] if jvm.version >= VIRTUAL else [])]
    report = run(EXACT, jvm.java, "-Xcheck:jni", "-cp", compiled("objects"), "Keeps", *words).report
    found = row(report, "item", "Keeps$Item")
    assert (found["count"], found["live_count"], found["sampled"]) == (
        1000 * len(words),
        500 * len(words),
        1000 * len(words),
    )


@pytest.mark.core
def test_what_dies_later_is_taken_back(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    report = run(EXACT, jvm.java, "-cp", compiled("objects"), "Keeps", "some", "gc", "drop", "some").report
    found = row(report, "bytes", "byte[]")
    assert (found["live_count"], found["count"]) == (1_000, 4_000)


@pytest.mark.parametrize("frames", [1, 12])
def test_objects_of_the_jdk_belong_to_the_program_that_needs_them(
    jvm: Jvm, compiled: Compiled, run: Run, frames: int
) -> None:
    rule = f"alloc byte[] in Keeps live stack {frames} every 0"
    # C2 would have the literals of StringUTF16 made in the thread whose calls it compiles, sooner or later by the
    # length of the class path
    report = run(
        rule, jvm.java, "-XX:-CompactStrings", "-XX:TieredStopAtLevel=1", "-cp", compiled("objects"), "Keeps", "strings"
    ).report
    found = [one for one in report["objects"] if one["class"].startswith("java.") and "Keeps.run" in one["stack"]]
    assert sum(one["live_count"] for one in found) == 1000, "the content of each string that is kept"
    assert {one["type"] for one in report["objects"]} == {"byte[]"}
    assert all("Keeps." in one["stack"] for one in report["objects"])


def test_stacks_that_lead_to_one_site_divide_its_number(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    report = run("alloc * in Keeps stack 2 every 0", jvm.java, "-cp", compiled("objects"), "Keeps", "ways").report
    found = {one["stack"].partition(" <- Keeps.")[2].partition("(")[0]: one for one in rows(report, "shared")}
    assert {name: (one["count"], one["kind"]) for name, one in found.items()} == {
        "often": (9000, "stacks"),
        "rarely": (3000, "stacks"),
    }
    assert "live_count" not in found["often"]
    assert report["processes"][0]["objects"]["live"] is None


@pytest.mark.slow
def test_what_finds_no_room_is_said_and_in_the_sums(find_jvm: FindJvm, compiled: Compiled, run: Run) -> None:
    result = run(
        "alloc byte[] in Keeps stack 40 every 0",
        find_jvm(17).java,
        "-Xint",
        "-cp",
        compiled("objects"),
        "Keeps",
        "stacks",
    )
    report = result.report
    refused = report["processes"][0]["objects"]["refused"]
    assert refused > 10_000
    assert sum(one["count"] for one in report["allocations"]) == 80_000
    assert result.data
    assert f"{refused:,} samples had no room for a row of their own" in text_of(result.data, "--top", "3")


# ---- some objects are sampled


@OLDEST_AND_NEWEST
def test_estimates_are_as_near_as_they_say(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    kept = {"byte": 0, "short": 1, "char": 2, "int": 4, "long": 6, "float": 7, "double": 8, "boolean": 4}
    report = run(
        "alloc * in Keeps live stack 2 every 4KB", jvm.java, "-cp", compiled("objects"), "Keeps", "places", "ways"
    ).report
    for name, eighths in kept.items():
        found, size = row(report, "places", f"{name}[]"), size_of(report, "places", f"{name}[]")
        true = 20_000 * eighths // 8
        assert (found["count"], found["bytes"], found["bytes_error"]) == (20_000, 20_000 * size, 0), (
            "probes counted them"
        )
        assert near(found, "live_count", true), (found, true)
        assert near(found, "live_bytes", true * size), (found, true)
        assert found["live_bytes_error"] < 0.3 * true * size + 1
    for one in rows(report, "shared"):
        number, live = (3000, 3000) if "rarely" in one["stack"] else (9000, 3000)
        assert near(one, "count", number), one
        assert near(one, "live_count", live), one
        assert 0 < one["count_error"] < number / 4
    assert sum(one["count"] for one in rows(report, "shared")) in (11_999, 12_000, 12_001)


def test_the_usual_interval_is_half_a_megabyte(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    result = run("alloc * in Keeps live", jvm.java, "-cp", compiled("objects"), "Keeps", "places")
    report = result.report
    assert report["processes"][0]["objects"]["every"] == 512 << 10
    found, size = row(report, "places", "boolean[]"), size_of(report, "places", "boolean[]")
    assert near(found, "live_bytes", 10_000 * size)
    assert 10 < found["sampled"] < 1000
    assert result.data
    assert "one sampled per 512.0 KiB" in text_of(result.data)


# ---- the JVM's life


@contextmanager
def started(jvm: Jvm, compiled: Compiled, line: list[str] | None, *words: str) -> Iterator[subprocess.Popen[str]]:
    """The program, when it is ready. `line`: the command that comes before."""
    command = [jvm.java, "-cp", compiled("objects"), "Keeps", *words]
    whole = command if line is None else [*line, *command]
    with subprocess.Popen(whole, env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        try:
            yield process
        finally:
            process.kill()


def go_on(process: subprocess.Popen[str]) -> None:
    """Until it is ready again, or ends."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    process.stdout.readline()


def command(*words: str | Path) -> Result:
    done = execute([*classhook_command(), *words])
    assert done.status == 0, done.stderr
    return done


def test_a_killed_jvms_figures_are_those_of_its_last_collection(jvm: Jvm, compiled: Compiled, tmp_path: Path) -> None:
    with started(jvm, compiled, run_line([EXACT], tmp_path, []), "some", "drop", "some", "gc", "kill"):
        time.sleep(1)  # the JVM tells of dead objects on a thread of its own
        pid = report_of(tmp_path)["processes"][0]["pid"]
        execute(["kill", f"-{signal.SIGKILL.value}", str(pid)])
        deadline = time.monotonic() + PATIENCE
        while report_of(tmp_path)["processes"][0]["end"] == "running" and time.monotonic() < deadline:
            time.sleep(0.1)
    report = report_of(tmp_path)
    assert report["processes"][0]["end"] == "killed"
    assert report["processes"][0]["objects"]["live"] == "last collection"
    found = row(report, "bytes", "byte[]")
    assert (found["live_count"], found["count"]) == (1_000, 4_000)
    assert "still alive at the JVM's last garbage collection" in text_of(tmp_path)


@OLDEST_AND_NEWEST
def test_a_jvm_is_attached_to_and_left(jvm: Jvm, compiled: Compiled, tmp_path: Path) -> None:
    with started(
        jvm, compiled, None, "some", "wait", "threads", "wait", "threads", "wait", "threads", "wait"
    ) as process:
        pid = str(process.pid)
        command("attach", pid, "-e", EXACT, "-o", tmp_path)
        go_on(process)
        command("ctl", pid, "rules", "add", "count Keeps::run")
        go_on(process)
        command("detach", pid)
        report = report_of(tmp_path)
        found = row(report, "item", "Keeps$Item")
        assert (found["count"], found["live_count"]) == (2000, 1000), (
            "none is lost when a rule is added; what was there before is not known"
        )
        assert report["processes"][0]["objects"]["live"] == "collected"
        sampled = report["processes"][0]["objects"]["sampled"]
        go_on(process)
        assert report_of(tmp_path)["processes"][0]["objects"]["sampled"] == sampled, "nobody listens any more"
        command("attach", pid, "-e", EXACT, "-o", tmp_path)
        command("detach", pid)
        assert row(report_of(tmp_path), "item", "Keeps$Item")["count"] == 2000


def test_rules_that_ask_no_more_stop_the_samples(jvm: Jvm, compiled: Compiled, tmp_path: Path) -> None:
    with started(
        jvm, compiled, run_line([EXACT, "count Keeps::run"], tmp_path, []), "threads", "wait", "threads", "wait"
    ) as process:
        pid = str(report_of(tmp_path)["processes"][0]["pid"])
        command("ctl", pid, "rules", "remove", "1")
        sampled = report_of(tmp_path)["processes"][0]["objects"]["sampled"]
        go_on(process)
        assert report_of(tmp_path)["processes"][0]["objects"]["sampled"] == sampled > 1000


def test_a_reset_begins_the_counts_anew_and_leaves_what_is_live(jvm: Jvm, compiled: Compiled, tmp_path: Path) -> None:
    with started(jvm, compiled, run_line([EXACT], tmp_path, []), "threads", "wait", "threads", "wait") as process:
        pid = str(report_of(tmp_path)["processes"][0]["pid"])
        command("ctl", pid, "reset")
        go_on(process)
        found = row(report_of(tmp_path), "item", "Keeps$Item")
        assert found["count"] == 1000
        assert 1000 <= found["live_count"] <= 2000


def test_another_agent_that_has_the_samples_is_left_alone(
    find_jvm: FindJvm, compiled: Compiled, run: Run, tmp_path: Path
) -> None:
    from tests.live.conftest import made_library

    jvm, library = find_jvm(17), made_library(tmp_path, "sampled_objects.c")
    first = {"JAVA_TOOL_OPTIONS": f"-agentpath:{library}"}
    result = run(EXACT, jvm.java, "-cp", compiled("objects"), "Keeps", "some", env=first)
    assert result.status == 0, result.stdout
    assert "or another agent has these samples: `live` and `stack` of rules `alloc` have no effect" in result.stderr
    assert sum(one["count"] for one in result.report["allocations"] if one["method"] == "item") == 20_000
    assert result.report["objects"] == []

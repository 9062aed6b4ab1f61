"""The rule `locks`: threads that are blocked at monitors for known times, and deadlocks (java/locks/Locks.java)."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import (
    ENVIRONMENT,
    OLDEST_AND_NEWEST,
    Compiled,
    FindJvm,
    Jvm,
    Result,
    Run,
    classhook_command,
    execute,
    report_of,
    run_line,
    until,
)
from tests.extensions import needs
from tests.timelines import on_track, slices

pytestmark = [pytest.mark.every_jvm, pytest.mark.core]  # of virtual threads, each has its own

RULE = "locks stack 6"
UNIT = 100e6
VIRTUAL = 21  # the first JDK with virtual threads
UNPINNED = 24  # the first one in which they leave their carriers at monitors
THREE = {"buys": ("Locks$Shelf", "fills"), "fills": ("Locks$Bell", "rings"), "rings": ("Locks$Till", "buys")}
SYNC = "java.util.concurrent.locks.ReentrantLock$NonfairSync"
TWO = {"left": (SYNC, "right"), "right": (SYNC, "left")}


@pytest.fixture(scope="module")
def locks(jvm: Jvm, compiled: Compiled, run: Run) -> Result:
    result = run(RULE, jvm.java, "-Xcheck:jni", "-cp", compiled("locks"), "Locks", "held", "waits", "many")
    assert result.status == 0, result.stderr
    return result


def said(result: Result, word: str) -> int:
    return next(int(line.split()[1]) for line in result.stdout.splitlines() if line.startswith(word))


def rows(report: dict[str, Any], method: str, event: str = "enter") -> list[dict[str, Any]]:
    return [row for row in report["locks"] if (row["class"], row["method"], row["event"]) == ("Locks", method, event)]


def total(found: list[dict[str, Any]], key: str) -> int:
    return sum(row[key] for row in found)


def report_text(result: Result, *options: str) -> str:
    assert result.data
    done = execute([*classhook_command(), "report", result.data, *options])
    assert done.status == 0, done.stderr
    return done.stdout


@contextmanager
def deadlocked(jvm: Jvm, compiled: Compiled, data: Path) -> Iterator[subprocess.Popen[str]]:
    """The program whose threads are deadlocked, under `run`."""
    line = run_line(
        ["locks"], data, [jvm.java, "-Xcheck:jni", "-cp", compiled("locks"), "Locks", "deadlock", "forever"]
    )
    with subprocess.Popen(line, env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process


def pid_of(data: Path) -> int:
    number: int = report_of(data)["processes"][0]["pid"]
    return number


def cycles(report: dict[str, Any]) -> list[dict[str, tuple[str, str]]]:
    """Reads the deadlocks of a report: by thread, the class of the object that it waits for, and its holder."""
    found = report["processes"][0]["deadlocks"]
    return [
        {one["thread"]: (one["waits_for"].partition("@")[0], one["held_by"]) for one in threads} for threads in found
    ]


# ---- times


def test_blocked_threads_have_the_time_that_the_lock_was_held(locks: Result) -> None:
    found = rows(locks.report, "pay")
    held = said(locks, "holds-3") + said(locks, "holds-1")
    assert {row["monitor"] for row in found} == {"Locks$Till"}
    assert (total(found, "count"), total(found, "pending")) == (4, 0)
    assert 0.5 * 2 * held < total(found, "total_ns") <= 2 * held, "two threads each time, which came a little later"
    assert max(row["max_ns"] for row in found) <= said(locks, "holds-3")
    source = next(
        line for line, text in enumerate(SOURCE, 1) if "sum++;" in text and "synchronized (till)" in SOURCE[line - 2]
    )
    assert {row["line"] for row in found} == {source - 1}


SOURCE = (Path(__file__).parent / "java" / "locks" / "Locks.java").read_text().splitlines()


def test_the_holder_is_named(locks: Result) -> None:
    for row in rows(locks.report, "pay"):
        assert (row["held_by"], row["holders_known_ns"]) == ("holds-3", row["total_ns"])
        assert "Locks.hold(Locks.java:" in row["held_at"]
        shares = {name: int(share) for name, share in re.findall(r"(holds-\d) at [^;]* (\d+)%", row["holders"])}
        assert sum(shares.values()) == 100
        assert (
            abs(shares["holds-3"] / 100 - said(locks, "holds-3") / (said(locks, "holds-3") + said(locks, "holds-1")))
            < 0.1
        )


def test_waits_have_their_times_and_say_which_nobody_ended(locks: Result) -> None:
    found = rows(locks.report, "await", "wait")
    assert {row["monitor"] for row in found} == {"Locks$Bell"}
    assert (total(found, "count"), total(found, "timed_out")) == (3, 1)
    notified, timed = [row for row in found if not row["timed_out"]], [row for row in found if row["timed_out"]]
    assert 2 * 2 * UNIT <= total(notified, "total_ns") <= 2 * said(locks, "waits")
    assert total(timed, "total_ns") >= UNIT * 0.99
    assert not any("java.lang.Object.wait" in row["stack"] for row in locks.report["locks"])


def test_no_event_of_many_threads_is_lost(locks: Result) -> None:
    """The JVM's own count is of all monitors, also of those that it takes to initialize a class."""
    grabbed = total(rows(locks.report, "grab"), "count")
    enters = total([row for row in locks.report["locks"] if row["event"] == "enter"], "count")
    others = total(rows(locks.report, "pay"), "count")
    assert grabbed <= said(locks, "many") <= enters - others


def test_nothing_is_woven_and_the_jni_is_used_as_it_must_be(locks: Result) -> None:
    (process,) = locks.report["processes"]
    assert (process["end"], process["python_start_ns"], process["deadlocks"]) == ("exit", 0, [])
    assert not any(locks.report["classes"].values())
    assert (process["locks"]["refused"], process["locks"]["over_ns"]) == (0, 0)
    assert {line.split()[0] for line in locks.stdout.splitlines()} == {"holds-3", "holds-1", "waits", "many"}


@needs("hprof")
def test_text_and_hprof_say_what_json_says(locks: Result) -> None:
    text = report_text(locks, "--wide")
    assert re.search(r"Blocked at monitors: \d+ places, [\d,]+ times", text)
    assert re.search(r"holds-3 \+1 .*Locks\$Till  Locks\.pay\(\):\d+.*  held at Locks\.sleep:\d+", text)
    assert "Waits in Object.wait: " in text
    enters = [row for row in locks.report["locks"] if row["event"] == "enter"]
    hprof = report_text(locks, "-f", "hprof-ascii")
    found = re.search(
        r"MONITOR TIME BEGIN \(total = (\d+) ms\) .*\nrank   self  accum   count trace monitor\n((?:.*\n)+)MONITOR TIME"
        r" END\n",
        hprof,
    )
    assert found
    assert abs(int(found[1]) - total(enters, "total_ns") / 1e6) <= 1
    lines = [line.split() for line in found[2].splitlines()]
    assert sorted((int(line[3]), line[5]) for line in lines) == sorted((row["count"], row["monitor"]) for row in enters)
    trace = next(line[4] for line in lines if line[5] == "Locks$Till")
    assert re.search(rf"TRACE {trace}:\n\tLocks\.pay\(Locks\.java:\d+\)\n", hprof)
    assert "blocked,Locks,pay,()V," in report_text(locks, "-f", "csv")


def test_single_waits_are_on_their_threads(locks: Result, tmp_path: Path) -> None:
    """The waits of the program's main parts are all there; of the many short ones, only the longest are kept."""
    report_text(locks, "-f", "perfetto", "-o", str(tmp_path / "t"))
    tracks = {path[-1]: some for path, some in slices((tmp_path / "t").read_bytes()).items()}
    found = [{**one, "thread": name} for name, some in tracks.items() for one in some if one["of"] == "wait"]
    at_till = [one for one in found if one["name"] == "blocked: Locks$Till"]
    assert sorted(one["thread"] for one in at_till) == ["payer-1", "payer-1", "payer-2", "payer-2"]
    assert sum(one["ns"] for one in at_till) == total(rows(locks.report, "pay"), "total_ns")
    assert {(one["about"]["monitor"], one["about"]["event"], one["about"]["held_by"]) for one in at_till} >= {
        ("Locks$Till", "enter", "holds-3")
    }
    assert all("Locks.pay(" in one["about"]["stack"] for one in at_till)
    at_bell = [one for one in found if one["name"] == "waits: Locks$Bell"]
    assert sorted(one["thread"] for one in at_bell) == ["waits-1", "waits-2", "waits-3"]
    assert sum(one["ns"] for one in at_bell) == total(rows(locks.report, "await", "wait"), "total_ns")
    sums, enters = (
        locks.report["processes"][0]["moments"],
        [row for row in locks.report["locks"] if row["event"] == "enter"],
    )
    assert (sums["enter"]["count"], sums["enter"]["total_ns"]) == (total(enters, "count"), total(enters, "total_ns"))
    assert (
        sums["enter"]["kept"]
        == len([one for one in found if one["about"]["event"] == "enter"])
        == min(sums["enter"]["count"], 10_000)
    )
    assert sums["enter"]["longest_ns"] == max(row["max_ns"] for row in enters) >= max(one["ns"] for one in at_till)


@OLDEST_AND_NEWEST
def test_over_leaves_out_what_was_short_but_counts_it(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    result = run("locks over 200ms stack 1", jvm.java, "-cp", compiled("locks"), "Locks", "held")
    (row,) = rows(result.report, "pay")
    assert (row["count"], row["shorter"]) == (2, 2)
    assert 2 * 2 * UNIT <= row["total_ns"] <= 2 * said(result, "holds-3")
    assert 0 < row["shorter_ns"] <= 2 * said(result, "holds-1")
    assert " <- " not in row["stack"]
    process = result.report["processes"][0]["locks"]
    assert (process["over_ns"], process["shorter"] >= 2, process["shorter_ns"] >= row["shorter_ns"]) == (
        200_000_000,
        True,
        True,
    )
    assert "shorter than 200 ms" in report_text(result)


def test_virtual_threads_are_seen(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    if jvm.version < VIRTUAL:
        pytest.skip("this JVM has no virtual threads")
    result = run(
        RULE,
        jvm.java,
        "-Xcheck:jni",
        "-Djdk.virtualThreadScheduler.parallelism=4",
        "-cp",
        compiled("locks"),
        "Locks",
        "virtual",
    )
    found = rows(result.report, "pay")
    assert total(found, "count") + total(found, "pending") == 4
    assert {row["held_by"] for row in found} == {"holds-for-virtual"}
    assert total(found, "pinned") == (0 if jvm.version >= UNPINNED else 4)


def test_beside_other_rules(find_jvm: FindJvm, compiled: Compiled, run: Run) -> None:
    result = run(
        ["count Locks::pay", RULE, "cpu every 10ms"], find_jvm(25).java, "-cp", compiled("locks"), "Locks", "held"
    )
    assert result.method("Locks::pay")["calls"] == 4
    assert total(rows(result.report, "pay"), "count") == 4
    assert result.report["cpu"]


# ---- what has not ended


@OLDEST_AND_NEWEST
def test_deadlocks_are_named_at_sigquit_and_who_is_blocked_outlives_a_kill(
    jvm: Jvm, compiled: Compiled, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    with deadlocked(jvm, compiled, data) as process:
        pid = pid_of(data)
        assert cycles(report_of(data)) == []
        os.kill(pid, signal.SIGQUIT)
        until(lambda: len(cycles(report_of(data))) >= 2)
        os.kill(pid, signal.SIGKILL)
        process.communicate()
    report = report_of(data)
    assert report["processes"][0]["end"] == "killed"
    assert cycles(report) == [THREE, TWO]
    assert all(
        one["at"].startswith(("Locks.both(", "Locks.lockBoth("))
        for threads in report["processes"][0]["deadlocks"]
        for one in threads
    )
    found = {row["monitor"]: row for row in rows(report, "both")}
    assert {monitor: row["held_by"] for monitor, row in found.items()} == dict(THREE.values())
    assert all((row["count"], row["pending"]) == (0, 1) for row in found.values())
    assert all(
        0 < row["pending_ns"] == row["total_ns"] <= report["processes"][0]["duration_ns"] for row in found.values()
    )
    text = execute([*classhook_command(), "report", data]).stdout
    assert "deadlock of 3 threads:\n    buys waits for Locks$Shelf@" in text
    assert "deadlock of 2 threads:" in text


@OLDEST_AND_NEWEST
def test_deadlocks_are_named_by_ctl_and_at_the_end(jvm: Jvm, compiled: Compiled, tmp_path: Path) -> None:
    data = tmp_path / "data"
    with deadlocked(jvm, compiled, data) as process:
        done = execute([*classhook_command(), "ctl", str(pid_of(data)), "--json", "threads"])
        text = execute([*classhook_command(), "ctl", str(pid_of(data)), "threads"]).stdout
        process.communicate("\n")
    assert done.status == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines[-1]["deadlocks"] == 2
    dead = {
        line["name"]: (line["deadlock"], line["waits_for"].partition("@")[0], line["held_by"])
        for line in lines
        if "deadlock" in line
    }
    assert {name: found[1:] for name, found in dead.items()} == {**THREE, **TWO}
    assert len({found[0] for name, found in dead.items() if name in THREE}) == 1
    buys = next(line for line in lines if line.get("name") == "buys" and "state" in line)
    assert (buys["state"], buys["held_by"]) == ("blocked", "fills")
    assert re.search(
        r"^deadlock \d: buys  waits for Locks\$Shelf@\w+, held by fills, at Locks\.both\(", text, re.MULTILINE
    )
    assert cycles(report_of(data)) == [THREE, TWO]


# ---- threads that attach themselves


@OLDEST_AND_NEWEST
def test_the_jvm_survives_threads_that_attach_themselves(
    jvm: Jvm, compiled: Compiled, run: Run, tmp_path: Path
) -> None:
    """JDK 25 crashes if it is asked for a holder meanwhile; without our care, at one of the first thousands."""
    from tests.live.conftest import made_library

    agent = f"-agentpath:{made_library(tmp_path, 'attaching.c')}=20000"
    result = run("locks", jvm.java, agent, "-Xmx64m", "-cp", compiled("locks"), "Locks", "many", "held")
    assert result.status == 0, result.stderr + result.stdout
    assert total(rows(result.report, "grab"), "count")
    assert {row["held_by"] for row in rows(result.report, "pay")} <= {"holds-3", "holds-1", ""}


# ---- a JVM that runs


@OLDEST_AND_NEWEST
def test_attached_detached_and_reset(jvm: Jvm, compiled: Compiled, tmp_path: Path) -> None:
    line = [jvm.java, "-Xcheck:jni", "-cp", compiled("locks"), "Locks", "asked"]
    with subprocess.Popen(line, env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"

        def classhook(*words: str | Path) -> None:
            done = execute([*classhook_command(), *words])
            assert done.status == 0, done.stderr

        def blocked(wanted: int) -> None:
            """Two threads are blocked once; then the report has this number, as soon as the two have gone on."""
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write("\n")
            process.stdin.flush()
            assert process.stdout.readline().startswith("holds-1 ")
            until(lambda: counted() == (wanted, 0))

        def counted() -> tuple[int, int]:
            found = rows(report_of(tmp_path / "data"), "pay")
            return total(found, "count"), total(found, "pending")

        pid = str(process.pid)
        classhook("attach", pid, "-e", "locks", "-o", tmp_path / "data")
        blocked(2)
        classhook("detach", pid)
        blocked(2)
        many = ("-e", "count java.util.**::size")  # classes that -Xcheck:jni counts while they are retransformed
        classhook("attach", pid, "-e", "count Locks::pay", *many, "-o", tmp_path / "data")
        blocked(2)
        classhook("ctl", pid, "rules", "add", "locks stack 1")
        blocked(4)
        classhook("ctl", pid, "reset")
        blocked(4)  # two of them in the first session, which has a file of its own
        classhook("report", "-f", "perfetto", tmp_path / "data", "-o", tmp_path / "t")
        shown = [
            one["name"] for name in ("payer-1", "payer-2") for one in on_track((tmp_path / "t").read_bytes(), name)
        ]
        assert shown.count("blocked: Locks$Till") == 4, shown
        process.stdin.close()
        assert "WARNING" not in process.stdout.read()
        assert process.wait(60) == 0


def test_a_second_rule_or_wrong_numbers_are_refused(tmp_path: Path) -> None:
    for rules, message in (
        (["locks over 1ms", "locks"], "a second rule `locks`"),
        (["locks stack 0"], "from `1` to `256`"),
        (["locks com.acme.**"], "is about the whole process"),
        (["locks over 5"], "a duration"),
        (["cpu over 1ms"], "or `locks`, not for `cpu`"),
    ):
        done = execute([*classhook_command(), "check", *(word for rule in rules for word in ("-e", rule))])
        assert (done.status, message in done.stderr) == (2, True), (rules, done.stderr)

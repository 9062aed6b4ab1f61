"""Rule `threads`: what each thread did is counted as its own, on every JVM, in every kind of thread; and the sums are
those without it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ENVIRONMENT, PATIENCE, Compiled, Jvm, Run, classhook_command, execute, run_line

VIRTUAL = 21  # the first JDK with virtual threads
VIRTUALS = 60
SHORTS = 300
ALIKE = 256  # names that differ in their last number: MOST_ALIKE in native/threads/thread_names.c
NOBODY = None

Part = dict[str, Any]


def by_thread(data: Path, by: str = "thread") -> dict[str | None, Part]:
    done = execute([*classhook_command(), "report", "-f", "json", "--by", by, data])
    return {one["thread"]: one for one in json.loads(done.stdout)["threads"]}


def steps(parts: dict[str | None, Part]) -> dict[str | None, int]:
    """Calls of `step`, as java/Workers.java makes them, without what is zero."""
    found = {
        name: sum(row["calls"] for row in part["methods"] if row["method"] == "step") for name, part in parts.items()
    }
    return {name: calls for name, calls in found.items() if calls}


def expected(shorts: int, virtuals: int) -> dict[str | None, int]:
    short = {f"Thread-{i}": 2 for i in range(min(shorts, ALIKE))}
    return {
        "main": 7,
        "alpha": 10_000,
        "beta": 600,
        **{f"pool-1-thread-{i}": 1000 for i in (1, 2, 3)},
        **short,
        **({"Thread-*": 2 * (shorts - ALIKE)} if shorts > ALIKE else {}),
        **({"[virtual threads]": 20 * virtuals} if virtuals else {}),
    }


def words_of(jvm: Jvm, classes: Path, shorts: int = SHORTS, millis: int = 0, *more: str) -> list[str | Path]:
    """The program's command."""
    virtuals = VIRTUALS if jvm.version >= VIRTUAL else 0
    return [
        jvm.java,
        "-Xverify:all",
        "-Xcheck:jni",
        "-cp",
        classes,
        "Workers",
        str(shorts),
        str(virtuals),
        str(millis),
        *more,
    ]


@pytest.mark.every_jvm
@pytest.mark.parametrize("rule", ["count", "time", "profile"])
def test_each_thread_has_what_it_did(jvm: Jvm, compiled: Compiled, run: Run, rule: str) -> None:
    result = run(["threads", f"{rule} Workers::step*", "alloc * in Workers"], *words_of(jvm, compiled("Workers")))
    assert result.status == 0, result.stderr
    assert "WARNING" not in result.stdout + result.stderr
    assert result.data is not None
    parts, wanted = by_thread(result.data), expected(SHORTS, VIRTUALS if jvm.version >= VIRTUAL else 0)
    assert steps(parts) == wanted
    items = {
        name: sum(site["count"] for site in part["allocations"] if site["type"] == "Workers$Item")
        for name, part in parts.items()
    }
    assert {name: count for name, count in items.items() if count} == wanted
    assert {name: parts[name]["threads"] for name in ("main", "alpha", "beta", "Thread-7", "Thread-*")} == {
        "main": 1,
        "alpha": 1,
        "beta": 2,
        "Thread-7": 1,
        "Thread-*": SHORTS - ALIKE,
    }
    assert {name: part["method_calls"] for name, part in parts.items() if name in ("alpha", "Thread-*")} == {
        "alpha": 10_001,
        "Thread-*": 3 * (SHORTS - ALIKE),
    }
    whole = {row["method"]: row for row in result.report["methods"]}
    for column in ("calls", "completed", "exceptions", "self_ns", "total_ns") if rule == "time" else ("calls",):
        for method, row in whole.items():
            each = [part[column] for one in parts.values() for part in one["methods"] if part["method"] == method]
            assert abs(sum(each) - row[column]) <= (len(each) if column.endswith("_ns") else 0), (column, method)
    sites = [
        (row["method"], row["type"], row["line"], row["count"], row["bytes"]) for row in result.report["allocations"]
    ]
    for method, type_name, line, count, bytes_ in sites:
        same = [
            row
            for one in parts.values()
            for row in one["allocations"]
            if (row["method"], row["type"], row["line"]) == (method, type_name, line)
        ]
        assert (sum(row["count"] for row in same), sum(row["bytes"] for row in same)) == (count, bytes_)
    pools = steps(by_thread(result.data, "pool"))
    assert {name: pools[name] for name in ("pool-1-thread-*", "Thread-*", "alpha")} == {
        "pool-1-thread-*": 3000,
        "Thread-*": 2 * SHORTS,
        "alpha": 10_000,
    }


@pytest.mark.every_jvm
def test_samples_monitors_and_trees_by_thread(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    rules = [
        "threads",
        "cpu every 1ms",
        "locks",
        "time Workers::* tree",
        "profile Workers::burn every 1ms",
        "alloc Workers$Item live every 1KB",
    ]
    result = run(rules, *words_of(jvm, compiled("Workers"), 20, 80))
    assert result.status == 0, result.stderr
    assert result.data is not None
    parts = by_thread(result.data)
    whole = result.report
    for table, column in (("cpu", "cpu_self_ns"), ("locks", "total_ns"), ("locks", "count"), ("objects", "sampled")):
        total = sum(row[column] for row in whole[table])
        assert total > 0, (table, column)
        assert sum(row[column] for part in parts.values() for row in part[table]) == total, (table, column)
    burnt = {
        name: sum(row["cpu_self_ns"] for row in part["cpu"] if row["method"] == "burn") for name, part in parts.items()
    }
    assert {name for name, ns in burnt.items() if ns} <= {"alpha", "beta"}
    assert burnt["alpha"] > 0
    blocked = {
        name: part["blocked_ns"]
        for name, part in parts.items()
        if any(row["method"] == "locked" for row in part["locks"])
    }
    assert blocked.keys() == {"contender"}
    assert blocked["contender"] >= 50_000_000
    of_alpha = execute(
        [*classhook_command(), "report", "--thread", "alpha", "-f", "collapsed", "--measure", "time", result.data]
    ).stdout
    assert "Workers.steps;Workers.step " in of_alpha
    assert "Workers.main" not in of_alpha.replace(" ", ";").split(";")


@pytest.mark.every_jvm
def test_a_killed_program_leaves_its_threads(jvm: Jvm, compiled: Compiled, tmp_path: Path) -> None:
    line = run_line(
        ["threads", "count Workers::step*"], tmp_path / "data", words_of(jvm, compiled("Workers"), 20, 0, "stays")
    )
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "counted\n"
        running = steps(by_thread(tmp_path / "data"))
        done = execute([*classhook_command(), "report", "-f", "json", tmp_path / "data"])
        os.kill(json.loads(done.stdout)["processes"][0]["pid"], signal.SIGKILL)
        process.wait(PATIENCE)
    wanted = {**expected(20, VIRTUALS if jvm.version >= VIRTUAL else 0), "stays": 1}
    assert running == wanted
    assert steps(by_thread(tmp_path / "data")) == wanted


@pytest.mark.every_jvm
def test_threads_and_contexts(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    """Calls in a context belong to the thread that made them, whichever thread was in the context before."""
    rules = ["threads", "context Workers::steps", "count Workers::step*"]
    result = run(rules, *words_of(jvm, compiled("Workers"), 20))
    assert result.status == 0, result.stderr
    assert result.data is not None
    wanted = expected(20, VIRTUALS if jvm.version >= VIRTUAL else 0)
    assert steps(by_thread(result.data)) == wanted
    done = execute(
        [*classhook_command(), "report", "-f", "json", "--context", "Workers.steps", "--by", "thread", result.data]
    )
    assert steps({one["thread"]: one for one in json.loads(done.stdout)["threads"]}) == wanted


@pytest.mark.any_jvm
def test_threads_that_are_chosen(jvm: Jvm, compiled: Compiled, run: Run, tmp_path: Path) -> None:
    """By name or pattern; and what cannot be chosen is said."""
    result = run(["threads", "count Workers::step*"], *words_of(jvm, compiled("Workers"), 5))
    assert result.data is not None

    def report(*words: str | Path) -> Any:
        return execute([*classhook_command(), "report", *words])

    chosen = {
        name: sum(
            row["calls"]
            for row in json.loads(report("-f", "json", "--thread", name, result.data).stdout)["methods"]
            if row["method"] == "step"
        )
        for name in ("alpha", "pool-*", "*-1", "")
    }
    assert chosen == {"alpha": 10_000, "pool-*": 3000, "*-1": 1002, "": 0}
    text = report("--by", "pool", "--top", "2", result.data).stdout
    assert "==== of alpha" in text
    assert "==== of pool-1-thread-*" in text
    assert "more names of threads; --top N" in text
    wrong = report("--thread", "gamma", result.data)
    assert (wrong.status, wrong.stdout) == (2, "")
    assert "no thread 'gamma'; there are " in wrong.stderr
    plain = run("count Workers::step*", *words_of(jvm, compiled("Workers"), 1))
    assert plain.data is not None
    wrong = report("--by", "thread", plain.data)
    assert wrong.status == 2
    assert "add the rule `threads`" in wrong.stderr


@pytest.mark.any_jvm
def test_many_short_threads_take_bounded_memory(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    """With a multiple of the threads, the data is as large."""
    sizes = []
    for shorts in (2_000, 8_000):
        result = run(
            ["threads", "time Workers::step*"], jvm.java, "-cp", compiled("Workers"), "Workers", str(shorts), "0", "0"
        )
        assert result.data is not None
        (file,) = (path.resolve() for path in result.data.glob("*.classhook"))
        sizes.append(file.stat().st_blocks)
        if shorts == 2_000:
            assert steps(by_thread(result.data))["Thread-*"] == 2 * (shorts - ALIKE)
    assert sizes[1] <= sizes[0] * 1.2

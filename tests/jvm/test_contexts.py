"""Rules `context`: what runs in a context counts there, on every JVM, in every kind of thread; and the sums are those
without contexts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests import schema
from tests.conftest import ENVIRONMENT, PATIENCE, Compiled, Jvm, Result, Run, classhook_command, execute, run_line

pytestmark = pytest.mark.every_jvm

VIRTUAL = 21  # the first JDK with virtual threads
CONTEXTS = (
    'context Contexts::get as "get"',
    "context Contexts::post, Contexts::within, Contexts::waits, Contexts::waitsForever",
)
EACH = 100  # of java/Contexts.java
OUTSIDE = None

Counts = dict[str | None, dict[str, int]]


def contexts_of(data: Path | None) -> list[dict[str, Any]]:
    """The report's parts."""
    done = execute([*classhook_command(), "report", "-f", "json", "--by", "context", data or Path()])
    found: list[dict[str, Any]] = json.loads(done.stdout)["contexts"]
    return found


def by_context(data: Path) -> Counts:
    """Calls by context and method, without what is zero."""
    return {
        one["context"]: {row["method"]: row["calls"] for row in one["methods"] if row["calls"]}
        for one in contexts_of(data)
    }


def parts_of(contexts: list[dict[str, Any]], method: str, column: str) -> list[Any]:
    """A column of a method, in each context that has the method."""
    return [part[column] for one in contexts for part in one["methods"] if part["method"] == method]


def ended(result: Result) -> dict[str, dict[str, Any]]:
    """The contexts by name, of which all times have ended."""
    rows = {row["context"]: row for row in result.report["contexts"] if row["context"]}
    assert {name: row["completed"] for name, row in rows.items()} == {
        name: row["entered"] for name, row in rows.items()
    }
    return rows


def expected(threads: int, rounds: int) -> Counts:
    entered = rounds // EACH
    found: Counts = {
        OUTSIDE: {"leaf": rounds + 1, "again": 1, "loop": 1},
        "get": {"get": 2 * entered + 1, "leaf": 3 * (2 * entered + 1)},
        "Contexts.post": {"post": entered, "leaf": entered + entered},
        "Contexts.within": {"within": 4, "again": 4, "leaf": 4},
        "Contexts.waits": {"waits": 1, "leaf": 2, "pause": 2},
    }
    return {context: {name: threads * calls for name, calls in counts.items()} for context, counts in found.items()}


def run_in_contexts(run: Run, rule: str, jvm: Jvm, classes: Path, kind: str, threads: int, rounds: int) -> Result:
    result = run(
        [*CONTEXTS, rule],
        jvm.java,
        "-Xverify:all",
        "-Xcheck:jni",
        "-cp",
        classes,
        "Contexts",
        kind,
        str(threads),
        str(rounds),
    )
    assert result.status == 0, result.stderr
    assert "WARNING" not in result.stdout + result.stderr
    return result


@pytest.mark.parametrize("kind", ["platform", "virtual"])
@pytest.mark.parametrize("rule", ["count", "time", "profile"])
def test_calls_count_in_the_innermost_context(jvm: Jvm, compiled: Compiled, run: Run, rule: str, kind: str) -> None:
    if kind == "virtual" and jvm.version < VIRTUAL:
        pytest.skip("this JVM has no virtual threads")
    threads, rounds = (8, 200_000) if kind == "platform" else (200, 2_000)
    result = run_in_contexts(run, f"{rule} Contexts::*", jvm, compiled("Contexts"), kind, threads, rounds)
    assert result.data is not None
    rows = ended(result)
    assert rows["Contexts.waits"]["p50_ns"] > 1_900_000, "it sleeps for 2 ms, as a virtual thread unmounted"
    assert rows["Contexts.waits"]["total_ns"] <= threads * rows["Contexts.waits"]["max_ns"]
    found = by_context(result.data)
    found[OUTSIDE] = {name: calls for name, calls in found[OUTSIDE].items() if name in ("leaf", "again", "loop")}
    assert found == expected(threads, rounds)
    sums: dict[str, int] = {}
    for counts in by_context(result.data).values():
        for name, calls in counts.items():
            sums[name] = sums.get(name, 0) + calls
    assert sums == {row["method"]: row["calls"] for row in result.report["methods"] if row["calls"]}


@pytest.mark.core
def test_times_of_all_contexts_are_those_without(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    """Also of a method that is active in several: only the outermost activation adds to its total."""
    result = run_in_contexts(run, "time Contexts::*", jvm, compiled("Contexts"), "platform", 4, 50_000)
    metrics = execute([*classhook_command(), "report", "-f", "openmetrics", result.data or Path()]).stdout
    for row in ended(result).values():
        assert f'classhook_context_p99_seconds{{context="{row["context"]}"}} {row["p99_ns"] * 1e-9:.12g}\n' in metrics
    contexts = contexts_of(result.data)
    for column in ("total_ns", "self_ns", "completed", "exceptions"):
        for row in result.report["methods"]:
            parts = parts_of(contexts, row["method"], column)
            assert abs(sum(part or 0 for part in parts) - (row[column] or 0)) <= len(parts), (column, row["method"])
    again = {one["context"]: part for one in contexts for part in one["methods"] if part["method"] == "again"}
    assert again[OUTSIDE]["total_ns"] >= again["Contexts.within"]["self_ns"] > 0
    assert again["Contexts.within"]["total_ns"] == 0


def test_profiled_times_of_all_contexts_are_those_without(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    """Also of methods that are around a context, and were called outside of it."""
    result = run_in_contexts(run, "profile Contexts::*", jvm, compiled("Contexts"), "platform", 4, 400_000)
    contexts = contexts_of(result.data)
    for column in ("cpu_self_ns", "cpu_total_ns", "wall_self_ns", "wall_total_ns"):
        for row in result.report["methods"]:
            parts = parts_of(contexts, row["method"], column)
            assert sum(parts) == row[column], (column, row["method"])


def test_a_killed_program_leaves_its_contexts(jvm: Jvm, compiled: Compiled, tmp_path: Path) -> None:
    line = run_line(
        [*CONTEXTS, "count Contexts::*"],
        tmp_path / "data",
        [jvm.java, "-cp", compiled("Contexts"), "Contexts", "hangs", "2", "1000"],
    )
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "counted\n"
        done = execute([*classhook_command(), "report", "-f", "json", tmp_path / "data"])
        os.kill(json.loads(done.stdout)["processes"][0]["pid"], signal.SIGKILL)
        process.wait(PATIENCE)
    found = by_context(tmp_path / "data")
    assert found["Contexts.waitsForever"] == {"leaf": 1, "waitsForever": 1}, "of an open context, too"
    assert found["get"] == expected(2, 1000)["get"]


ROUNDS = 100
#: Calls of `leaf` in a round.
HANDED_OVER = {"thread": 10, "pool": 11, "fork": 64, "future": 2, "timer": 1, "scheduled": 1}


@pytest.mark.parametrize("rule", ["count", "time", "profile"])
def test_tasks_run_in_the_context_that_submitted_them(jvm: Jvm, compiled: Compiled, run: Run, rule: str) -> None:
    virtual = jvm.version >= VIRTUAL
    names = {**HANDED_OVER, **({"virtual": 3} if virtual else {})}
    contexts = ", ".join(f"Tasks::{name}" for name in names)
    words = ["Tasks", str(ROUNDS), *(["virtual"] if virtual else [])]
    result = run(
        [f"context {contexts}", f"{rule} Tasks::leaf"],
        jvm.java,
        "-Xverify:all",
        "-Xcheck:jni",
        "-cp",
        compiled("Tasks"),
        *words,
    )
    assert result.status == 0, result.stderr
    assert "WARNING" not in result.stdout + result.stderr
    found = by_context(result.data or Path())
    outside = found.pop(OUTSIDE)["leaf"]
    assert {context: counts["leaf"] for context, counts in found.items()} == {
        f"Tasks.{name}": n * ROUNDS for name, n in names.items()
    }
    assert outside == 6 * ROUNDS, "what was submitted outside of contexts, though by threads that were in some before"


#: Calls of `leaf` in each of the three rounds of Parallel.java.
DIVIDED = {"stream": 64, "setAll": 100, "map": 50, "invoked": 5, "allInvoked": 28, "delayed": 1, "timedOut": 2}


def test_work_that_the_jdk_divides_or_delays_belongs_to_its_context(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    contexts = f"context Parallel::{{{','.join(DIVIDED)}}}"
    result = run(
        [contexts, "count Parallel::leaf"],
        jvm.java,
        "-Xverify:all",
        "-Xcheck:jni",
        "-cp",
        compiled("Parallel"),
        "Parallel",
    )
    assert (result.status, "WARNING" in result.stdout + result.stderr) == (0, False), result.stderr
    found = {context: calls["leaf"] for context, calls in by_context(result.data or Path()).items()}
    assert found == {OUTSIDE: 3, **{f"Parallel.{name}": 3 * n for name, n in DIVIDED.items()}}


ONWARD = (
    'context Onward::serve as "request"',
    "context Onward::one, Onward::two onward",
    "context Onward::serveAndSubmit",
)


@pytest.mark.parametrize("kind", ["platform", "virtual"])
@pytest.mark.parametrize("rule", ["count", "time", "profile"])
def test_what_follows_a_handler_belongs_to_its_context(
    jvm: Jvm, compiled: Compiled, run: Run, rule: str, kind: str
) -> None:
    """With `onward`, until the request ends; also the tasks of a library's queue. An activation belongs to the context
    in which it began."""
    if kind == "virtual" and jvm.version < VIRTUAL:
        pytest.skip("this JVM has no virtual threads")
    threads, rounds = (8, 2_000) if kind == "platform" else (100, 100)
    words = ["-Xverify:all", "-Xcheck:jni", "-cp", compiled("onward"), "Onward", kind, str(threads), str(rounds)]
    result = run([*ONWARD, f"{rule} Onward::*"], jvm.java, *words)
    assert (result.status, "WARNING" in result.stdout + result.stderr) == (0, False), result.stderr
    times = ended(result)
    found = by_context(result.data or Path())
    assert {context: calls["leaf"] for context, calls in found.items() if "leaf" in calls} == {
        "request": threads * 6 * rounds,
        "Onward.one": threads * (9 * rounds + 1),
        "Onward.two": threads * 13 * rounds,
        OUTSIDE: threads * (rounds + 1),
    }
    began = {
        name: {context: calls[name] for context, calls in found.items() if name in calls}
        for name in ("dispatch", "around", "held")
    }
    assert began == {
        "dispatch": {"request": threads * 3 * rounds},
        "around": {"Onward.one": threads * 2 * rounds, "Onward.two": threads * 4 * rounds},
        "held": {"Onward.one": threads * rounds},
    }
    if rule != "time":
        return
    done = execute([*classhook_command(), "report", "-f", "json", "--by", "context", result.data or Path()])
    rows = [row for one in json.loads(done.stdout)["contexts"] for row in one["methods"]]
    assert all(row["calls"] == row["completed"] for row in rows), "each ends where it began"
    for name in ("one", "two"):
        assert times[f"Onward.{name}"]["total_ns"] > result.method(f"Onward::{name}")["total_ns"], "with what follows"
    for row in result.report["methods"]:
        parts = [part for part in rows if part["method"] == row["method"]]
        for column in ("total_ns", "self_ns", "exceptions"):
            assert abs(sum(part[column] for part in parts) - row[column]) <= len(parts), (column, row["method"])


def test_stock_contexts_are_found_by_annotations(jvm: Jvm, compiled: Compiled, tmp_path: Path) -> None:
    words = [
        "run",
        "--quiet",
        "-r",
        "tests",
        "-r",
        "endpoints",
        "-e",
        "count Annotated::leaf",
        "-o",
        tmp_path / "data",
        "--",
        jvm.java,
    ]
    assert execute([*classhook_command(), *words, "-cp", compiled("Annotated"), "Annotated"]).status == 0
    calls = {"Annotated.one": 10, "Annotated.two": 20, "Annotated.get": 30, OUTSIDE: 10}
    assert by_context(tmp_path / "data") == {context: {"leaf": n} for context, n in calls.items()}


@pytest.mark.alone
def test_every_measure_is_told_apart(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    contexts = "context Everything::cpu, Everything::locks, Everything::allocates, Everything::calls"
    rules = [contexts, "cpu every 2ms", "locks", "alloc byte[] in Everything every 0", "watch Everything::watched"]
    result = run(rules, jvm.java, "-Xverify:all", "-Xcheck:jni", "-cp", compiled("Everything"), "Everything")
    assert result.status == 0, result.stderr
    done = execute([*classhook_command(), "report", "-f", "json", "--by", "context", result.data or Path()])
    schema.check(json.loads(done.stdout))
    found = {(one["context"] or "").rpartition(".")[2]: one for one in json.loads(done.stdout)["contexts"]}
    sums = {"cpu_ns": ("cpu", "cpu_self_ns"), "allocated_bytes": ("allocations", "bytes")}
    for cost, (table, column) in sums.items():
        assert {name: one[cost] or 0 for name, one in found.items()} == {
            name: sum(row[column] for row in one[table]) for name, one in found.items()
        }

    def sums_of(table: str, value: str, **wanted: str) -> dict[str, int]:
        """The sum of a column by context, over rows that have these values."""
        rows = {name: [row for row in one[table] if wanted.items() <= row.items()] for name, one in found.items()}
        return {name: sum(row[value] for row in own) for name, own in rows.items() if own}

    burnt = sums_of("cpu", "cpu_self_ns", method="work")
    assert 0.5 < burnt["cpu"] / 200e6 < 1.5
    assert 0.5 < burnt["locks"] / 80e6 < 1.5, "that of the thread that was started there, too"
    assert 0.5 < burnt[""] / 100e6 < 1.5
    assert sums_of("locks", "count", method="locks", event="enter") == {"locks": 1}
    assert sums_of("allocations", "count", method="objects") == {"allocates": 2000, "": 1000}
    assert sums_of("objects", "sampled", method="objects") == {"allocates": 2000, "": 1000}
    assert {name: [row["args"] for row in one["calls"]] for name, one in found.items() if one["calls"]} == {
        "calls": [{"n": 0}, {"n": 1}, {"n": 2}],
        "": [{"n": 9}],
    }
    whole = result.report
    for table in ("cpu", "locks", "allocations", "objects", "calls"):
        assert {row["method"] for row in whole[table]} >= {
            row["method"] for one in found.values() for row in one[table]
        }


KEYS = {
    'byPath by arg1.path as "endpoint"': {"endpoint [/orders]": 90, "endpoint [/users é]": 180, "endpoint [null]": 30},
    "byPath by arg1.kind": {
        "ContextKeys.byPath [GET]": 150,
        "ContextKeys.byPath [POST]": 120,
        "ContextKeys.byPath [null]": 30,
    },
    "byPath by arg0": {f"ContextKeys.byPath [{i}]": 1 for i in range(300)},
    "byNumber by arg1": {"ContextKeys.byNumber [0.5]": 300},
    "byThis by this.name": {"ContextKeys.byThis [shop0]": 150, "ContextKeys.byThis [shop1]": 150},
    "byPath by arg1.kind, arg1.tenant": {
        "ContextKeys.byPath [GET, 0]": 75,
        "ContextKeys.byPath [GET, 2]": 75,
        "ContextKeys.byPath [POST, 1]": 60,
        "ContextKeys.byPath [POST, 3]": 60,
        "ContextKeys.byPath [null, null]": 30,
    },
    'byNumber when arg0 != 2 by arg0 , arg1, arg0 as "of three"': {
        f"of three [{i}, 0.5, {i}]": 60 for i in (0, 1, 3, 4)
    },
    "byThis by arg0,this.name": {f"ContextKeys.byThis [x, shop{i}]": 150 for i in range(2)},
    "byPath by arg1": {"ContextKeys.byPath [ContextKeys$Request]": 270, "ContextKeys.byPath [null]": 30},
}


@pytest.mark.parametrize("by", KEYS)
def test_values_name_contexts(jvm: Jvm, compiled: Compiled, run: Run, by: str) -> None:
    rules = [f"context ContextKeys::{by}", "count ContextKeys::leaf"]
    result = run(rules, jvm.java, "-Xverify:all", "-Xcheck:jni", "-cp", compiled("ContextKeys"), "ContextKeys")
    assert result.status == 0, result.stderr
    assert "WARNING" not in result.stdout + result.stderr
    assert {row["context"]: row["entered"] for row in result.report["contexts"]} == KEYS[by]

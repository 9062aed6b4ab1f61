"""More contexts than there is room for blocks: what ended is sealed, and nothing is lost or counted twice, also where
the process is killed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from classhook.model.reading.files import data_files, read
from classhook.model.snapshot import Snapshot
from classhook.store.reading import read_file
from classhook.store.rotation import rotate
from tests.conftest import ENVIRONMENT, PATIENCE, Compiled, Jvm, Run, run_line

CONTEXT = 'context ManyContexts::job by arg0 as "job"'
VIRTUAL = 21  # the first JDK with virtual threads

Calls = dict[str, int]


def expected(job: int, entered: int) -> Calls:
    rare = entered * (job % 3 == 0)
    calls = {"job": entered, "leaf": entered * (job % 5 + 1) + rare, "rare": rare}
    return {method: n for method, n in calls.items() if n}


def number(name: str) -> int:
    return int(name.partition("[")[2].rstrip("]"))


def found_in(snapshot: Snapshot) -> dict[str, Calls]:
    """Calls by context and method; "": outside of all."""
    assert snapshot.each_context is not None
    return {
        name: {key[1]: row.calls for key, row in one.tables["methods"].items() if row.calls}
        for name, one in snapshot.each_context()
    }


def sums(each: dict[str, Calls]) -> Calls:
    found: Calls = {}
    for calls in each.values():
        for method, n in calls.items():
            found[method] = found.get(method, 0) + n
    return found


def read_data(data: Path) -> Snapshot:
    return read(data_files([data]))


@pytest.mark.every_jvm
@pytest.mark.parametrize("kind", ["platform", "virtual"])
@pytest.mark.parametrize("rule", ["count", "time", "profile"])
def test_contexts_that_share_blocks(jvm: Jvm, compiled: Compiled, run: Run, rule: str, kind: str) -> None:
    """A thousand jobs, each by all threads several times."""
    if kind == "virtual" and jvm.version < VIRTUAL:
        pytest.skip("this JVM has no virtual threads")
    threads, jobs, rounds = (4, 1000, 4) if kind == "platform" else (40, 500, 1)
    words = ["ManyContexts", kind, *map(str, (threads, jobs, rounds))]
    result = run(
        [CONTEXT, f"{rule} ManyContexts::*"],
        jvm.java,
        "-Xverify:all",
        "-Xcheck:jni",
        "-cp",
        compiled("ManyContexts"),
        *words,
    )
    assert result.status == 0, result.stderr
    assert "WARNING" not in result.stdout + result.stderr
    snapshot = read_data(result.data or Path())
    assert snapshot.complete
    assert set(snapshot.entered.values()) == {threads * rounds}
    assert {row.times.completed for row in snapshot.tables["contexts"].values()} == {threads * rounds}
    each = found_in(snapshot)
    outside = each.pop("")
    assert {name: calls for name, calls in each.items() if calls != expected(number(name), threads * rounds)} == {}
    assert len(each) == jobs
    assert outside["leaf"] == threads * jobs * rounds
    assert sums({**each, "": outside}) == {
        key[1]: row.calls for key, row in snapshot.tables["methods"].items() if row.calls
    }


@pytest.mark.any_jvm
def test_ten_thousand_contexts(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    """Each is entered once, so that few blocks are enough; and what else was measured is told apart, too."""
    rules = [CONTEXT, "time ManyContexts::*", "alloc int[] in ManyContexts"]
    result = run(rules, jvm.java, "-cp", compiled("ManyContexts"), "ManyContexts", "platform", "1", "10000", "1")
    assert result.status == 0, result.stderr
    (path,) = data_files([result.data or Path()])
    file = read_file(path)
    assert len(file.blocks) < 100
    assert len(file.sealed) > 9000
    snapshot = read([path])
    assert snapshot.each_context is not None
    arrays, own = 0, 0
    for name, one in snapshot.each_context():
        rows = {key[1]: row for key, row in one.tables["methods"].items() if row.calls}
        if name:
            assert {method: row.completed for method, row in rows.items()} == expected(number(name), 1)
            own += rows["leaf"].self_ns
        found = {key[5]: row.count for key, row in one.tables["allocations"].items() if row.count}
        assert found == ({"int[]": 1} if name and number(name) % 3 == 0 else {})
        arrays += sum(found.values())
    assert arrays == 3334
    assert 0 < own <= sum(row.self_ns for key, row in snapshot.tables["methods"].items() if key[1] == "leaf")


def open_jobs(snapshot: Snapshot, each: dict[str, Calls]) -> int:
    """Counts the jobs that were under way: some of their calls are missing. Asserts that no context has too many."""
    under_way = 0
    for name, entered in snapshot.entered.items():
        calls = each[name]
        ended = next(
            n
            for n in range(entered, -1, -1)
            if all(calls.get(method, 0) >= m for method, m in expected(number(name), n).items())
        )
        whole = expected(number(name), entered)
        assert all(n <= whole.get(method, 0) for method, n in calls.items()), (name, entered, calls)
        under_way += entered - ended
    return under_way


@pytest.mark.any_jvm
@pytest.mark.parametrize("rule", ["count", "time"])
def test_killed_at_any_moment(jvm: Jvm, compiled: Compiled, tmp_path: Path, rule: str) -> None:
    """Also while a block is sealed, or a part put back: which are most of what these threads do."""
    threads, jobs = 2, 3001
    moments = random.Random(rule)
    for attempt in range(2):
        data = tmp_path / f"data{attempt}"
        words = [jvm.java, "-cp", compiled("ManyContexts"), "ManyContexts", "platform", str(threads), str(jobs), "0"]
        with subprocess.Popen(
            run_line([CONTEXT, f"{rule} ManyContexts::*"], data, words),
            stdout=subprocess.PIPE,
            text=True,
            env=ENVIRONMENT,
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "started\n"
            (path,) = data_files([data])
            end = time.monotonic() + PATIENCE
            while not read_file(path).sealed and time.monotonic() < end:
                pass
            time.sleep(moments.random())
            os.kill(read_file(path).header.pid, signal.SIGKILL)
            process.wait(PATIENCE)
        snapshot = read_data(data)
        assert snapshot.processes[0].end == "killed"
        each = found_in(snapshot)
        assert open_jobs(snapshot, each) <= threads
        assert sums(each) == {key[1]: row.calls for key, row in snapshot.tables["methods"].items() if row.calls}


@pytest.mark.slow
@pytest.mark.any_jvm
def test_while_the_program_runs(jvm: Jvm, compiled: Compiled, tmp_path: Path) -> None:
    """Reports, resets and copies meanwhile neither lose a context nor count one twice."""
    threads, jobs = 2, 3001
    data = tmp_path / "data"
    words = [jvm.java, "-cp", compiled("ManyContexts"), "ManyContexts", "platform", str(threads), str(jobs), "0"]
    with subprocess.Popen(
        run_line([CONTEXT, "count ManyContexts::*"], data, words), stdout=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        (path,) = data_files([data])
        end = time.monotonic() + PATIENCE
        while len(read_file(path).sealed) < 500 and time.monotonic() < end:
            pass
        before: dict[str, Calls] = {}
        for _ in range(2):
            each = found_in(read([path]))
            for name, calls in before.items():
                assert each[name].get("job", 0) >= calls.get("job", 0), "it was lost"
            before = each
        last = read_data(data).entered
        assert all(calls.get("job", 0) <= last[name] for name, calls in before.items() if name), "it was counted twice"
        assert rotate(path)
        os.kill(read_file(path).header.pid, signal.SIGKILL)
        process.wait(PATIENCE)
    assert len(data_files([data])) == 2
    snapshot = read_data(data)
    assert open_jobs(snapshot, found_in(snapshot)) <= threads

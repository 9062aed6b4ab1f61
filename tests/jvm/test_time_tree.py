"""The exact tree of calls, `time ... tree`: numbers of calls on paths that are known (java/Paths.java)."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from classhook.measures.time.reader import EXACT_TREE
from classhook.model.reading.files import data_files, read
from classhook.model.snapshot import Snapshot
from tests.conftest import (
    ENVIRONMENT,
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

pytestmark = pytest.mark.every_jvm  # of virtual threads, each has its own

RULE = "time Paths*::* tree"
VIRTUAL = 21  # the first JDK with virtual threads
DEEPEST = 512
ROOM = 1 << 20  # nodes

Path_ = tuple[str, ...]


@pytest.fixture(scope="module")
def parts(jvm: Jvm, compiled: Compiled, run: Run) -> Result:
    names = ["plain", "recursion", "exceptions", "threads"] + ["virtual"] * (jvm.version >= VIRTUAL)
    result = run(RULE, jvm.java, "-Xverify:all", "-cp", compiled("Paths"), "Paths", *names)
    assert result.status == 0, result.stderr
    return result


def snapshot_of(data: Path | None) -> Snapshot:
    assert data
    return read(data_files([data]))


def paths(data: Path | None, *below: str) -> dict[Path_, int]:
    """The number of calls of each path, from below `below` on; of the methods' names, constructors with their
    class's."""
    call = snapshot_of(data).exact_tree
    for name in below:
        call = next(child for child in call.children.values() if child.method and child.method[1] == name)
    found: dict[Path_, int] = {}
    todo = [(child, ()) for child in call.children.values()]
    while todo:
        call, path = todo.pop()
        assert call.method
        own = (*path, call.method[0].rpartition("$")[2] if call.method[1] == "<init>" else call.method[1])
        found[own] = call.calls
        todo += [(child, own) for child in call.children.values()]
    return found


def assert_adds_up(data: Path | None) -> None:
    """Asserts that the tree's sums are those of the table: calls exactly, times but for rounding."""
    snapshot = snapshot_of(data)
    assert snapshot.complete
    sums: dict[object, tuple[int, int, int]] = {}
    for call, entered in snapshot.exact_tree.walk():
        if entered and call.method:
            calls, own, nodes = sums.get(call.method, (0, 0, 0))
            sums[call.method] = (calls + call.calls, own + call.wall, nodes + 1)
    rows = {key: row for key, row in snapshot.tables["methods"].items() if row.calls}
    tree = EXACT_TREE.get(snapshot.processes[0])
    assert tree
    assert {key: calls for key, (calls, _, _) in sums.items()} == {key: row.calls for key, row in rows.items()}
    for key, row in rows.items():
        assert abs(sums[key][1] - row.self_ns) <= tree.nodes, key


def test_calls_of_each_path(parts: Result) -> None:
    assert paths(parts.data, "main", "plain") == {("leaf",): 31, ("twice",): 30, ("twice", "leaf"): 60}


def test_recursion(parts: Result) -> None:
    expected = {("direct",) * n: 10 for n in range(1, 6)} | {(*["direct"] * 5, "leaf"): 10}
    expected |= {("even", "odd", "even", "odd")[:n]: 10 for n in range(1, 5)}
    assert paths(parts.data, "main", "recursion") == expected


def test_exceptions_end_the_paths_that_they_leave(parts: Result) -> None:
    """Also that of a constructor whose super() threw: its frame has no exit."""
    assert paths(parts.data, "main", "exceptions") == {
        ("passes",): 7,
        ("passes", "fails"): 7,
        ("passes", "fails", "leaf"): 7,
        ("twice",): 7,
        ("twice", "leaf"): 14,
        ("leaf",): 4,
        ("Derived",): 7,
        ("Derived", "Base"): 7,
        ("Derived", "leaf"): 3,
    }


def test_threads_count_on_the_same_paths(parts: Result) -> None:
    found = paths(parts.data)
    assert {path: n for path, n in found.items() if path[:2] == ("run", "inThread")} == {
        ("run", "inThread"): 8,
        ("run", "inThread", "twice"): 400_000,
        ("run", "inThread", "twice", "leaf"): 800_000,
    }


def test_virtual_threads_that_change_their_carriers(parts: Result, jvm: Jvm) -> None:
    if jvm.version < VIRTUAL:
        pytest.skip("this JVM has no virtual threads")
    found = {path[1:]: n for path, n in paths(parts.data).items() if "naps" in path}
    assert found == {("naps",): 1000, ("naps", "leaf"): 1000, ("naps", "twice"): 1000, ("naps", "twice", "leaf"): 2000}


def test_the_tree_adds_up_to_the_table(parts: Result) -> None:
    assert_adds_up(parts.data)
    assert parts.report["processes"][0]["tree"]["refused"] == parts.report["processes"][0]["tree"]["deeper"] == 0


def test_deeper_calls_are_their_callers(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    result = run(RULE, jvm.java, "-cp", compiled("Paths"), "Paths", "deep")
    found = paths(result.data)
    own_depth = 2  # main, deep
    assert found == {("main", "deep", *["direct"] * n)[: n + own_depth]: 1 for n in range(DEEPEST - own_depth + 1)} | {
        ("main",): 1
    }
    assert result.report["processes"][0]["tree"] == {
        "nodes": DEEPEST,
        "refused": 0,
        "deeper": 1001 + 1 - (DEEPEST - own_depth),
        "treeless": 0,
    }
    snapshot = snapshot_of(result.data)
    whole = sum(call.wall for call, entered in snapshot.exact_tree.walk() if entered and call.method)
    assert abs(whole - sum(row.self_ns for row in snapshot.tables["methods"].values())) <= DEEPEST
    text = execute([*classhook_command(), "report", str(result.data)]).stdout
    assert "492 calls deeper than 512 timed ones: their time is their callers'" in text


@pytest.mark.slow  # that it says so is seen below, too
def test_a_full_tree_says_so(find_jvm: FindJvm, compiled: Compiled, run: Run) -> None:
    result = run(RULE, find_jvm(17).java, "-cp", compiled("Paths"), "Paths", "many")
    tree = result.report["processes"][0]["tree"]
    snapshot = snapshot_of(result.data)
    calls = [call for call, entered in snapshot.exact_tree.walk() if entered and call.method]
    rows = [row for row in snapshot.tables["methods"].values() if row.calls]
    assert ROOM - 1000 < tree["nodes"] < ROOM
    assert tree["refused"] > 0
    assert sum(call.calls for call in calls) + tree["refused"] == sum(row.calls for row in rows)
    assert abs(sum(call.wall for call in calls) - sum(row.self_ns for row in rows)) <= len(calls)
    assert (
        f"{tree['refused']:,} calls did not fit into it"
        in execute([*classhook_command(), "report", str(result.data)]).stdout
    )


def test_threads_that_find_the_tree_full_are_counted(find_jvm: FindJvm, compiled: Compiled, run: Run) -> None:
    """Up to four at once; later ones get their counters, and so count no more."""
    result = run(RULE, find_jvm(17).java, "-cp", compiled("Paths"), "Paths", "many", "threads")
    tree = result.report["processes"][0]["tree"]
    assert 1 <= tree["treeless"] <= 4
    said = f"{tree['refused']:,} calls did not fit into it, as it was full when {tree['treeless']} threads began"
    assert said in execute([*classhook_command(), "report", str(result.data)]).stdout


def test_a_killed_jvm_leaves_its_tree(find_jvm: FindJvm, compiled: Compiled, tmp_path: Path) -> None:
    line = run_line([RULE], tmp_path / "data", [find_jvm(17).java, "-cp", compiled("Paths"), "Paths", "endless"])
    with subprocess.Popen(line, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + PATIENCE
        seen = 0
        while time.monotonic() < deadline and seen < 10_000:
            time.sleep(0.2)
            files = list((tmp_path / "data").glob("*.classhook")) if (tmp_path / "data").exists() else []
            running = report_of(*files) if files else {"methods": []}
            seen = next((row["calls"] for row in running["methods"] if row["method"] == "leaf"), 0)
        os.kill(running["processes"][0]["pid"], signal.SIGKILL)
        process.wait()
    assert report_of(tmp_path / "data")["processes"][0]["end"] == "killed"
    found = paths(tmp_path / "data", "main", "endless")
    snapshot = snapshot_of(tmp_path / "data")
    flat = {key[1]: row.calls for key, row in snapshot.tables["methods"].items()}
    assert found.keys() == {("twice",), ("twice", "leaf")}
    assert found["twice", "leaf"] >= seen >= 10_000
    assert abs(found["twice",] - flat["twice"]) <= 1, "it may have died between the two"
    assert abs(found["twice", "leaf"] - flat["leaf"]) <= 1
    endless = next(call for call, _ in snapshot.exact_tree.walk() if call.method and call.method[1] == "endless")
    assert (endless.calls, endless.wall) == (1, 0), "it has not ended"


def test_methods_timed_by_another_rule_have_no_nodes(find_jvm: FindJvm, compiled: Compiled, run: Run) -> None:
    """The methods that they call are below their callers."""
    result = run(["time Paths::twice", RULE], find_jvm(17).java, "-cp", compiled("Paths"), "Paths", "plain")
    assert paths(result.data, "main", "plain") == {("leaf",): 91}
    assert result.method("Paths::twice")["calls"] == 30


def test_the_tree_as_text_has_calls(parts: Result) -> None:
    done = execute([*classhook_command(), "report", str(parts.data), "-f", "tree", "--cut", "0"])
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[0][:2] == ["wall", "time:"]
    assert lines[2] == ["total", "self", "calls", "method"]
    plain = next(i for i, line in enumerate(lines) if line and line[-1] == "Paths.plain()")
    assert ["31", "Paths.leaf()"] in [line[-2:] for line in lines[plain + 1 : plain + 4]]
    assert lines[plain][-2:] == ["1", "Paths.plain()"]


@pytest.mark.parametrize("form", ["collapsed", "flamegraph", "speedscope", "pprof"])
def test_other_forms_have_wall_time_only(parts: Result, form: str, tmp_path: Path) -> None:
    report = [*classhook_command(), "report", str(parts.data), "-f", form, "-o", str(tmp_path / "out")]
    assert execute(report).status == 0
    content = (tmp_path / "out").read_bytes()
    if form == "flamegraph":
        assert b'"clocks":["wall"]' in content.replace(b" ", b"")
    if form == "speedscope":
        assert b'"name": "wall time"' in content
        assert b'"name": "CPU time"' not in content
    if form == "collapsed":
        assert b"Paths.main;Paths.threads " in content
    refused = execute([*report, "--clock", "cpu"])
    assert refused.status == 1
    assert "this call tree has no CPU time; it has wall time: --clock wall" in refused.stderr


def test_there_is_no_tree_without_the_word(find_jvm: FindJvm, compiled: Compiled, run: Run) -> None:
    result = run("time Paths::*", find_jvm(17).java, "-cp", compiled("Paths"), "Paths", "plain")
    done = execute([*classhook_command(), "report", str(result.data), "-f", "tree", "--measure", "time"])
    assert done.status == 1
    assert "a rule such as 'time com.acme.**::* tree' records it" in done.stderr

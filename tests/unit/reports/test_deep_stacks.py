"""Stacks as deep as the sampler keeps them: read from a data file, and shown by each form of report."""

from __future__ import annotations

import gzip
import io
import json
import re
from collections.abc import Iterator
from copy import copy
from dataclasses import replace

import pytest

from classhook.api.trees import tree_of
from classhook.extensions import EXTENSIONS
from classhook.measures.cpu import DEEPEST as FRAMES
from classhook.measures.cpu.reader import CPU_SAMPLING, SampledRow
from classhook.model.call_tree import CUT, DEEPEST, Call, MethodKey, Sampling, add_times, add_tree
from classhook.model.snapshot import Process, Snapshot
from classhook.native._layout import ffi
from classhook.reports import Options
from classhook.reports.forms import TABLES_AND_TREES
from classhook.store.region import Region

FORMS = [
    "text",
    "tree",
    "collapsed",
    "flamegraph",
    "html",
    "speedscope",
    "pprof",
    "otlp",
    "json",
    "csv",
    "openmetrics",
    *(name for one in EXTENSIONS for name, *_ in one.forms),
]
STACKS = 20
MS = 1_000_000


def key(number: int) -> MethodKey:
    return "a.Deep", f"m{number}", "()V"


@pytest.fixture(scope="module")
def whole() -> Snapshot:
    """Stacks of FRAMES frames below [deeper], each below another outermost one."""
    found = Snapshot()
    sampling = Sampling(10 * MS, STACKS, 0, 0, 0, seen_cpu_ns=STACKS * MS, cut_cpu_ns=STACKS * MS)
    found.processes.append(
        Process(1, "17", "", "java", 10**18, MS, "exit", "f", 0, 0, 0, 0, added={CPU_SAMPLING: sampling})
    )
    for stack in range(STACKS):
        call = found.stacks.child(CUT).child(key(100 + stack))
        for frame in range(1, FRAMES):
            call = call.child(key(frame % 20))
        call.cpu = call.wall = MS
    rows = found.tables["cpu"]
    rows |= {call.method: SampledRow("cpu") for call, entered in found.stacks.walk() if entered and call.method}
    add_times(found.stacks, rows)
    return found


@pytest.fixture
def deep(whole: Snapshot) -> Snapshot:
    """A copy of the snapshot with deep stacks; a test may change its processes."""
    return replace(
        whole,
        processes=[replace(one, added={key: copy(part) for key, part in one.added.items()}) for one in whole.processes],
    )


def written(form: str, found: Snapshot) -> bytes:
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace", newline="\n", write_through=True)
    TABLES_AND_TREES[form].load().report(found, Options(), out)
    assert isinstance(out.buffer, io.BytesIO)
    return out.buffer.getvalue()


@pytest.mark.parametrize("form", FORMS)
def test_each_form_has_deep_stacks(form: str, deep: Snapshot) -> None:
    made = written(form, deep)  # the innermost method is m3
    assert b"m3" in (gzip.decompress(made) if form == "pprof" else made)


def test_no_frame_is_lost(deep: Snapshot) -> None:
    assert {line.count(b";") for line in written("collapsed", deep).splitlines()} == {FRAMES}
    assert {len(one) for one in json.loads(written("speedscope", deep))["profiles"][0]["samples"]} == {1 + FRAMES}
    assert sum(1 for _ in tree_of(deep.stacks, deep.readable).walk()) == 2 + STACKS * FRAMES


def test_that_most_is_not_seen_or_not_whole_is_said_first(deep: Snapshot) -> None:
    lines = written("text", deep).decode().splitlines()
    assert lines[2] == "  most stacks are incomplete: 20.0 ms of 20.0 ms of CPU time is below [deeper]"
    (process,) = deep.processes
    sampling = CPU_SAMPLING.get(process)
    assert sampling
    sampling.unseen_cpu_ns = 21 * MS
    expected = "most CPU time is missing: 21.0 ms of threads that ended before they were seen running; 20.0 ms is shown"
    assert written("text", deep).decode().splitlines()[2] == "  " + expected
    assert expected in written("html", deep).decode()
    sampling.unseen_cpu_ns, sampling.cut_cpu_ns = 20 * MS, 10 * MS
    sampling.probes_cpu_ns = 11 * MS
    assert written("text", deep).decode().splitlines()[2].startswith("  most CPU time was spent in probes: 11.0 ms, ")
    sampling.probes_cpu_ns = 10 * MS
    assert written("text", deep).decode().splitlines()[2].startswith("  stacks of all threads sampled every 10.0 ms: ")


@pytest.mark.parametrize("form", ["html", "flamegraph"])
def test_pages_have_their_titles_without_scripts(form: str, deep: Snapshot) -> None:
    deep.processes[0].command = "java -jar a&b</title>.jar"
    (found,) = re.findall("<title>(.*)</title>", written(form, deep).decode())
    assert "a&amp;b&lt;/title&gt;.jar" in found


def region(nodes: list[tuple[int, int, int]]) -> Region:
    """A tree of calls of (parent, method, CPU time)."""
    head = ffi.new(
        "struct ch_tree *", {"nodes": len(nodes), "period_ns": 10 * MS, "intervals": 4, "intervals_ns": 280 * MS}
    )
    made = ffi.new("struct ch_node[]", [(parent, method, ns, ns, 0.0, 0.0) for parent, method, ns in nodes])
    return Region([(0, memoryview(bytes(ffi.buffer(head)) + bytes(ffi.buffer(made))))])


def depths(root: Call) -> Iterator[tuple[int, Call]]:
    depth = -1
    for call, entered in root.walk():
        depth += 1 if entered else -1
        if entered:
            yield depth, call


def test_as_many_frames_are_read_as_are_kept() -> None:
    root = Call(None)
    nodes = [(0, 0, 0), (0, 0, 0), *((i, 1 + i % 50, 0) for i in range(1, FRAMES)), (FRAMES, 99, 7 * MS)]
    found = add_tree(root, region(nodes), {0: CUT} | {i: key(i) for i in range(1, 100)})
    assert found
    assert (found.cut_cpu_ns, found.seen_cpu_ns, found.interval_ns) == (7 * MS, 7 * MS, 70 * MS)
    assert [(depth, call.method) for depth, call in depths(root) if call.cpu] == [(DEEPEST, key(99))]


def test_what_was_sampled_in_a_probe_is_no_methods_time() -> None:
    root = Call(None)
    frames = {
        1: key(1),
        2: ("java.lang.ClasshookTracker", "enter", "(I)I"),
        3: ("java.lang.Thread", "currentThread", "()Ljava/lang/Thread;"),
    }
    found = add_tree(root, region([(0, 0, 0), (0, 1, 5 * MS), (1, 2, 3 * MS), (2, 3, 1 * MS)]), frames)
    assert found
    assert (found.probes_cpu_ns, found.seen_cpu_ns) == (4 * MS, 9 * MS)
    assert [(call.method, call.cpu, call.wall) for _, call in depths(root)] == [(None, 0, 0), (key(1), 5 * MS, 5 * MS)]

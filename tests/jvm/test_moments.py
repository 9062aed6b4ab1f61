"""Pauses of the garbage collector and weavings, one by one: the JVM's own log of its pauses is the oracle."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Compiled, FindJvm, Run, classhook_command, execute
from tests.timelines import on_track

#: Release, collector; those that repeat what others show are slow.
COLLECTORS = [
    (17, "UseG1GC"),
    (25, "UseZGC"),
    *(
        pytest.param(release, collector, marks=pytest.mark.slow)
        for release, collector in [
            (17, "UseZGC"),
            (17, "UseShenandoahGC"),
            (25, "UseG1GC"),
            *((r, c) for r in (17, 25) for c in ("UseSerialGC", "UseParallelGC")),
        ]
    ),
]
PAUSE = re.compile(r"\[(\S+)\].*\bPause (.*?)(?: \d+M->(\d+)M\(\d+M\))? ([\d.]+)ms$")
MB = 1 << 20
BESIDE = ("UseZGC", "UseShenandoahGC")  # they collect beside the program, and the causes are of collections, not pauses
CLOCKS = 50e6  # ns by which two clocks may differ


def logged(log: Path) -> list[dict[str, Any]]:
    """Reads the JVM's log: for each pause, its end (Unix, ns), its kind, and the MB in use then, if the JVM says it."""
    found: list[dict[str, Any]] = []
    for one in filter(None, map(PAUSE.match, log.read_text().splitlines())):
        ended = datetime.strptime(one[1], "%Y-%m-%dT%H:%M:%S.%f%z").timestamp() * 1e9
        what = {"ended": ended, "what": one[2], "used": int(one[3]) if one[3] else None}
        if found and (found[-1]["what"], one[2]) == ("Young (System.gc())", "Full (System.gc())"):  # they are one pause
            found.pop()
        found.append(what)
    return found


@pytest.mark.parametrize(("release", "collector"), COLLECTORS)
def test_each_pause_has_its_place(
    release: int, collector: str, find_jvm: FindJvm, compiled: Compiled, run: Run, tmp_path: Path
) -> None:
    log = tmp_path / "gc.log"
    options = [f"-XX:+{collector}", "-Xmx64m", f"-Xlog:gc*:file={log}:time:filecount=0"]
    java = find_jvm(release).java
    if execute([java, options[0], "-version"]).status:
        pytest.skip(f"this JVM has no {collector}")
    result = run("count Pauses::*", java, *options, "-cp", compiled("Pauses"), "Pauses")
    assert result.status == 0, result.stderr
    assert result.data
    assert execute([*classhook_command(), "report", "-f", "perfetto", result.data, "-o", tmp_path / "t"]).status == 0
    timeline = (tmp_path / "t").read_bytes()
    pauses, expected = on_track(timeline, "garbage collector"), logged(log)
    sums = result.report["processes"][0]["moments"]["gc"]
    assert len(pauses) == len(expected) == sums["count"] == sums["kept"] >= 3
    assert sum(one["ns"] for one in pauses) == sums["total_ns"]
    for at, (one, says) in enumerate(zip(pauses, expected, strict=True)):
        assert one["begin"] < says["ended"] + CLOCKS
        assert at + 1 == len(pauses) or says["ended"] < pauses[at + 1]["begin"] + CLOCKS
        assert one["name"] == "pause" or f"({one['name']})" in says["what"] or collector in BESIDE
        if "heap_used" in one["about"]:
            assert abs(one["about"]["heap_used"] / MB - says["used"]) <= 1
    assert any("heap_used" in one["about"] for one in pauses) == (collector not in BESIDE)
    assert "System.gc()" in {one["name"] for one in pauses}
    (woven,) = on_track(timeline, "classhook weaving")
    assert (woven["name"], woven["ns"]) == ("Pauses", result.report["processes"][0]["weaving_ns"])
    (jvm,) = on_track(timeline, "JVM")
    assert all(
        jvm["begin"] <= one["begin"] and one["begin"] + one["ns"] <= jvm["begin"] + jvm["ns"]
        for one in (*pauses, woven)
    )

"""Timelines, read by the messages of Perfetto's own package."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from classhook.base.errors import Failure
from classhook.model.snapshot import Process, Snapshot
from classhook.model.test_runs import TestRun
from classhook.reports import Options
from classhook.reports.forms import TABLES_AND_TREES
from classhook.reports.perfetto import of_track, packets
from classhook.reports.timeline import Slice, events, last, timeline, tracks
from tests.cli.conftest import Classhook
from tests.timelines import slices

Counts = Callable[..., dict[str, Any]]


def test_calls_and_executions_are_on_their_threads(
    classhook: Classhook, counts: Counts, measured: list[Path], tmp_path: Path
) -> None:
    """The tracks are those of each JVM; a JVM whose data has no times of its own is there, too."""
    assert classhook("report", "-f", "perfetto", *measured, "-o", tmp_path / "t").status == 0
    tracks, report = slices((tmp_path / "t").read_bytes()), counts(*measured)
    on: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for path, track in tracks.items():
        for one in track:
            on.setdefault((path[-1], one["of"]), []).append(one)
    calls = on["main", "call"]
    assert sorted((one["begin"] + one["ns"], one["ns"]) for one in calls) == sorted(
        (row["ended_unix_ns"], row["took_ns"]) for row in report["calls"]
    )
    shown = [one for one in calls if "order.customer" in one["about"]]
    assert shown, calls[0]
    assert all(one["about"]["state"] == "***" for one in shown), "what is masked stays so"
    moments = [one for kind in ("line", "field") for one in on.get(("main", kind), [])]
    assert sorted(one["begin"] for one in moments) == sorted(row["at_unix_ns"] for row in report["executions"])
    rows = [row for row in report["locks"] if row["count"]]
    waits = [one for (_, of), some in on.items() if of == "wait" for one in some]
    assert len(waits) == sum(row["count"] for row in rows)
    assert sum(one["ns"] for one in waits) == sum(row["total_ns"] - row["pending_ns"] for row in rows)
    woven = on["classhook weaving", "weaving"]
    assert "p.Measured$Order" in {one["name"] for one in woven}
    life = on["JVM", "jvm"]
    assert len(life) == len(report["processes"])
    assert all(
        any(jvm["begin"] <= one["begin"] <= jvm["begin"] + jvm["ns"] for jvm in life) for one in (*calls, *moments)
    )


def test_tests_are_within_their_containers() -> None:
    process = Process(1, "17", "x", "java p.Tests", 10**18, 100, "exit", "f", 0, 0, 0, 0)
    runs = [
        TestRun("p.Tests", "p.Tests", "", "Tests", "container", "passed", 10**18 + 10, 80, "", 1, "main", "JUnit"),
        TestRun("p.Tests.a", "p.Tests", "a", "a()", "test", "passed", 10**18 + 10, 30, "p.Tests", 1, "main", "JUnit"),
        TestRun("p.Tests.b", "p.Tests", "b", "b()", "test", "failed", 10**18 + 40, 50, "p.Tests", 1, "main", "JUnit"),
        TestRun("p.Tests.c", "p.Tests", "c", "c()", "test", "passed", 10**18 + 20, 50, "p.Tests", 1, "worker", "JUnit"),
    ]
    found = timeline(Snapshot(tests=runs), process).threads
    data = b"".join(
        of_track(name, at, 0) + b"".join(packets(each, at))
        for at, name in enumerate(found, 1)
        for each in tracks(found[name])
    )
    main, worker = slices(data).values()
    assert [(one["name"], one["depth"], one["ns"]) for one in main] == [
        ("Tests", 0, 80),
        ("a()", 1, 30),
        ("b() (failed)", 1, 50),
    ]
    assert [(one["name"], one["about"]["status"]) for one in worker] == [("c()", "passed")]


def test_slices_of_a_track_nest() -> None:
    """Threads of one name may have any slices: none is lost, and no two slices of a track overlap only in part."""
    chance = random.Random(5)
    for _ in range(200):
        given = []
        for at in range(chance.randrange(1, 40)):
            begin = chance.randrange(30)
            given.append(Slice(begin, chance.choice((None, begin + chance.randrange(12))), str(at), "call", {}))
        found = tracks(given)
        assert sorted(one.name for track in found for one in track) == sorted(one.name for one in given)
        for track in found:
            stack: list[Slice] = []
            times = []
            for time, one in events(track):
                times.append(time)
                if one is None:
                    assert last(stack.pop()) == time
                elif one.end is not None:
                    assert not stack or last(stack[-1]) >= one.end
                    stack.append(one)
            assert not stack
            assert times == sorted(times)


def test_without_times_there_is_no_timeline() -> None:
    with pytest.raises(Failure, match="nothing in the data has a time of its own"):
        TABLES_AND_TREES["perfetto"].load().report(Snapshot(), Options(), io.TextIOWrapper(io.BytesIO()))

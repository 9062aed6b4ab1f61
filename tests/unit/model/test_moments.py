"""Moments of a data file, as timelines show them: what is whole of a file that is being written, or is damaged."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

from classhook.model.moments import MOMENTS, ROW
from classhook.model.reading.files import read
from classhook.native._layout import ffi
from classhook.probes import probe_table
from classhook.probes.records import ClassRecord
from classhook.reports.timeline import timeline
from classhook.rules.compiled import dumps
from classhook.rules.parse import load
from classhook.store.layout import lib
from tests.unit.store.made_files import header, meta, write

START = 10**18


def region(sums: dict[int, tuple[int, int]], rows: dict[int, list[tuple[int, ...]]]) -> bytes:
    """By kind: how many and their time; rows."""
    head = ffi.new("struct ch_moments_head *")
    for kind, (count, total_ns) in sums.items():
        head.kinds[kind].count, head.kinds[kind].total_ns, head.kinds[kind].kept = count, total_ns, len(rows[kind])
    head.causes[0] = b"System.gc()"
    places = (
        b"".join(ROW.pack(*row) for row in rows.get(kind, [])).ljust(lib.CH_MOMENTS_MOST * ROW.size, b"\0")
        for kind in range(lib.CH_MOMENT_KINDS)
    )
    return bytes(ffi.buffer(head)) + b"".join(places)


def made(path: Path, moments: bytes) -> None:
    texts = [
        meta(lib.CH_META_RULES, dumps(load([], ["locks", "count a.B::*"])).encode()),
        meta(lib.CH_META_CLASS, probe_table.encode([ClassRecord("a.B", "")]), 3, 2),
        meta(lib.CH_META_FRAME, b"La/B;\0m\0()V\0B.java", 2, 17),
        *(
            meta(lib.CH_META_TRACE_NAME, text, number)
            for number, text in ((2, b"La/Lock;"), (3, b"holds"), (4, b"waits"), (5, b"[virtual threads]"))
        ),
    ]
    lock = {
        "kind": lib.CH_LOCK_ENTER,
        "monitor": 2,
        "stack": 1,
        "holder": 3,
        "holder_stack": 1,
        "ended": 2,
        "total_ns": 70,
    }
    tree = (
        bytes(ffi.buffer(ffi.new("struct ch_tree *", {"nodes": 2})))
        + bytes(32)
        + struct.pack("=IIQQff", 0, 2, 0, 0, 0, 0)
    )
    metadata = b"".join(texts)
    regions = {
        (lib.CH_META, 0): metadata,
        (lib.CH_LOCKS, 0): bytes(ffi.buffer(ffi.new("struct ch_lock_head *", {"rows": 1})))
        + bytes(ffi.buffer(ffi.new("struct ch_lock *", lock))),
        (lib.CH_TRACES, 0): tree,
        (lib.CH_MOMENTS, 0): moments,
    }
    write(path, header(8, len(metadata)), regions)


def test_what_is_whole_is_on_its_track(tmp_path: Path) -> None:
    kinds = {lib.CH_MOMENT_PAUSE: (3, 90), lib.CH_MOMENT_ENTER: (5, 100), lib.CH_MOMENT_WEAVING: (2, 20)}
    rows = {
        lib.CH_MOMENT_PAUSE: [
            (50, 1000, 1, 1, 5),
            (0, 1100, 2, 0, 0),
            (40, 1 << 62, 3, 0, 0),
            (9, 1200, 4, 0, 0),
            (8, 2000, 3, 99, 0),
        ],
        lib.CH_MOMENT_ENTER: [(30, 100, 1, 0, 4), (40, 200, 2, 0, 5), (20, 300, 3, 1 << 31, 99)],
        lib.CH_MOMENT_WEAVING: [(12, 10, 1, 3, 0), (8, 30, 2, 77, 0)],
    }
    made(tmp_path / "1.classhook", region(kinds, rows))
    snapshot = read([tmp_path / "1.classhook"])
    (process,) = snapshot.processes
    found = {one.kind: one.as_dict() for one in MOMENTS.get(process)}
    assert found == {
        "gc": {
            "count": 3,
            "total_ns": 90,
            "longest_ns": 50,
            "kept": 2,
        },  # one is being written, one is damaged, one came after the head was read
        "enter": {"count": 5, "total_ns": 100, "longest_ns": 40, "kept": 3},
        "weaving": {"count": 2, "total_ns": 20, "longest_ns": 12, "kept": 2},
    }
    shown = timeline(snapshot, process)
    jvm, pauses, weavings = shown.own.items()
    assert (
        jvm[1][0].about.items()
        >= {"gc_not_shown": 1, "gc_not_shown_ns": 32, "enter_not_shown": 2, "enter_not_shown_ns": 10}.items()
    )
    assert pauses == (
        "garbage collector",
        [
            (START + 1000, START + 1050, "System.gc()", "gc", {"heap_used": 5120}),
            (START + 2000, START + 2008, "pause", "gc", {}),
        ],
    )
    assert (weavings[0], [(one.begin - START, one.name) for one in weavings[1]]) == (
        "classhook weaving",
        [(10, "a.B"), (30, "[unknown]")],
    )
    waits: dict[str, list[Any]] = {
        thread: [(one.begin - START, one.name) for one in some] for thread, some in shown.threads.items()
    }
    assert waits == {
        "waits": [(100, "blocked: Lock")],
        "(no name)": [(200, "blocked: Lock"), (300, "blocked: [unknown]")],
    }
    about = {
        "monitor": "a.Lock",
        "event": "enter",
        "held_by": "holds",
        "held_at": "a.B.m(B.java:17)",
        "stack": "a.B.m(B.java:17)",
    }
    assert shown.threads["waits"][0].about == about
    snapshot.tables["locks"].clear()  # as a filter does
    assert [one.name for some in timeline(snapshot, process).threads.values() for one in some] == ["blocked: [unknown]"]


def test_a_truncated_file_has_the_rows_that_are_there(tmp_path: Path) -> None:
    rows = [(number, 10 * number, number, 0, 0) for number in range(1, 501)]
    whole = region({lib.CH_MOMENT_PAUSE: (500, 9)}, {lib.CH_MOMENT_PAUSE: rows})
    head = ffi.sizeof("struct ch_moments_head")
    made(tmp_path / "1.classhook", whole[: head + 300 * ROW.size])
    (process,) = read([tmp_path / "1.classhook"]).processes
    (found,) = MOMENTS.get(process)
    assert (found.count, len(found.kept), found.longest_ns) == (500, 300, 300)


def test_what_is_counted_since_a_reset_is_told_by_its_number(tmp_path: Path) -> None:
    """A moment that ended before the reset is left out, wherever its row is."""
    path = tmp_path / "1.classhook"
    rows = [(7, 10, 3, 0, 0), (5, 20, 1, 0, 0), (6, 30, 4, 0, 0)]
    made(path, region({lib.CH_MOMENT_PAUSE: (4, 30)}, {lib.CH_MOMENT_PAUSE: rows}))
    made(path.with_name(path.name + ".base"), region({lib.CH_MOMENT_PAUSE: (2, 17)}, {lib.CH_MOMENT_PAUSE: rows[:2]}))
    (process,) = read([path]).processes
    (found,) = MOMENTS.get(process)
    assert (found.count, found.total_ns, [raw.number for raw in found.kept]) == (2, 13, [3, 4])

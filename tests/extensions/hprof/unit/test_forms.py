"""HPROF's text and binary forms of a report, as its readers take them."""

from __future__ import annotations

import io
import re
import struct
from collections import defaultdict

import pytest

from classhook.base.errors import Failure
from classhook.extensions.hprof import ascii as text_form
from classhook.extensions.hprof import binary
from classhook.extensions.hprof.cpu_old import lines, pairs
from classhook.extensions.hprof.from_snapshot import profile
from classhook.extensions.hprof.limits import limited
from classhook.measures.alloc.reader import SiteRow
from classhook.measures.cpu.reader import CPU_SAMPLING
from classhook.model.call_tree import Sampling
from classhook.model.snapshot import Process, Snapshot
from classhook.reports import Options
from classhook.reports.forms import TABLES_AND_TREES

MAIN, PUT, ODD = (
    ("a.Main", "main", "([Ljava/lang/String;)V"),
    ("java.util.HashMap", "put", "()V"),
    ("a.\x1bOdd", "x y", "()V"),
)


def snapshot(samples: bool = True, times: bool = True, sites: bool = True) -> Snapshot:
    """30 samples in main and 10 in put, called by main; 2 calls of main of 3 s together, 40 of put of 1 s; two sites in
    main."""
    found = Snapshot(class_sources={"a.Main": "Main.java"})
    sampling = Sampling(10_000_000, 0, 0, 0, 0, 0)
    found.processes.append(
        Process(
            1, "17", "", "java", 1_700_000_000_000_000_000, 1, "exit", "f", 0, 0, 0, 0, added={CPU_SAMPLING: sampling}
        )
    )
    for root, wanted, calls, scale in (
        (found.stacks, samples, 0, 10_000_000),
        (found.exact_tree, times, 1, 100_000_000),
    ):
        if wanted:
            main = root.child(MAIN)
            put = main.child(PUT)
            main.cpu = main.wall = 30 * scale
            put.cpu = put.wall = 10 * scale
            main.calls, put.calls = 2 * calls, 40 * calls
    if sites:
        found.tables["allocations"][*MAIN, 17, 4, "byte[]"] = SiteRow(count=3, bytes=300)
        found.tables["allocations"][*MAIN, 18, 9, "java.util.HashMap"] = SiteRow(count=2, bytes=96)
        found.tables["allocations"][*MAIN, 18, 12, "java.util.HashMap"] = SiteRow(count=0, bytes=0)
    return found


def written(form: str, found: Snapshot, measure: str = "") -> bytes:
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace", newline="\n", write_through=True)
    TABLES_AND_TREES[form].load().report(found, Options(measure=measure), out)
    assert isinstance(out.buffer, io.BytesIO)
    return out.buffer.getvalue()


def test_text_has_traces_and_tables() -> None:
    text = written("hprof-ascii", snapshot()).decode()
    assert re.match(r"JAVA PROFILE 1\.0\.1, created \w+ \w+ +\d+ \d{2}:\d{2}:\d{2} \d{4}\n", text)
    assert "\n--------\n" in text
    traces = dict(re.findall(r"TRACE (\d+):\n((?:\t.+\n)+)", text))
    assert traces["300001"] == "\ta.Main.main(Main.java:Unknown line)\n"
    assert (
        traces["300002"]
        == "\tjava.util.HashMap.put(<Unknown Source>:Unknown line)\n\ta.Main.main(Main.java:Unknown line)\n"
    )
    assert traces["300003"] == "\ta.Main.main(Main.java:17)\n"
    samples = re.search(
        r"CPU SAMPLES BEGIN \(total = 40\) .*\nrank   self  accum   count trace method\n((?:.*\n)+)CPU SAMPLES END\n",
        text,
    )
    assert samples
    assert [line.split() for line in samples[1].splitlines()] == [
        ["1", "75.00%", "75.00%", "30", "300001", "a.Main.main"],
        ["2", "25.00%", "100.00%", "10", "300002", "java.util.HashMap.put"],
    ]
    sites = re.search(r"SITES BEGIN .*\n.*\n rank .*\n((?:.*\n)+)SITES END\n", text)
    assert sites
    assert [line.split() for line in sites[1].splitlines()] == [
        ["1", "75.76%", "75.76%", "0", "0", "300", "3", "300003", "byte[]"],
        ["2", "24.24%", "100.00%", "0", "0", "96", "2", "300004", "java.util.HashMap"],
    ]


def test_a_file_has_samples_or_times_as_hprofs_had() -> None:
    both = snapshot()
    assert "CPU TIME" not in written("hprof-ascii", both).decode()
    text = written("hprof-ascii", both, "time").decode()
    assert "CPU SAMPLES" not in text
    assert "CPU TIME (ms) BEGIN (total = 4000) " in text
    assert "\n   2 25.00% 100.00%      40 300002 java.util.HashMap.put\nCPU TIME END\n" in text
    assert written("hprof-ascii", snapshot(samples=False)).decode() == text


def test_names_may_be_anything() -> None:
    found = snapshot()
    found.stacks.child(ODD).cpu = 10_000_000
    text = written("hprof-ascii", found).decode()
    assert "\x1b" not in text
    assert "\ta.\\x1bOdd.x y(<Unknown Source>:Unknown line)\n" in text


@pytest.mark.parametrize("form", ["hprof", "hprof-ascii"])
def test_nothing_to_write_is_said(form: str) -> None:
    with pytest.raises(Failure, match="'cpu every 10ms'"):
        written(form, snapshot(samples=False, times=False, sites=False))
    with pytest.raises(Failure, match="no method was profiled"):
        written(form, snapshot(), "profile")


def records(data: bytes) -> dict[int, list[bytes]]:
    """The bodies by tag, each record to its end."""
    assert data.startswith(b"JAVA PROFILE 1.0.2\0" + struct.pack(">IQ", 8, 1_700_000_000_000))
    found = defaultdict(list)
    at = 31
    while at < len(data):
        tag, _, length = struct.unpack_from(">BII", data, at)
        found[tag].append(data[at + 9 : at + 9 + length])
        at += 9 + length
    assert at == len(data)
    return found


def test_binary_records_refer_to_each_other() -> None:
    found = records(written("hprof", snapshot()))
    names = {struct.unpack(">Q", body[:8])[0]: body[8:].decode() for body in found[0x01]}
    classes = {serial: names[name] for serial, _, _, name in (struct.unpack(">IQIQ", body) for body in found[0x02])}
    frames = {}
    for body in found[0x04]:
        id_, method, descriptor, source, serial, line = struct.unpack(">4QIi", body)
        frames[id_] = (classes[serial], names[method], names[descriptor], names.get(source, ""), line)
    traces = {}
    for body in found[0x05]:
        number, thread, count = struct.unpack_from(">III", body)
        traces[number] = [frames[id_] for id_ in struct.unpack_from(f">{count}Q", body, 12)]
        assert (thread, len(body)) == (0, 12 + 8 * count)
    assert traces[300002] == [(*PUT, "", -1), (*MAIN, "Main.java", -1)]
    assert traces[300003] == [(*MAIN, "Main.java", 17)]
    assert found[0x0D] == [struct.pack(">IIIIII", 40, 2, 30, 300001, 10, 300002)]
    assert found[0x0E] == [struct.pack(">IH", 3, 2)]
    (sites,) = found[0x06]
    assert struct.unpack_from(">HfIIQQI", sites) == (2, 0.0, 0, 0, 396, 5, 2)
    entries = [struct.unpack_from(">BIIIIII", sites, 34 + 25 * i) for i in range(2)]
    assert [(kind, classes[cls], trace, *sizes) for kind, cls, trace, *sizes in entries] == [
        (8, "byte[]", 300003, 0, 0, 300, 3),
        (0, "java.util.HashMap", 300004, 0, 0, 96, 2),
    ]


def test_times_are_samples_in_ms_and_large_numbers_fit() -> None:
    found = snapshot(samples=False)
    found.exact_tree.child(MAIN).wall = 10**17
    (body,) = records(written("hprof", found))[0x0D]
    assert struct.unpack(">IIIIII", body) == (0xFFFFFFFF, 2, 0xFFFFFFFF, 300001, 1000, 300002)


@pytest.mark.parametrize(("name", "kind"), [("a.B", 0), ("a.B[]", 2), ("int[]", 10), ("int[][]", 2), ("boolean[]", 4)])
def test_kinds_of_arrays(name: str, kind: int) -> None:
    assert binary.array_kind(name) == kind


def test_a_frame_without_a_class() -> None:
    assert (
        text_form.label(text_form.Frame("", "[unknown]", "", ""))
        == "<unknown>.[unknown](<Unknown Source>:Unknown line)"
    )
    found = snapshot()
    found.stacks.child(("", "[unknown]", "")).cpu = 1
    assert b"[unknown]" in written("hprof", found)


# ---- what HPROF's options leave out, and the older table


def test_a_depth_adds_up_what_becomes_equal() -> None:
    found = snapshot()
    found.stacks.child(PUT).cpu = 10 * 10_000_000
    one = limited(profile(found), depth=1, cutoff=0, lines=False)
    assert {trace: number for trace, number in one.traces.items() if len(trace.frames) > 1} == {}
    names = {number: trace.frames[0].method for trace, number in one.traces.items()}
    assert [(names[cost.trace], cost.cost) for cost in one.samples] == [("main", 30), ("put", 20)]
    assert [(site.bytes, site.objects, site.type) for site in one.sites] == [
        (300, 3, "byte[]"),
        (96, 2, "java.util.HashMap"),
    ]
    assert {frame.line for trace in one.traces for frame in trace.frames} == {0}
    some = limited(profile(found), depth=4, cutoff=0.3, lines=True)
    assert [cost.cost for cost in some.samples] == [30]
    assert [site.bytes for site in some.sites] == [300]
    assert {frame.line for trace in some.traces for frame in trace.frames} == {0, 17}


def test_frames_that_were_cut_off_are_no_frame() -> None:
    found = Snapshot()
    sampling = Sampling(10_000_000, 0, 0, 0, 0, 0)
    found.processes.append(
        Process(1, "17", "", "java", 10**18, 1, "exit", "f", 0, 0, 0, 0, added={CPU_SAMPLING: sampling})
    )
    found.stacks.child(("", "[deeper]", "")).child(MAIN).cpu = 50_000_000
    assert [len(trace.frames) for trace in limited(profile(found), depth=4, cutoff=0, lines=True).traces] == [1]


def test_the_older_table_has_each_pair_once() -> None:
    found = snapshot()
    main = found.exact_tree.child(MAIN)
    main.children[PUT].child(PUT).calls = 7
    main.children[PUT].child(PUT).child(PUT).calls = 2
    main.children[PUT].child(PUT).wall = main.children[PUT].child(PUT).child(PUT).wall = 1_000_000_000
    assert pairs(found.exact_tree) == {
        (MAIN, None): (2, 6_000_000_000),
        (PUT, MAIN): (40, 3_000_000_000),
        (PUT, PUT): (9, 2_000_000_000),
    }
    assert list(lines(found.exact_tree))[:2] == [
        "count callee caller time",
        "2 a.Main.main([Ljava/lang/String;)V <unknown caller> 6000",
    ]

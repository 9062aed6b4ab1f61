"""The reader of data files: whatever a file contains, it raises nothing but DataError, and a report can be written of
the rest."""

from __future__ import annotations

import io
import json
import math
import os
import struct
import sys
import tracemalloc
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from classhook.base.errors import Failure
from classhook.measures.locks.reader import DEADLOCKS
from classhook.model.reading.files import read
from classhook.model.stacks import type_name
from classhook.native._layout import ffi
from classhook.probes import probe_table
from classhook.probes.records import (
    ClassRecord,
    ProbeRecord,
    Record,
    RuleRecord,
    SiteRecord,
    SkipRecord,
    UnmatchedRecord,
)
from classhook.reports import Options
from classhook.reports.forms import TABLES_AND_TREES
from classhook.rules.compiled import dumps
from classhook.rules.parse import load
from classhook.store import baseline
from classhook.store.compact import compact
from classhook.store.extents import Extents
from classhook.store.layout import HEADER_BYTES, MAGIC, lib
from classhook.store.opening import DataError, second
from classhook.store.reading import read_file
from classhook.store.region import RECORD_BYTES, Block, Region

CHUNK = lib.CH_CHUNK
RULES = ["time a.B::*", "count a.C::*", "alloc * in a.B"]
HEAD = probe_table.HEAD.encode()


def meta(kind: int, text: bytes, first_slot: int = 0, slots: int = 0) -> bytes:
    record = struct.pack("=IIII", len(text), kind, first_slot, slots) + text
    return record + bytes(-len(record) % 8)


def record(calls: int, total: int, octave: int) -> bytes:
    made = ffi.new("struct ch_record *", {"calls": calls, "completed": calls, "total": total, "min": 5, "max": total})
    made.octaves[1] = octave
    return bytes(ffi.buffer(made))


def locks() -> bytes:
    """Threads that were blocked four times, one of which is still, and waited once."""
    head = ffi.new("struct ch_lock_head *", {"rows": 2, "over_ns": 5})
    blocked = {
        "kind": lib.CH_LOCK_ENTER,
        "monitor": 2,
        "stack": 1,
        "holder": 3,
        "holder_stack": 1,
        "ended": 3,
        "total_ns": 99,
        "max_ns": 50,
        "shorter": 2,
        "shorter_ns": 7,
        "pending": 1,
        "pending_began_ns": 900,
    }
    waited = {
        "kind": lib.CH_LOCK_WAIT,
        "monitor": 2,
        "stack": 1,
        "ended": 1,
        "total_ns": 10,
        "max_ns": 10,
        "timed_out": 1,
    }
    return bytes(ffi.buffer(head)) + b"".join(
        bytes(ffi.buffer(ffi.new("struct ch_lock *", one))) for one in (blocked, waited)
    )


def example() -> bytes:
    """A file as the agent would write it, with two blocks, a directory in two parts, and all kinds of descriptions."""
    a_b = [
        ClassRecord("a.B", "B.java"),
        RuleRecord(0, 2),
        RuleRecord(2, 1),
        ProbeRecord("time", 0, 0, "m", "(I)V"),
        SiteRecord("object", 1, 2, "m", "(I)V", 7, 3, (), "a.T"),
        SiteRecord("array", 3, 2, "m", "(I)V", 8, 9, (), "int[]"),
    ]
    a_c: list[Record] = [
        ClassRecord("a.C", ""),
        RuleRecord(1, 1),
        ProbeRecord("count", 0, 1, "n", "()V"),
        UnmatchedRecord(1, "o", "()V", ""),
    ]
    skip = [ClassRecord("a.D", ""), SkipRecord("x", "()V", "code-too-large", "70000 bytes")]
    texts = [
        meta(lib.CH_META_RULES, dumps(load([], RULES)).encode()),
        meta(lib.CH_META_CLASS, probe_table.encode(a_b), 0, 5),
        meta(lib.CH_META_CLASS, probe_table.encode(a_c), 5, 1),
        meta(lib.CH_META_SKIP, probe_table.encode(skip)),
        meta(lib.CH_META_NAMES, b"a/B\na/C\n"),
        meta(lib.CH_META_NOTE, b"a note"),
        meta(lib.CH_META_FRAME, b"La/B;\0m\0()V\0B.java", 2, 17),
        meta(lib.CH_META_TRACE_NAME, b"La/Lock;", 2),
        meta(lib.CH_META_TRACE_NAME, b"a thread", 3),
        meta(lib.CH_META_DEADLOCK, b"one\0La/Lock;\0two\0a.B.m\0", 0, 1),
    ]
    metadata = b"".join(texts)
    octave = struct.pack("=32Q", *([0, 3] + [0] * 30))
    octave_at = 64 + -(-RECORD_BYTES // 64) * 64
    records = (bytes(64) + record(3, 99, octave_at // 64)).ljust(octave_at, b"\0") + octave
    regions = [
        (lib.CH_META, 0, metadata),
        (lib.CH_SLOTS, 0, struct.pack("=6Q", 0, 2, 16, 4, 64, 5)),
        (lib.CH_SLOTS, 1, struct.pack("=6Q", 64, 1, 0, 1, 16, 7)),
        (lib.CH_RECORDS, 1, records),
        (lib.CH_LOCKS, 0, locks()),
        (
            lib.CH_TRACES,
            0,
            bytes(ffi.buffer(ffi.new("struct ch_tree *", {"nodes": 2})))
            + struct.pack("=IIQQff", 0, 0, 0, 0, 0, 0)
            + struct.pack("=IIQQff", 0, 2, 0, 0, 0, 0),
        ),
    ]
    entries, data = [], b""
    chunks = [(kind, block, content.ljust(CHUNK, b"\0")) for kind, block, content in regions]
    for number, (kind, block, content) in enumerate(chunks):
        if number == 2:  # the rest of the directory is in a chunk
            entries.append((lib.CH_DIRECTORY, 0, 0, CHUNK + len(data), CHUNK, 0))
            directory_at = len(data)
            data += bytes(CHUNK)
        entries.append((kind, 0, block, CHUNK + len(data), len(content), 0))
        data += content
    packed = [struct.pack("=HHIQQQ", *entry) for entry in entries]
    rest = b"".join(packed[3:])
    data = data[:directory_at] + rest + data[directory_at + len(rest) :]
    header = ffi.new("struct ch_header *")
    header.magic, header.format, header.header_bytes, header.pid = MAGIC, lib.CH_FORMAT, HEADER_BYTES, 4711
    header.start_unix_ns, header.how_ended, header.clock = 10**18, lib.CH_EXIT, lib.CH_CLOCK_TICKS
    header.last_ticks, header.last_ns, header.seen, header.meta_used, header.entries = (
        2000,
        1000,
        9,
        len(metadata),
        len(entries),
    )
    header.slots_used = 6
    header.jvm, header.command = b"17", b"java\0a.B\0\0"
    ffi.buffer(header.directory)[: 3 * 32] = b"".join(packed[:3])
    return bytes(ffi.buffer(header)).ljust(CHUNK, b"\0") + data


EXAMPLE = example()


def test_the_example_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.classhook"
    path.write_bytes(EXAMPLE)
    snapshot = read([path])
    assert snapshot.notes == []
    assert [(p.pid, p.command, p.end, p.notes) for p in snapshot.processes] == [(4711, "java a.B", "exit", ["a note"])]
    row = snapshot.tables["methods"]["a.B", "m", "(I)V"]
    assert (row.calls, row.total_ns, row.max_ns, row.rule) == (3, 50, 50, RULES[0])
    assert row.histogram.counts == {33 * 0.5: 3}
    assert snapshot.tables["methods"]["a.C", "n", "()V"].calls == 12
    assert {key[-1]: (row.count, row.bytes) for key, row in snapshot.tables["allocations"].items()} == {
        "a.T": (3, 48),
        "int[]": (5, 80),
    }
    assert list(snapshot.skipped) == [("a.D", "x", "()V", "code-too-large", "70000 bytes")]
    assert snapshot.rules[RULES[1]].matched_methods == 1
    assert snapshot.class_names == {"a.B", "a.C"}
    found = {
        key: (row.count, row.pending, row.total_ns + row.pending_ns, row.shorter)
        for key, row in snapshot.tables["locks"].items()
    }
    place = ("a.B", "m", "()V", 17, "a.Lock")
    assert found == {
        (*place, "enter", "a.B.m(B.java:17)"): (3, 1, 199, 2),
        (*place, "wait", "a.B.m(B.java:17)"): (1, 0, 10, 0),
    }
    assert DEADLOCKS.get(snapshot.processes[0]) == [[("one", "La/Lock;", "two", "a.B.m")]]


def test_a_probe_of_a_newer_build_loses_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "x.classhook"
    path.write_bytes(EXAMPLE.replace(b"probe\tarray\t3", b"probe\tnewer\t3"))
    snapshot = read([path])
    assert snapshot.tables["methods"]["a.B", "m", "(I)V"].calls == 3
    assert [key[-1] for key in snapshot.tables["allocations"]] == ["a.T"]
    assert not snapshot.undescribed
    note = f"{path}: counts are missing of 1 probe that only a newer classhook can read"
    assert snapshot.processes[0].notes == ["a note", note]


def survive(path: Path) -> None:
    """Reads a file and writes all reports of it."""
    snapshot = read([path])
    assert len(snapshot.processes) + len(snapshot.notes) >= 1
    for form in TABLES_AND_TREES.values():
        out = io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace", write_through=True)
        with suppress(Failure):  # there is no call tree
            form.load().report(snapshot, Options(all=True), out)
        text = out.buffer.getvalue()  # type: ignore[attr-defined]
        for one in text.splitlines() if form.name == "jsonl" else [text]:
            json.loads(one) if one.startswith(b"{") else None


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mutated") / "x.classhook"


#: Places in the file with content: the header's fields, directory, descriptions, slots and records.
places = st.one_of(
    st.integers(0, 400),
    st.integers(HEADER_BYTES - 32 * lib.CH_ENTRIES, HEADER_BYTES - 32 * lib.CH_ENTRIES + 128),
    st.integers(CHUNK, CHUNK + 1000),
    st.integers(2 * CHUNK, 2 * CHUNK + 50),
    st.integers(3 * CHUNK, 3 * CHUNK + 64),
    st.integers(4 * CHUNK, 4 * CHUNK + 50),
    st.integers(5 * CHUNK, 5 * CHUNK + 600),
    st.integers(0, len(EXAMPLE) - 1),
)
values = st.one_of(
    st.binary(min_size=1, max_size=9),
    st.sampled_from([0, 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1, CHUNK]).map(lambda n: n.to_bytes(8, sys.byteorder)),
)
SETTINGS = settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.rest
@SETTINGS
@given(
    changes=st.lists(st.tuples(places, values), min_size=1, max_size=6),
    length=st.one_of(st.none(), st.integers(0, len(EXAMPLE))),
)
def test_any_change_is_survived(path: Path, changes: list[tuple[int, bytes]], length: int | None) -> None:
    data = bytearray(EXAMPLE)
    for at, value in changes:
        data[at : at + len(value)] = value
    path.write_bytes(data[:length])
    survive(path)


@pytest.mark.rest
@SETTINGS
@given(
    text=st.binary(max_size=200)
    | st.lists(
        st.sampled_from(
            [
                b"class\ta\tb",
                b"probe\ttime\t0\t0\tm\t()V",
                b"probe\tcount\t-1\t0\tm\t()V",
                b"probe\tobject\t1\t0\tm\t()V\t1\t2\t\tT",
                b"probe\ttime-sample\t1\t0\tm\t()V\t-50",
                b"probe\twatch\t1\t0\tm\t()V\tx\t1\t1\t1\t1\t1\t7\t\t\ta,b",
                b"probe\t",
                b"rule\t-1\t-5",
                b"rule-text\tx",
                b"unmatched\t0\ta\tb\tnative",
                b"skip\ta\tb\tc\td",
                b"alike",
                b"original\t\t",
                b"probe\tcount\t99999999999999999999\t0\tm\t()V",
                b"\xed\xa0\x80",
                b"question\t1",
                b"class\t\x1b[2J\t\n",
                b"probe\ttime\tx\t0\tm\t()V",
            ],
        )
    ).map(lambda lines: b"\n".join([HEAD, *lines])),
    slots=st.sampled_from([0, 1, 5, 8000, 2**32 - 1]),
)
def test_any_description_is_survived(path: Path, text: bytes, slots: int) -> None:
    path.write_bytes(with_first(text, slots))
    survive(path)


def with_first(text: bytes, slots: int) -> bytes:
    """The example with this as its first description of a class."""
    first = meta(lib.CH_META_CLASS, text, 0, slots)
    return EXAMPLE[:CHUNK] + first + EXAMPLE[CHUNK + len(first) :]


@pytest.mark.parametrize(
    ("lines", "slots"),
    [
        (b"probe\tcount\t-1\t0\tm\t()V", 1),
        (b"probe\tcount\t0\t0\tm\t()V", 0),
        (b"probe\tcount\t1\t0\tm\t()V", 1),
        (b"probe\tcount\t0\t0\tk\t()V\nprobe\tcount\t0\t0\tm\t()V", 1),
        (b"probe\tobject\t0\t0\tm\t()V\t1\t2\t\tT", 1),
        (b"probe\tcount\t0\t0\tm\t()V", 1 << 20),
        (b"rule\t0\t" + b"9" * 4300, 0),
    ],
)
def test_a_slot_of_no_probe_or_of_two_is_damage(path: Path, lines: bytes, slots: int) -> None:
    path.write_bytes(with_first(HEAD + b"\nclass\ta.E\tE.java\n" + lines, slots))
    snapshot = read([path])
    assert ("a.E", "m", "()V") not in snapshot.tables["methods"]
    assert "ignored, with the counts" in snapshot.processes[0].notes[-1]
    survive(path)


@pytest.mark.parametrize("field", ["w", "ww", "wt", "wwss", "callee_squares"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -1e300, 1e300, 5e-324])
def test_impossible_sums_of_a_record_are_damage(path: Path, field: str, value: float) -> None:
    made = ffi.new("struct ch_record *", {"calls": 9, "completed": 3, "sampled": {"n": 2, "w": 4, "ww": 8}})
    setattr(made if field == "callee_squares" else made.sampled, field, value)
    at = 4 * CHUNK + 64 + CHUNK  # of a.B.m in the second block: header, descriptions, slots, directory, slots
    path.write_bytes(EXAMPLE[:at] + bytes(ffi.buffer(made)) + EXAMPLE[at + RECORD_BYTES :])
    survive(path)
    snapshot = read([path])
    possible = value == 5e-324 and field != "w"
    assert snapshot.undescribed == (not possible)
    assert snapshot.tables["methods"]["a.B", "m", "(I)V"].calls == 9 * possible
    assert ("ignored, with the counts" in snapshot.processes[0].notes[-1]) == (not possible)


@pytest.mark.parametrize(
    ("now", "before"),
    [(b"\0", b"\xff"), (b"\xff", b"\0"), (b"\xff\xff\x7f\x7f", b"\xff\xff\x7f\xff"), (b"\x7f", b"\x80")],
)
def test_a_damaged_baseline_is_survived(path: Path, now: bytes, before: bytes) -> None:
    path.write_bytes(EXAMPLE)
    file, base = read_file(path), read_file(path)
    for one, pattern in ((file, now), (base, before)):
        one.regions |= {
            (kind, 0): Region([(0, memoryview(pattern * (8192 // len(pattern))))]) for kind in baseline.TREES
        }
    baseline.subtract(file, base)
    for kind in baseline.TREES:
        assert len(file.region(kind).pieces[0][1]) == 8192


def test_slots_of_two_classes_are_damage(path: Path) -> None:
    other, changed = (struct.pack("=III", lib.CH_META_CLASS, first, 1) for first in (5, 4))
    assert EXAMPLE.count(other) == 1
    path.write_bytes(EXAMPLE.replace(other, changed))
    snapshot = read([path])
    assert snapshot.tables["methods"]["a.B", "m", "(I)V"].calls == 3
    assert ("a.C", "n", "()V") not in snapshot.tables["methods"]
    assert "1 damaged description ignored, with the counts" in snapshot.processes[0].notes[-1]


def test_a_record_of_two_methods_is_told(path: Path) -> None:
    """Threads have counted in a block that was not theirs alone: what it has of other methods may be wrong as well."""
    data = EXAMPLE.replace(struct.pack("=6Q", 64, 1, 0, 1, 16, 7), struct.pack("=6Q", 64, 1, 0, 1, 16, 64))
    path.write_bytes(data.replace(b"probe\tcount\t0\t1\tn\t", b"probe\ttime\t0\t1\tnn\t"))
    snapshot = read([path])
    assert "cannot be trusted" in snapshot.processes[0].notes[-1]
    assert "1 class (a.C) is left out" in snapshot.processes[0].notes[-1]
    assert snapshot.undescribed


@SETTINGS
@given(data=st.binary(max_size=300).map(lambda tail: MAGIC + tail) | st.binary(max_size=300))
def test_any_bytes_are_survived(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    with pytest.raises(DataError):
        read_file(path)
    survive(path)


def with_entry(number: int, **changes: int) -> bytes:
    """The example with another entry in its directory."""
    data = bytearray(EXAMPLE)
    at = HEADER_BYTES - 32 * lib.CH_ENTRIES + 32 * number
    entry = ffi.new("struct ch_entry *")
    ffi.buffer(entry)[:] = bytes(data[at : at + 32])
    for key, value in changes.items():
        setattr(entry, key, value)
    data[at : at + 32] = bytes(ffi.buffer(entry))
    return bytes(data)


@pytest.mark.parametrize(
    ("changed", "note"),
    [
        (with_entry(0, offset=CHUNK + 8), "its directory is damaged"),
        (with_entry(0, offset=0), "its directory is damaged"),
        (with_entry(1, bytes=CHUNK - 1), "its directory is damaged"),
        (with_entry(1, first=8), "its directory is damaged"),
        (with_entry(1, offset=1 << 40), "truncated after"),
        (with_entry(1, offset=(1 << 64) - CHUNK), "truncated after"),
        (with_entry(1, bytes=1 << 63), "truncated after"),
        (with_entry(2, offset=CHUNK), "its directory is damaged"),
        (with_entry(2, offset=1 << 40), "its directory is damaged"),
        (with_entry(0, first=CHUNK), "descriptions of classes are missing"),
    ],
)
def test_a_damaged_directory_is_said(path: Path, changed: bytes, note: str) -> None:
    path.write_bytes(changed)
    survive(path)
    snapshot = read([path])
    assert any(note in text for process in snapshot.processes for text in process.notes)
    assert not snapshot.complete


def test_a_directory_that_leads_back_to_itself_ends(path: Path) -> None:
    data = bytearray(EXAMPLE)
    at = 3 * CHUNK  # the directory's second part
    data[at : at + 32] = struct.pack("=HHIQQQ", lib.CH_DIRECTORY, 0, 0, 3 * CHUNK, CHUNK, 0)
    count_at = ffi.offsetof("struct ch_header", "entries")
    data[count_at : count_at + 8] = b"\xff" * 8
    path.write_bytes(data)
    survive(path)


def with_slots(data: bytes, slots: int) -> bytes:
    """The file with this number of slots given to classes."""
    at = ffi.offsetof("struct ch_header", "slots_used")
    return data[:at] + struct.pack("=Q", slots) + data[at + 8 :]


def test_a_hole_in_a_region_costs_no_memory(path: Path) -> None:
    """Data after the hole is found at its place."""
    path.write_bytes(with_slots(with_entry(1, first=1 << 50), 1 << 60))
    file = read_file(path)
    assert [len(block.pages) for block in file.blocks] == [CHUNK // 4096] * 2
    assert file.blocks[0].slot((1 << 47) + 1) == 2
    assert file.blocks[0].slot(1) == 0
    assert file.blocks[0].slot(-1) == 0


def test_a_region_in_two_pieces(path: Path) -> None:
    data = bytearray(with_slots(EXAMPLE, 2 * CHUNK)) + struct.pack("=2Q", 11, 12).ljust(CHUNK, b"\0")
    at = 3 * CHUNK + 64  # after the two entries of the directory's second part
    data[at : at + 32] = struct.pack("=HHIQQQ", lib.CH_SLOTS, 0, 1, len(EXAMPLE), CHUNK, CHUNK)
    count_at = ffi.offsetof("struct ch_header", "entries")
    data[count_at : count_at + 8] = struct.pack("=Q", 6)
    path.write_bytes(data)
    file = read_file(path)
    assert [file.blocks[1].slot(CHUNK // 8 + n) for n in (-1, 0, 1, 2)] == [0, 11, 12, 0]
    assert file.sums(CHUNK // 8 - 1, 4) == [0, 11, 12, 0]


def test_a_file_with_holes_is_read_without_them_and_put_together(tmp_path: Path) -> None:
    """300 GB long, with a record that begins before a hole and ends in it."""
    region = 100 << 30
    header = bytearray(EXAMPLE[:CHUNK])
    holes = tmp_path / "holes.classhook"
    entries = [
        (lib.CH_META, 0, 0, CHUNK, region, 0),
        (lib.CH_SLOTS, 0, 0, CHUNK + region, region, 0),
        (lib.CH_SLOTS, 0, 1, CHUNK + 2 * region, region, 0),
        (lib.CH_RECORDS, 1, 1, 0, region, 0),
    ]
    at = HEADER_BYTES - 32 * lib.CH_ENTRIES
    header[at : at + 128] = b"".join(struct.pack("=HHIQQQ", *entry) for entry in entries)
    entries_at = ffi.offsetof("struct ch_header", "entries")
    header[entries_at : entries_at + 8] = struct.pack("=Q", len(entries))
    with holes.open("wb") as file, second(holes).open("wb") as more:
        for place, content in [
            (0, bytes(header)),
            (CHUNK, EXAMPLE[CHUNK : 2 * CHUNK]),
            (CHUNK + region, EXAMPLE[2 * CHUNK : 2 * CHUNK + 48]),
            (CHUNK + 2 * region, EXAMPLE[4 * CHUNK : 4 * CHUNK + 48]),
        ]:
            file.seek(place)
            file.write(content)
        file.truncate(CHUNK + 3 * region)
        more.write(EXAMPLE[5 * CHUNK : 6 * CHUNK])
        more.truncate(region)
    small = tmp_path / "small.classhook"
    small.write_bytes(b"".join(compact(read_file(holes))))
    assert small.stat().st_size < 1 << 20
    (tmp_path / "whole.classhook").write_bytes(EXAMPLE)
    whole, *others = (read([path]) for path in (tmp_path / "whole.classhook", holes, small))
    for other in others:
        assert other.processes[0].notes == ["a note"]
        assert other.tables["allocations"] == whole.tables["allocations"]
        assert [
            (key, row.calls, row.total_ns, row.histogram.counts) for key, row in other.tables["methods"].items()
        ] == [(key, row.calls, row.total_ns, row.histogram.counts) for key, row in whole.tables["methods"].items()]


def test_a_file_put_together_of_many_pieces(tmp_path: Path) -> None:
    """More pieces than the header has entries for."""
    path = tmp_path / "x.classhook"
    data = bytearray(with_slots(EXAMPLE, 1 << 40))
    path.write_bytes(data)
    file = read_file(path)
    pieces = 3 * lib.CH_ENTRIES
    file.regions[lib.CH_SLOTS, 1] = Region(
        (8192 * n, memoryview(struct.pack("=Q", n).ljust(4096, b"\0"))) for n in range(pieces)
    )
    path.write_bytes(b"".join(compact(file)))
    again = read_file(path)
    assert again.notes == []
    assert [again.blocks[1].slot(1024 * n) for n in (0, 1, 1022, 1023, 2048, pieces - 1)] == [
        0,
        1,
        1022,
        1023,
        2048,
        pieces - 1,
    ]
    assert [text for *_, text in again.descriptions()] == [text for *_, text in file.descriptions()]


def test_a_record_that_ends_in_a_hole_is_kept(tmp_path: Path) -> None:
    """Its last fields are still 0, so their page was never touched."""
    path = tmp_path / "x.classhook"
    path.write_bytes(EXAMPLE)
    file = read_file(path)
    at = 4096 - 64
    begun = record(1, 0, 0)[:64]
    file.regions[lib.CH_RECORDS, 1] = Region([(0, memoryview(bytes(at) + begun))])
    path.write_bytes(b"".join(compact(file)))
    again = read_file(path)
    found = again.blocks[1].record(at)
    assert (found.calls, found.completed, found.active) == (1, 1, 0)
    assert again.blocks[1].record(1 << 20) is None


def with_descriptions(*descriptions: bytes) -> bytes:
    """The example with these descriptions after its own."""
    at = ffi.offsetof("struct ch_header", "meta_used")
    (used,) = struct.unpack_from("=Q", EXAMPLE, at)
    data = bytearray(EXAMPLE)
    added = b"".join(descriptions)
    data[CHUNK + used : CHUNK + used + len(added)] = added
    data[at : at + 8] = struct.pack("=Q", used + len(added))
    return bytes(data)


def test_descriptions_behind_a_page_without_room_are_read(tmp_path: Path) -> None:
    """Also after the file is compacted."""
    torn, whole = meta(lib.CH_META_NOTE, b"x" * 20000), meta(lib.CH_META_NOTE, b"behind it")
    path = tmp_path / "x.classhook"
    data = with_descriptions(torn, whole)
    hole = CHUNK + 8192
    with path.open("wb") as file:
        file.write(data[:hole])
        file.seek(hole + 4096)
        file.write(data[hole + 4096 :])
    file = read_file(path)
    (tmp_path / "y.classhook").write_bytes(b"".join(compact(file)))
    for one in (path, tmp_path / "y.classhook"):
        snapshot = read([one])
        assert snapshot.processes[0].notes == [
            "a note",
            "behind it",
            f"{one}: descriptions of classes are missing, and with them their counts",
        ]
        assert snapshot.tables["methods"]["a.C", "n", "()V"].calls == 12


def test_a_description_in_a_hole_asks_for_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "x.classhook"
    data = bytearray(with_descriptions(struct.pack("=IIII", 1 << 30, lib.CH_META_CLASS, 0, 0)))
    at = HEADER_BYTES - 32 * lib.CH_ENTRIES
    data[at : at + 32] = struct.pack("=HHIQQQ", lib.CH_META, 0, 0, len(data), 1 << 40, 0)
    at = ffi.offsetof("struct ch_header", "meta_used")
    data[at : at + 8] = struct.pack("=Q", 1 << 40)
    path.write_bytes(data + data[CHUNK : 2 * CHUNK])
    os.truncate(path, 1 << 41)
    tracemalloc.start()
    try:
        notes = read([path]).processes[0].notes
        assert tracemalloc.get_traced_memory()[1] < 10 << 20
    finally:
        tracemalloc.stop()
    assert "descriptions of classes are missing" in notes[-1]


def test_a_position_beyond_all_addresses_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "x.classhook"
    path.write_bytes(with_entry(1, first=(1 << 64) - 64))
    file = read_file(path)
    assert "its directory is damaged" in file.notes[0]
    assert b"".join(compact(file))


def test_a_file_that_becomes_shorter_while_it_is_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Extents, "look_again", lambda self: setattr(self, "size", len(EXAMPLE)))
    for length in (HEADER_BYTES, CHUNK, 3 * CHUNK, 3 * CHUNK + 10, 3 * CHUNK + 32, 5 * CHUNK):
        path.write_bytes(EXAMPLE[:length])
        survive(path)
        assert not read([path]).complete


def test_what_lies_in_place_of_the_second_file_is_no_data(tmp_path: Path) -> None:
    path = tmp_path / "x.classhook"
    path.write_bytes(EXAMPLE)
    for make in (Path.mkdir, os.mkfifo):
        make(second(path))
        assert read([path]).tables["methods"]["a.C", "n", "()V"].calls == 12
        path.write_bytes(with_entry(1, file=1))
        assert f"its second file {second(path)} is missing" in read([path]).processes[0].notes[0]
        path.write_bytes(EXAMPLE)
        os.rmdir(second(path)) if second(path).is_dir() else second(path).unlink()


def test_a_second_file_of_which_nothing_is_left_is_said(tmp_path: Path) -> None:
    path = tmp_path / "x.classhook"
    path.write_bytes(with_entry(1, file=1))
    second(path).touch()
    assert f"{second(path)}: truncated after 0 bytes" in read([path]).processes[0].notes[0]


def test_an_object_has_no_size_where_the_shared_block_is_missing(tmp_path: Path) -> None:
    """The first block in the file is then a thread's."""
    path = tmp_path / "x.classhook"
    data = bytearray(with_entry(1, bytes=0))
    data[4 * CHUNK + 16 : 4 * CHUNK + 24] = struct.pack("=Q", 99)
    path.write_bytes(data)
    assert {key[-1]: (row.count, row.bytes) for key, row in read([path]).tables["allocations"].items()} == {
        "a.T": (1, 0),
        "int[]": (1, 16),
    }


@pytest.mark.parametrize(
    ("signature", "name"),
    [
        ("La/B$C;", "a.B$C"),
        ("[[I", "int[][]"),
        ("[La/B;", "a.B[]"),
        ("[others]", "[others]"),
        ("La/B$$Lambda$14;", "a.B$$Lambda"),
    ],
)
def test_the_names_of_monitors(signature: str, name: str) -> None:
    assert type_name(signature) == name


#: The offset at which the next test puts an octave of a block's record.
OCTAVE = -(-RECORD_BYTES // 64) * 64 + 64


def test_the_last_call_of_a_block_is_counted_before_and_after_a_reset() -> None:
    """It is in the record, and its step of the histogram in the first word, until the next call counts it
    (native/timing/timing_records.h)."""

    def block(calls: int, left: int, steps: list[int], due: int, before: Block | None = None) -> Block:
        made = ffi.new(
            "struct ch_record *",
            {"calls": calls, "completed": calls - left, "left": left, "max": 9, "octaves": [OCTAVE // 64]},
        )
        data = (
            due.to_bytes(8, "little").ljust(64, b"\0")
            + bytes(ffi.buffer(made)).ljust(OCTAVE - 64, b"\0")
            + struct.pack("<32Q", *steps)
        )
        return Block({}, Region([(0, memoryview(data))]), before=before)

    step = [0] * 32
    first = block(3, 1, [2 if i == 9 else 0 for i in range(32)], due=OCTAVE + 8 * 9)
    octave = first.octave(OCTAVE // 64)
    assert octave is not None
    assert list(octave.cast("Q"))[9] == 3
    step[9], step[2] = 3, 1
    now = block(5, 1, step, due=OCTAVE + 8 * 2, before=first)
    octave = now.octave(OCTAVE // 64)
    assert octave is not None
    assert {i: n for i, n in enumerate(octave.cast("Q")) if n} == {2: 2}
    record = now.record(64)
    assert (record.calls, record.left, record.min, record.max) == (2, 0, 2, 2)


@pytest.mark.parametrize("enum", ["ch_kind", "ch_meta_kind"])
def test_each_kind_has_a_number_of_its_own(enum: str) -> None:
    type_of = ffi.typeof(f"enum {enum}")
    assert len(type_of.elements) == len(type_of.relements)

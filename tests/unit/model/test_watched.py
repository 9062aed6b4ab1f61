"""Records of watched calls in data files: each value, and any damage."""

from __future__ import annotations

import struct
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from classhook.live.observe.watched_calls import as_line
from classhook.measures.watch.reader import HEAD_BYTES, RECORD_BYTES, CallRow, Watch, add_rows
from classhook.measures.watch.reader_values import as_json, as_text
from classhook.measures.watch.table import THREAD
from classhook.model.snapshot import Snapshot
from classhook.model.stacks import Names
from classhook.native._layout import ffi
from classhook.store.region import Region

PROBE = Watch("a.B", "m", "(IJ)V", "watch a.B::m", ("=x", "=y", "result", "this.id"))


def text(kind: str, value: str) -> bytes:
    return kind.encode() + struct.pack("=H", len(value)) + value.encode()


def string(kind: str, value: str, length: int = -1) -> bytes:
    units = value.encode("utf-16-le", "surrogatepass")
    return kind.encode() + struct.pack("=II", length if length >= 0 else len(units) // 2, len(units) // 2) + units


def record(*values: bytes, slot: int = 3, threw: int = 0, span: bytes = bytes(24)) -> bytes:
    content = b"".join(values)
    content += bytes(-len(content) % 8)
    return struct.pack("=IIQQII", RECORD_BYTES + len(content), slot, 1000, 50, 0, threw) + span + content


def rows(*records: bytes, used: int = -1) -> list[CallRow]:
    data = b"".join(records)
    head = bytes(
        ffi.buffer(
            ffi.new("struct ch_watched_head *", {"used": HEAD_BYTES + len(data) if used < 0 else used, "lost": 2})
        )
    )
    found: dict[Any, CallRow] = {}
    whole = head + data
    lost = add_rows(found, Region([(0, memoryview(whole))]), {3: PROBE}, Region([]), Names(), 10**18)
    assert lost == 2
    return list(found.values())


def test_a_record() -> None:
    array = text("a", "[I") + struct.pack("=II", 12, 2) + b"i" + struct.pack("=q", 1) + b"n"
    (row,) = rows(record(text("o", "main"), b"i" + struct.pack("=q", -5), string("s", "x" * 200, 300), array, b"m"))
    assert (row.thread, row.ended_unix_ns, row.took_ns, row.rule) == ("main", 10**18 + 1000, 50, "watch a.B::m")
    assert [as_json(value) for value in row.args.values()] == [-5, {"string": "x" * 200, "length": 300}]
    assert [as_text(value) for value in row.args.values()] == ["-5", f'"{"x" * 200}"... (300)']
    assert as_json(row.result) == {"class": "int[]", "length": 12, "elements": [1, None]}
    assert as_text(row.result) == "int[12] {1, null, ...}"
    assert as_json(row.fields["this.id"]) == {"masked": True}


def test_an_exception() -> None:
    (row,) = rows(
        record(
            text("o", "main"),
            text("o", "La/E;"),
            string("s", "half \ud800"),
            b"z\1",
            string("e", "NEW"),
            b"?",
            b"c\x41\0",
            threw=1,
        )
    )
    assert (row.exception, as_json(row.message), row.has_result) == ("a.E", "half \ud800", False)
    assert [as_json(value) for value in (*row.args.values(), *row.fields.values())] == [True, "NEW", "A"]


def test_the_span_that_a_call_was_in() -> None:
    values = (text("o", "main"), b"n", b"n", b"n", b"n")
    inside, outside = rows(record(*values, span=bytes(range(24))), record(*values))
    assert (inside.trace_id, inside.span_id) == ("000102030405060708090a0b0c0d0e0f", "1011121314151617")
    assert (outside.trace_id, outside.span_id) == ("", "")
    assert [column.value(outside) for column in THREAD[1:]] == [None, None]
    lines = [as_line(Snapshot(), (("a.B", "m", "(IJ)V", 1), one)) for one in (inside, outside)]
    assert lines[0].rpartition("  ")[2] == "trace 000102030405060708090a0b0c0d0e0f"
    assert "trace" not in lines[1]


def test_records_of_other_probes_and_after_the_end_are_left_out() -> None:
    good = record(text("o", "main"), b"n", b"n", b"n", b"n")
    assert len(rows(good, record(b"?", slot=4), good)) == 2
    assert len(rows(good, good, used=HEAD_BYTES + len(good))) == 1


SHAPES = [b"a", b"s", b"o", text("a", "[I") + struct.pack("=II", 9, 1 << 31)]


@given(st.lists(st.one_of(st.binary(max_size=40), st.sampled_from(SHAPES)), max_size=8), st.booleans())
def test_any_values_are_survived(values: list[bytes], threw: bool) -> None:
    for row in rows(record(text("o", "main"), *values, threw=threw)):
        for _, value in row.values:
            as_json(value), as_text(value)


@given(st.binary(max_size=300), st.integers(0, (1 << 64) - 1))
def test_any_region_is_survived(data: bytes, used: int) -> None:
    rows(data, used=used)


def test_arrays_within_arrays_do_not_recurse() -> None:
    nested = b"".join(text("a", "[[I") + struct.pack("=II", 1, 1) for _ in range(5000))
    assert rows(record(text("o", "main"), nested)) == []

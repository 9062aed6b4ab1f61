"""Rows of sampled objects, of which some are value objects: nobody knows whether these are live."""

from __future__ import annotations

from classhook.measures.alloc.reader_objects import Estimate, ObjectRow
from classhook.measures.alloc.table_objects import OBJECT_TABLE

KEY = ("App", "run", "()V", 7, "App$Point", "App.run(App.java:7)")
LIVE = next(section for section in OBJECT_TABLE.sections if section.kind == "live")


def row(values: int, live: int = 0) -> ObjectRow:
    return ObjectRow("", 10, live, Estimate(10, 2048), Estimate(live, 16 * live), known=True, values=values)


def cells(of: ObjectRow) -> list[str]:
    return [LIVE.by_name[name].text(of, 1024) for name in ("live", "share", "live-objects", "bytes")]


def test_a_row_of_value_objects_has_no_live_numbers() -> None:
    assert cells(row(values=10)) == ["-", "-", "-", "2.0 KiB"]
    fields = LIVE.fields(row(values=10))
    assert {
        fields[key] for key in ("live_bytes", "live_count", "live_count_error", "live_bytes_error", "sampled_live")
    } == {None}
    assert LIVE.about_all([(KEY, row(values=10)), (KEY, row(values=0))]) == [
        "of value objects, 2.0 KiB allocated, it is unknown which are live (`-`): they have no identity"
    ]


def test_others_have_them_and_a_group_has_those_of_the_others() -> None:
    assert cells(row(values=0)) == ["0 B", "0.0%", "0", "2.0 KiB"]
    assert LIVE.about_all([(KEY, row(values=0))]) == []
    group = row(values=10)
    group.add(row(values=0, live=4))
    assert cells(group) == ["64 B", "6.2%", "4", "4.0 KiB"]
    assert len(LIVE.about_all([(KEY, group)])) == 1

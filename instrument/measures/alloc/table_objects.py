"""The table of sampled objects: what lives on, and who allocated it. Only reports import this."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any

from classhook.base.names import quantity, several
from classhook.base.readable import Readable
from classhook.base.row_names import RowName
from classhook.measures.alloc.reader_objects import OBJECTS, SAMPLED_OBJECTS, ObjectRow, Objects
from classhook.model.rows import Key
from classhook.model.snapshot import Process
from classhook.tables.about_process import AboutProcess, Said
from classhook.tables.columns import BYTES, NUMBER, Column, detail, share, share_of
from classhook.tables.stack_names import caller, stack_name
from classhook.tables.table import Entry, Section, Table


def row_name(key: Key, detail: int, names: Readable) -> RowName:
    class_name, name, descriptor, line, type_name, stack = key
    return stack_name(class_name, name, descriptor, line, type_name, stack, detail, names)


def live_bytes(row: ObjectRow) -> int:
    return round(row.live.bytes)


def if_may_live(value: Callable[[ObjectRow], int]) -> Callable[[ObjectRow], int | None]:
    """None where nobody knows."""
    return lambda row: value(row) if row.may_live else None


def unless_unknown(text: Callable[[ObjectRow, int], str]) -> Callable[[ObjectRow, int], str]:
    return lambda row, whole: text(row, whole) if row.may_live else "-"


def live_count(row: ObjectRow) -> int:
    return round(row.live.objects)


def allocated_bytes(row: ObjectRow) -> int:
    return round(row.allocated.bytes)


def error_cell(error: float, whole: int) -> str:
    return f"±{100 * error / whole:.1f}%" if whole and error else ""


ALLOCATED = (
    Column(
        "objects",
        "count",
        lambda row: round(row.allocated.objects),
        error=lambda row: float(row.allocated.objects_error),
        about="number of the allocated objects",
    ),
    Column(
        "bytes",
        "bytes",
        allocated_bytes,
        BYTES,
        title="allocated",
        error=lambda row: float(row.allocated.bytes_error),
        about="their size in all",
    ),
    detail(
        "count_error",
        lambda row: round(row.allocated.objects_error),
        about="the standard error of count; 0 if probes counted the objects and only one stack led there",
    ),
    detail(
        "bytes_error",
        lambda row: round(row.allocated.bytes_error),
        BYTES,
        about="the standard error of bytes; 0 like count_error",
    ),
    detail("sampled", lambda row: row.sampled, about="how many objects were sampled"),
)
LIVE = (
    Column(
        "live",
        "live_bytes",
        if_may_live(live_bytes),
        BYTES,
        cell=unless_unknown(lambda row, whole: quantity(live_bytes(row))),
        falls=True,
        error=lambda row: float(row.live.bytes_error),
        about="size of the objects that no garbage collection has found dead; null for value objects",
        null=True,
    ),
    Column(
        "live-objects",
        "live_count",
        if_may_live(live_count),
        cell=unless_unknown(lambda row, whole: NUMBER.label(live_count(row))),
        title="live objects",
        error=lambda row: float(row.live.objects_error),
        falls=True,
        about="number of the objects that no garbage collection has found dead; null for value objects",
        null=True,
    ),
    detail(
        "live_count_error",
        if_may_live(lambda row: round(row.live.objects_error)),
        about="the standard error of live_count",
        null=True,
    ),
    detail(
        "live_bytes_error",
        if_may_live(lambda row: round(row.live.bytes_error)),
        BYTES,
        about="the standard error of live_bytes",
        null=True,
    ),
    detail(
        "sampled_live", if_may_live(lambda row: row.kept), about="how many of the sampled objects are live", null=True
    ),
    Column(
        "share",
        "",
        lambda row: None,
        title="",
        cell=unless_unknown(lambda row, whole: share(live_bytes(row), whole)),
        adds=False,
    ),
    Column(
        "error",
        "",
        lambda row: round(row.live.bytes_error),
        BYTES,
        title="",
        adds=False,
        cell=lambda row, whole: error_cell(row.live.bytes_error, whole),
    ),
)


def live_title(number: str, rows: list[Entry], sort: str, whole: int) -> str:
    return (
        f"Live objects: {number}, {several(round(sum(row.live.objects for _, row in rows)), 'object')},"
        f" {quantity(whole)}"
    )


def stacks_title(number: str, rows: list[Entry], sort: str, whole: int) -> str:
    return f"Allocations by stack: {number}, {quantity(whole)}"


def notes(rows: list[Entry]) -> list[str]:
    if not any(row.allocated.bytes_variance or row.live.bytes_variance for _, row in rows):
        return []
    return ["estimated from samples, except numbers that probes counted; ± is the standard error"]


def about_values(rows: list[Entry]) -> list[str]:
    """The note about value objects in the table of live objects."""
    found = [row for _, row in rows if row.values]
    if not found:
        return []
    allocated = quantity(sum(allocated_bytes(row) for row in found))
    return [f"of value objects, {allocated} allocated, it is unknown which are live (`-`): they have no identity"]


def section(kind: str, columns: tuple[Column, ...], shown: tuple[str, ...], more: dict[str, Any]) -> Section:
    return Section(
        kind=kind,
        what="stacks",
        nouns="stacks",
        columns=columns,
        shown=shown,
        last="type and stack",
        row_name=row_name,
        frames=lambda row, names: caller(row.stack, names),
        notes=notes,
        **more,
    )


def _share_and_error() -> Iterable[Column]:
    yield share_of(allocated_bytes)
    yield Column(
        "error",
        "",
        lambda row: round(row.allocated.bytes_error),
        BYTES,
        title="",
        adds=False,
        cell=lambda row, whole: error_cell(row.allocated.bytes_error, whole),
    )


OBJECT_TABLE = Table.from_rows(
    OBJECTS,
    section(
        "live",
        (*LIVE, *ALLOCATED),
        ("live", "share", "error", "live-objects", "bytes"),
        {
            "belongs": lambda row: row.known,
            "about_all": about_values,
            "answer": (("live", "live"), ("live-objects", "objects")),
            "title": live_title,
        },
    ),
    section(
        "stacks",
        (*ALLOCATED, *_share_and_error()),
        ("bytes", "share", "error", "objects"),
        {
            "belongs": lambda row: not row.known,
            "answer": (("bytes", "allocated"), ("objects", "objects")),
            "title": stacks_title,
        },
    ),
)


# ---- what is said of a process

#: The ways in which live objects were found.
KNOWN_BY = {
    "last collection": "still alive at the JVM's last garbage collection",
    "collected": "still alive after a garbage collection at the end",
    "reached": "reachable at the end",
}


def objects(found: Objects) -> str:
    """Describes the sampling of a process's objects."""
    how = f"one sampled per {quantity(found.every)}" if found.every else "each sampled"
    live = f"; live: {KNOWN_BY[found.live]}" if found.live else ""
    full = f"; {several(found.refused, 'sample')} had no room for a row of their own" if found.refused else ""
    return f"objects: {how}, {several(found.sampled, 'sample')}{live}{full}"


def object_lines(process: Process) -> Iterable[Said]:
    found = SAMPLED_OBJECTS.get(process)
    return [(objects(found), "")] if found else []


ABOUT_OBJECTS = AboutProcess(
    "objects", lambda process: asdict(found) if (found := SAMPLED_OBJECTS.get(process)) else None, object_lines, rank=4
)

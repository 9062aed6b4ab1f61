"""A part of the page: a table, or why there is none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from classhook.tables.columns import NUMBER, REAL, TEXT, TIME, Unit, Value

TOP = 6  # rows of a table
SHARE = Unit("share", str, "string")  # of a whole, as text
__all__ = ["NUMBER", "REAL", "SHARE", "TEXT", "TIME", "Part", "absent", "cell", "first"]


class Part(NamedTuple):
    """`name`: in files; `columns`: names and units, the last one of a text; `notes`: lines below; `more`: rows that are
    not shown; `cost_ns`: how much of the endpoints' time it may explain, by which parts are ordered."""

    name: str
    title: str
    columns: Sequence[tuple[str, Unit]] = ()
    rows: Sequence[tuple[Value, ...]] = ()
    notes: Sequence[str] = ()
    more: int = 0
    cost_ns: int = 0


def absent(name: str, why: str) -> Part:
    """`why`: a line in place of the part."""
    return Part(name, why)


def first(rows: Iterable[tuple[Value, ...]]) -> tuple[list[tuple[Value, ...]], int]:
    """The rows to show, and the number of the others."""
    found = [*rows]
    return found[:TOP], max(0, len(found) - TOP)


def cell(part: Part, at: int, row: tuple[Value, ...]) -> str:
    """The text of a row's value."""
    value = row[at]
    return "" if value is None else part.columns[at][1].label(value).strip()

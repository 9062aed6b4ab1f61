"""A table of reports: its rows, their JSON form, and its sections in the text report. Only reports import this."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Key = tuple[Any, ...]  # class, method, descriptor, and further fields of the table's key
Entry = tuple[Key, Any]


def nothing(row: Any) -> None:
    """`finish` of tables that need none."""


def no_notes(rows: list[Entry]) -> list[str]:
    """`notes` of sections that need none."""
    return []


def share(part: int, whole: int) -> str:
    """A part of a whole in percent."""
    return f"{100 * part / whole:.1f}%" if whole else "-"


@dataclass(frozen=True)
class Section:
    """A table in the text report.

    what: the name of its rows, in the plural
    belongs: whether a row belongs to it
    weight: the sort value of a row for a sort key; the heaviest row comes first
    title: the title, given all rows, the sort key and the total
    whole: what a row adds to the total, to which shares refer
    columns: the names of the numbers, and of the last column
    cells: the cells of a row, given the total and its rule's name, which is appended to the last
    notes: lines below
    """

    what: str
    belongs: Callable[[Any], bool]
    weight: Callable[[Any, str], int]
    title: Callable[[list[Entry], str, int], str]
    whole: Callable[[Any], int]
    columns: tuple[str, ...]
    cells: Callable[[Key, Any, int, str], tuple[str, ...]]
    notes: Callable[[list[Entry]], list[str]] = no_notes


@dataclass(frozen=True)
class Table:
    """Rows by key.

    name: its key in JSON
    row: makes an empty row; a row's `rule` is the text of the first matching rule
    key: the names of a key's parts after class, method and descriptor
    counts: a row as JSON
    ran: whether a row counted anything; the others are only shown with --all
    finish: called with each row after all files are read
    sections: of the text report, in order
    """

    name: str
    row: Callable[[], Any]
    counts: Callable[[Any], dict[str, Any]]
    ran: Callable[[Any], bool]
    sections: tuple[Section, ...]
    key: tuple[str, ...] = ()
    finish: Callable[[Any], None] = nothing

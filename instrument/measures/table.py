"""A table of reports: what its rows hold, how one reads in JSON, and its sections in the text. Only reports import this."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Key = tuple[Any, ...]  # class, method, descriptor, and what else names a row
Entry = tuple[Key, Any]


def nothing(row: Any) -> None:
    """For rows that need no finish."""


def no_notes(rows: list[Entry]) -> list[str]:
    """For sections that explain themselves."""
    return []


def share(part: int, whole: int) -> str:
    """A part of a whole in percent."""
    return f"{100 * part / whole:.1f}%" if whole else "-"


@dataclass(frozen=True)
class Section:
    """A table in the text report.

    what: what its rows are called
    belongs: whether a row does
    weight: by which the heaviest row comes first, given the name of a sort key
    title: of all rows, given the sort key and their `whole`
    whole: what a row adds to the sum that shares refer to
    columns: the names of the numbers, and of the last column
    cells: of a row, given the sum; the last is followed by what else names the row
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
    row: makes an empty row; rows have a `rule`, the text of the first that asked for them
    key: the names of a key's parts behind class, method and descriptor
    counts: a row as JSON
    ran: whether it counted anything; the others are only shown with --all
    finish: is given each row when all files are read
    sections: in the text report, in their order
    """

    name: str
    row: Callable[[], Any]
    counts: Callable[[Any], dict[str, Any]]
    ran: Callable[[Any], bool]
    sections: tuple[Section, ...]
    key: tuple[str, ...] = ()
    finish: Callable[[Any], None] = nothing

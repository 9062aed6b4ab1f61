"""A table of reports: its rows, and its sections, each with its columns. Only reports import this."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from instrument.labels import Label, method
from instrument.measures.columns import Column, Value

Key = tuple[Any, ...]  # class, method, descriptor, and further fields of the table's key; of a group its name, and the section's kind
Entry = tuple[Key, Any]


def nothing(row: Any) -> None:
    """`finish` of tables that need none."""


def everything(row: Any) -> bool:
    """`belongs` of a table's only section."""
    return True


def never(row: Any) -> bool:
    """`tells_least` and `uncertain` of sections in which no row is."""
    return False


def one(row: Any) -> int:
    """`counted` of tables without a number for it."""
    return 1


def no_marks(row: Any) -> str:
    """`marks` of sections that have none."""
    return ""


def no_notes(rows: list[Entry]) -> list[str]:
    """`notes` of sections that need none."""
    return []


def method_label(key: Key, detail: int) -> Label:
    """`label` of sections whose rows are methods."""
    class_name, name, descriptor = key
    return method(class_name, name, descriptor, detail)


@dataclass(frozen=True)
class Section:
    """Rows of one kind, which have the same columns.

    kind: of its rows, in files
    what: the name of its rows, in the plural
    columns: all of them, in the order in which files have them
    shown: the names of those that the text has, if no others are asked for; the first one is what rows are sorted by, and shares refer to;
        where there is little room, the last ones are left out
    answer: the names of those that answer a question about single rows, with the word that follows each
    title: the title, given all rows, the column that they are sorted by and the sum of the first one
    belongs: whether a row belongs to it
    last: the name of the text's last column, which has the row's label
    label: a row's name, for the text; with more detail, 0 to 3, where it would not differ from another one
    marks: what follows it
    notes: lines below, which explain the marks of the rows that are shown
    about_all: lines below that are about all rows
    tells_least: whether a row is less interesting than others: the text shows a few such rows after all others
    uncertain: whether a row's main column is mostly what measuring cost: then it comes below all others, where rows are sorted by that column
    """

    kind: str
    what: str
    columns: tuple[Column, ...]
    shown: tuple[str, ...]
    title: Callable[[list[Entry], str, int], str]
    answer: tuple[tuple[str, str], ...] = ()
    belongs: Callable[[Any], bool] = everything
    last: str = "method"
    label: Callable[[Key, int], Label] = method_label
    marks: Callable[[Any], str] = no_marks
    notes: Callable[[list[Entry]], list[str]] = no_notes
    about_all: Callable[[list[Entry]], list[str]] = no_notes
    tells_least: Callable[[Any], bool] = never
    uncertain: Callable[[Any], bool] = never

    @cached_property
    def by_name(self) -> dict[str, Column]:
        """The columns that users know."""
        return {column.name: column for column in self.columns if column.name}

    @cached_property
    def by_word(self) -> dict[str, Column]:
        """The columns by the words that select them: their names, and the headings in text that are not also a column's name."""
        return {**{column.head.lower(): column for column in self.columns if column.name and column.head}, **self.by_name}

    def named(self, words: Iterable[str]) -> list[Column]:
        """The columns that users chose by these words in any case, each once; those that the section lacks are left out."""
        found = (self.by_word.get(word.lower()) for word in words)
        return list({column.name: column for column in found if column is not None}.values())

    @property
    def main(self) -> Column:
        return self.by_name[self.shown[0]]

    def column(self, name: str) -> Column:
        """The column with this name or heading, else the main one."""
        return self.by_word.get(name.lower(), self.main)

    def whole(self, rows: list[Entry]) -> int:
        """The sum of the main column."""
        return sum(max(int(self.main.value(row) or 0), 0) for _, row in rows)

    def sorted(self, rows: list[Entry], name: str) -> list[Entry]:
        """The rows by this column, the largest first, unless it is ascending; those without a value last."""
        value, sign = self.column(name).value, 1 if self.column(name).ascending else -1

        by_main = self.column(name) is self.main

        def order(entry: Entry) -> tuple[bool, float, Key]:
            number = value(entry[1])
            return (by_main and self.uncertain(entry[1]), sign * number if isinstance(number, (int, float)) else float("inf"), entry[0])

        return sorted(rows, key=order)

    def fields(self, row: Any) -> dict[str, Value]:
        """What files have of a row, besides its key and rule."""
        return {"kind": self.kind, **{column.key: column.value(row) for column in self.columns if column.key}}


@dataclass(frozen=True)
class Table:
    """Rows by key.

    name: its key in JSON
    row: makes an empty row; a row's `rule` is the text of the first matching rule
    ran: whether a row counted anything; the others are only shown with --all
    counted: how much a row counted: calls, objects, probes that were hit
    sections: in the order of the text; each row belongs to one of them
    key: the names of a key's parts after class, method and descriptor, with their types in files, as of a unit
    add: adds the second row to the first one, for groups; what the sum is not known of says so
    finish: called with each row after all files are read
    events: each row happened once: there are no metrics of them, and nothing to compare
    """

    name: str
    row: Callable[[], Any]
    ran: Callable[[Any], bool]
    sections: tuple[Section, ...]
    key: dict[str, str] = field(default_factory=dict)
    add: Callable[[Any, Any], None] | None = None
    finish: Callable[[Any], None] = nothing
    events: bool = False
    counted: Callable[[Any], int] = one

    def section(self, row: Any) -> Section:
        """The section that a row belongs to."""
        return next(section for section in self.sections if section.belongs(row))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of a key's parts."""
        return ("class", "method", "descriptor", *self.key)

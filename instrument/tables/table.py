"""A table of reports: its rows, and its sections, each with its columns. Only reports import this."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from classhook.base.names import numbered, several
from classhook.base.readable import Readable
from classhook.base.row_names import RowName
from classhook.model.rows import Key, RowKind
from classhook.tables.columns import Column, Value, spelled

Entry = tuple[Key, Any]


def everything(row: Any) -> bool:
    """`belongs` of a table's only section."""
    return True


def never(row: Any) -> bool:
    """`uncertain` of sections in which no row is."""
    return False


def no_marks(row: Any) -> str:
    """`marks` of sections that have none."""
    return ""


def no_frames(row: Any, names: Readable) -> str:
    """`frames` of sections that show no stacks."""
    return ""


def no_notes(rows: list[Entry]) -> list[str]:
    """`notes` and `about_all` of sections that need none."""
    return []


def no_columns(names: Collection[str], rows: list[Entry]) -> list[str]:
    """`about_columns` of sections whose columns need no words."""
    return []


@dataclass(frozen=True)
class Legend:
    """A mark, and what it means. All tables have the same four: `~` an estimate, `≤` at most, `!` a time that is
    uncertain, `+` measured in another way than its rule says.

    words: the line below the table, which begins with the mark
    applies: whether a row has it
    columns: the names of the columns in which it stands; empty: it stands behind the row's name
    """

    words: str
    applies: Callable[[Any], bool]
    columns: tuple[str, ...] = ()


def method_row_name(key: Key, detail: int, names: Readable) -> RowName:
    """`row_name` of sections whose rows are methods."""
    class_name, name, descriptor = key
    return names.method(class_name, name, descriptor, detail)


@dataclass(frozen=True)
class Section:
    """Rows of one kind, which have the same columns.

    kind: of its rows, in files
    what: the name of its rows, in the plural
    columns: all of them, in the order in which files have them
    shown: the names of those that the text has, if no others are asked for; the first one is what rows are sorted by,
    and shares refer to;
        where there is little room, the last ones are left out
    answer: the names of those that answer a question about single rows, with the word that follows each
    title: the title, given their number in words, all rows, the column that they are sorted by and the sum of the first
        one
    nouns: the rows, in the plural, as that number names them, if not `kind` and `what`
    belongs: whether a row belongs to it
    last: the name of the text's last column, which has the row's name
    row_name: a row's name, for the text; with more detail, 0 to 4, where it would not differ from another one
    divided_by: the place in keys of what divides a row into these; names have it where several divide the same row; 0:
        they are no parts
    marks: what follows it
    frames: what follows that of the row's stack
    legends: lines below, which explain the marks of the rows and columns that are shown
    notes: further lines below about the rows that are shown
    about_columns: lines below about the columns that are shown, given their names and the rows
    about_all: lines below that are about all rows
    warnings: lines below about all rows, which matter more than the others
    uncertain: whether a row's main column is mostly what measuring cost: then it comes below all others, where rows are
        sorted by that column
    """

    kind: str
    what: str
    columns: tuple[Column, ...]
    shown: tuple[str, ...]
    title: Callable[[str, list[Entry], str, int], str]
    nouns: str = ""
    answer: tuple[tuple[str, str], ...] = ()
    belongs: Callable[[Any], bool] = everything
    last: str = "method"
    row_name: Callable[[Key, int, Readable], RowName] = method_row_name
    divided_by: int = 0
    marks: Callable[[Any], str] = no_marks
    frames: Callable[[Any, Readable], str] = no_frames
    legends: tuple[Legend, ...] = ()
    notes: Callable[[list[Entry]], list[str]] = no_notes
    about_columns: Callable[[Collection[str], list[Entry]], list[str]] = no_columns
    about_all: Callable[[list[Entry]], list[str]] = no_notes
    warnings: Callable[[list[Entry]], list[str]] = no_notes
    uncertain: Callable[[Any], bool] = never

    def explained(self, names: Collection[str], rows: list[Entry]) -> list[str]:
        """The lines about the marks of these columns and rows."""
        shown = [one for one in self.legends if not one.columns or not {*names}.isdisjoint(one.columns)]
        return list(dict.fromkeys(one.words for one in shown if any(one.applies(row) for _, row in rows)))

    def behind(self, row: Any, names: Readable) -> str:
        """The text after a row's name."""
        return self.marks(row) + self.frames(row, names)

    def number(self, rows: list[Entry], grouped: bool) -> str:
        """The number of rows, in words: `18 timed methods`; `grouped`: `1 group of timed methods`."""
        return (
            f"{several(len(rows), 'group')} of {self.kind_of_rows}"
            if grouped
            else numbered(len(rows), self.kind_of_rows)
        )

    @property
    def kind_of_rows(self) -> str:
        """The plural noun for its rows: `timed methods`."""
        return self.nouns or f"{self.kind} {self.what}"

    @cached_property
    def by_name(self) -> dict[str, Column]:
        """The columns that users know."""
        return {column.name: column for column in self.columns if column.name}

    @cached_property
    def by_word(self) -> dict[str, Column]:
        """The columns by the words that choose them: the names, and the headings."""
        return {
            **{spelled(name): column for name, column in self.by_name.items()},
            **{column.word: column for column in self.by_name.values()},
        }

    def chosen(self, word: str) -> Column | None:
        """The column that users mean by this word; None if the section has no such column."""
        return self.by_word.get(spelled(word))

    def named(self, words: Iterable[str]) -> list[Column]:
        """The columns that users chose by these words, each once; those that the section lacks are left out."""
        found = map(self.chosen, words)
        return list({column.name: column for column in found if column is not None}.values())

    @property
    def main(self) -> Column:
        return self.by_name[self.shown[0]]

    def column(self, name: str) -> Column:
        """The column with this name or heading, else the main one."""
        return self.chosen(name) or self.main

    def whole(self, rows: list[Entry]) -> int:
        """The sum of the main column."""
        return int(self.added((key, max(int(self.main.value(row) or 0), 0)) for key, row in rows))

    def added(self, values: Iterable[tuple[Key, float]]) -> float:
        """The sum of values of rows, by their keys. Several rules may divide the same calls, each by another key: the
        rows of one are enough."""
        at = self.divided_by
        if not at:
            return sum(value for _, value in values)
        sums: dict[Key, dict[str, float]] = {}
        for key, value in values:
            by = key[at] if at < len(key) else ""  # groups have shorter keys
            of_whole = sums.setdefault(key[:at] if by else key, {})
            of_whole[by] = of_whole.get(by, 0) + value
        return sum(max(of_whole.values()) for of_whole in sums.values())

    def sorted(self, rows: list[Entry], name: str) -> list[Entry]:
        """The rows by this column, the largest first, unless it is ascending; those without a value last."""
        value, sign = self.column(name).value, 1 if self.column(name).ascending else -1

        by_main = self.column(name) is self.main

        def order(entry: Entry) -> tuple[bool, float, Key]:
            number = value(entry[1])
            return (
                by_main and self.uncertain(entry[1]),
                sign * number if isinstance(number, (int, float)) else float("inf"),
                entry[0],
            )

        return sorted(rows, key=order)

    def fields(self, row: Any) -> dict[str, Value]:
        """The fields of a row in files, besides its key and rule."""
        return {"kind": self.kind, **{column.key: column.value(row) for column in self.columns if column.key}}


@dataclass(frozen=True)
class Table(RowKind):
    """Rows by key, in sections.

    sections: in the order of the text; each row belongs to one of them
    """

    sections: tuple[Section, ...] = field(kw_only=True)

    @classmethod
    def from_rows(cls, rows: RowKind, *sections: Section) -> Table:
        """The table of these rows."""
        return cls(sections=sections, **{each.name: getattr(rows, each.name) for each in fields(rows)})

    def section(self, row: Any) -> Section:
        """The section that a row belongs to."""
        for section in self.sections:
            if section.belongs(row):
                return section
        raise AssertionError(self.name)

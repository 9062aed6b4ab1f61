"""The rows and columns of each section to show, in the order given by --sort. All forms of tables use this."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from classhook.base.errors import UsageError
from classhook.base.names import printable, singular, them
from classhook.base.readable import UNTOLD
from classhook.base.row_names import RowName, dotted, plain
from classhook.measures.tables import tables
from classhook.model.rows import Key
from classhook.model.snapshot import Snapshot
from classhook.reports import Options
from classhook.reports.column_words import columns, no_column
from classhook.tables.columns import Column, spelled
from classhook.tables.table import Entry, Section, Table

DOTTED = ("class", "package")  # groups whose names have packages
DETAILS = (1, 2, 3, UNTOLD)  # of names, until all differ


@dataclass(frozen=True)
class View:
    """A section's rows. `sort`: the name of the column that they are sorted by; `whole`: the sum of the main one;
    `grouped`: rows are groups."""

    table: Table
    section: Section
    rows: list[Entry]
    sort: str
    whole: int
    grouped: bool

    @property
    def title(self) -> str:
        sort = self.section.by_name[self.sort]
        return self.section.title(
            self.section.number(self.rows, self.grouped), self.rows, sort.head or sort.name, self.whole
        )

    def first(self, n: int) -> list[Entry]:
        """The first n rows; 0: all."""
        return self.rows[:n] if n else self.rows

    def notes(self, names: list[str], rows: list[Entry]) -> list[str]:
        """The lines below a table that has these columns and rows."""
        section = self.section
        return [
            *section.about_columns(names, rows),
            *section.about_all(self.rows),
            *section.explained(names, rows),
            *section.notes(rows),
        ]

    def has(self, column: Column) -> bool:
        """True if a column is worth showing unasked."""
        return not column.sparse or any(column.value(row) for _, row in self.rows)

    def columns(self, names: Iterable[str]) -> list[Column]:
        """The columns of these names or headings; those that the section lacks are left out. If none are asked for, the
        section's usual ones."""
        by_name, names = self.section.by_name, list(names)
        if names:
            return self.section.named(names) or [self.section.main]
        usual = [column for name in self.section.shown if self.has(column := by_name[name])]
        return usual if self.sort in self.section.shown else [by_name[self.sort], *usual]


def views(snapshot: Snapshot, options: Options) -> Iterator[View]:
    """The sections that have rows."""
    for table in tables():
        entries = [entry for entry in snapshot.tables[table.name].items() if options.all or table.ran(entry[1])]
        for section in table.sections:
            rows = [entry for entry in entries if section.belongs(entry[1])]
            if rows:
                column = section.column(options.sort)
                yield View(
                    table,
                    section,
                    section.sorted(rows, column.name),
                    column.name,
                    section.whole(rows),
                    bool(snapshot.grouped_by),
                )


def check(options: Options) -> None:
    """Raises UsageError if no section has a column that is asked for."""
    last = {
        spelled(section.last) for table in tables() for section in table.sections
    }  # headings of the column of names, which is always there
    wanted = [name for name in options.columns if spelled(name) not in last]
    for name in (*wanted, *([options.sort] if options.sort else [])):
        if not columns(name):
            raise UsageError(no_column(name))


def row_names(snapshot: Snapshot, section: Section, keys: Iterable[Key]) -> dict[Key, RowName]:
    """Each row's name; no two have the same, as far as their keys tell."""
    if snapshot.grouped_by:
        written = dotted if snapshot.grouped_by in DOTTED else plain
        return {key: written(key[0]) for key in keys}
    readable = snapshot.readable
    found = {key: section.row_name(key, 0, readable) for key in keys}
    for detail in DETAILS:
        alike: dict[RowName, list[Key]] = {}
        for key, name in found.items():
            alike.setdefault(name, []).append(key)
        again = [key for same in alike.values() if len(same) > 1 for key in same]
        if not again:
            break
        found |= {key: section.row_name(key, detail, readable) for key in again}
    return _divided(section, found) if section.divided_by else found


def _divided(section: Section, found: dict[Key, RowName]) -> dict[Key, RowName]:
    """With `by arg0` behind the names of rows that several keys divide."""
    at = section.divided_by
    by_whole: dict[Key, set[str]] = {}
    for key in found:
        by_whole.setdefault(key[:at], set()).add(key[at])
    return {
        key: name._replace(key=f"{name.key} by {printable(key[at])}")
        if key[at] and len(by_whole[key[:at]]) > 1
        else name
        for key, name in found.items()
    }


def more(snapshot: Snapshot, section: Section, number: int) -> str:
    """The line below a table that has more rows than --top allows."""
    nouns = "groups" if snapshot.grouped_by else section.what
    return f"{number:,} more {singular(nouns) if number == 1 else nouns}; --top N or --top 0 shows {them(number)}"

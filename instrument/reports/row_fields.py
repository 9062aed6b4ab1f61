"""The fields of a row in files: its key, the rule that was written for it and that rule's name, its columns, its method
as its language writes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from classhook.base.names import printable
from classhook.model.rows import Key
from classhook.model.snapshot import Snapshot
from classhook.tables.columns import JSON, Value
from classhook.tables.table import Entry, Section, Table

COMMON = ("rule", "name", "kind")  # what all rows have between their keys and their columns
METHOD = ("class", "method", "descriptor")  # what the keys of rows about methods begin with


class Fields:
    """The rows of a section. `names`: of the values, in order; `json`: of those that are JSON themselves."""

    def __init__(self, snapshot: Snapshot, table: Table, section: Section) -> None:
        of_key = ("group",) if snapshot.grouped_by else table.names
        columns = [column for column in section.columns if column.key]
        self._readable = snapshot.readable if table.first == METHOD and not snapshot.grouped_by else None
        self._rule_names = snapshot.rule_names
        self._in_key = len(of_key)
        self._kind = section.kind
        self._columns = [column.value for column in columns]
        self.names = [*of_key, *COMMON, *(column.key for column in columns), *(["readable"] if self._readable else [])]
        self.json = {column.key for column in columns if column.unit is JSON}

    def values(self, key: Key, row: Any) -> list[Value]:
        """The values of a row."""
        found = [
            *key[: self._in_key],
            row.rule,
            self._rule_names.get(row.rule),
            self._kind,
            *[value(row) for value in self._columns],
        ]
        if self._readable:
            found.append(self._readable.written(*key[:3]))
        return found

    def columns(self, entries: Sequence[Entry]) -> list[Sequence[Value]]:
        """The values of many rows, a sequence for each name, in less time."""
        rules = [row.rule for _, row in entries]
        found: list[Sequence[Value]] = list(zip(*[key[: self._in_key] for key, _ in entries], strict=True))
        found += [rules, [*map(self._rule_names.get, rules)], [self._kind] * len(rules)]
        found += [[value(row) for _, row in entries] for value in self._columns]
        if self._readable:
            found.append([self._readable.written(*key[:3]) for key, _ in entries])
        return found

    def rows(self, entries: Sequence[Entry]) -> Iterator[dict[str, Value]]:
        """The values of each row by name."""
        return (dict(zip(self.names, values, strict=True)) for values in zip(*self.columns(entries), strict=True))


def escaped(values: dict[str, Value]) -> dict[str, Value]:
    """Escapes the control characters of names."""
    return {key: printable(value) if isinstance(value, str) else value for key, value in values.items()}

"""Rows as JSON. All rows of a section have the same keys, whose text is made once; each row adds the texts of its
values."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from json.encoder import encode_basestring_ascii
from typing import Any

from classhook.model.rows import Key
from classhook.model.snapshot import Snapshot
from classhook.reports import Options
from classhook.reports.row_fields import Fields
from classhook.tables.columns import Value
from classhook.tables.table import Entry, Section, Table

AT_ONCE = 1000  # rows of which columns are made
MANY = 20  # rows that are written column by column in less time than one by one
NUMBERS = {int, float, bool, type(None)}  # their texts have no commas
#: By the type of a value: those of nearly all values, in less time than json.dumps takes.
WRITERS: dict[type, Callable[[Any], str]] = {
    str: encode_basestring_ascii,
    int: int.__repr__,
    bool: {False: "false", True: "true"}.__getitem__,
    type(None): {None: "null"}.__getitem__,
}


def text_of(value: Any) -> str:
    """The value as JSON, with all control characters escaped."""
    return _escaped(json.dumps(value))


def _escaped(text: str) -> str:
    """JSON itself lets one control character be."""
    return text.replace("\x7f", "\\u007f")


def line_of(table: Table, row: str) -> str:
    """The text of a row, with the name of its table before all else."""
    return f'{{"table": "{table.name}", {row[1:]}'


class JsonRows:
    """Writes rows of snapshots that name rules and methods as this one does."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._forms: dict[int, _Form] = {}

    def texts(self, table: Table, entries: Iterable[Entry]) -> Iterator[str]:
        """Rows of a table, each as a JSON object."""
        for _, same in groupby(entries, lambda entry: id(table.section(entry[1]))):
            while some := list(islice(same, AT_ONCE)):
                yield from self._form(table, table.section(some[0][1])).texts(some)

    def shown(self, snapshot: Snapshot, table: Table, options: Options) -> Iterator[str]:
        """The rows of a table that a report shows."""
        rows, ran = snapshot.tables[table.name], table.ran
        return (
            self.texts(table, rows.items() if options.all else [entry for entry in rows.items() if ran(entry[1])])
            if rows
            else iter(())
        )

    def _form(self, table: Table, section: Section) -> _Form:
        found = self._forms.get(id(section))
        if found is None:
            found = self._forms[id(section)] = _Form(Fields(self._snapshot, table, section))
        return found


class _Form:
    """Writes rows of a section."""

    def __init__(self, fields: Fields) -> None:
        self._fields = fields
        self._text = "{" + ", ".join(f'"{name}": %s' for name in fields.names) + "}"
        self._are_json = [i for i, name in enumerate(fields.names) if name in fields.json]

    def texts(self, entries: list[Entry]) -> Iterator[str]:
        rows = (
            zip(*self._columns(entries), strict=True)
            if len(entries) >= MANY
            else [tuple(self._row(*entry)) for entry in entries]
        )
        return (_escaped(self._text % values) for values in rows)

    def _row(self, key: Key, row: Any) -> list[str]:
        values = self._fields.values(key, row)
        found = [WRITERS.get(type(value), json.dumps)(value) for value in values]
        for i in self._are_json:
            found[i] = _json(values[i])
        return found

    def _columns(self, entries: list[Entry]) -> Iterator[Iterable[str]]:
        for i, values in enumerate(self._fields.columns(entries)):
            yield map(_json, values) if i in self._are_json else _texts(values)


def _texts(values: Sequence[Value]) -> Iterable[str]:
    """The values of a column as JSON."""
    types = set(map(type, values))
    if types <= NUMBERS:
        return json.dumps(values)[1:-1].split(", ")
    if types == {str}:
        return map(encode_basestring_ascii, values)  # type: ignore[arg-type]
    return [WRITERS.get(type(value), json.dumps)(value) for value in values]


def _json(value: Value) -> str:
    """The text of a value that is JSON already."""
    return "null" if value is None else str(value)

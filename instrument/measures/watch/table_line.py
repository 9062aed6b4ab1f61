"""The table of watched executions: each is a row, in their order. Only reports import this."""

from __future__ import annotations

import json

from classhook.base.names import printable
from classhook.base.readable import Readable
from classhook.base.row_names import NamePart, RowName
from classhook.measures.watch.reader import EXECUTIONS, ExecutionRow
from classhook.measures.watch.reader_values import as_json, as_text
from classhook.measures.watch.table import THREAD, WHEN, stack
from classhook.model.rows import Key
from classhook.tables.columns import JSON, NUMBER, TEXT, Column
from classhook.tables.table import Entry, Section, Table


def values(row: ExecutionRow) -> str | None:
    return json.dumps({name: as_json(value) for name, value in row.values}) if not row.several else None


def written(row: ExecutionRow, names: Readable) -> str:
    """`total=150 items.size=3  < Shop.order:12`."""
    if row.several:
        return ""
    field = f"  {'.'.join(row.field.split('.')[-2:])}:" if row.field else ""
    shown = field + "".join(f"  {name}={as_text(value)}" for name, value in row.values)
    stack = "".join(f" < {names.short(frame.text())}" for frame in row.stack)
    return printable(shown + (f" {stack}" if stack else ""))


def row_name(key: Key, detail: int, names: Readable) -> RowName:
    class_name, method, descriptor, line, *_ = key
    return RowName((NamePart("", names.simple(class_name, method, descriptor) + (f":{line}" if line else "")),))


def title(number: str, rows: list[Entry], sort: str, whole: int) -> str:
    return number


TABLE = Table.from_rows(
    EXECUTIONS,
    Section(
        kind="execution",
        what="executions",
        nouns="watched executions",
        columns=(
            Column(
                "at",
                "at_unix_ns",
                lambda row: row.at_unix_ns,
                WHEN,
                adds=False,
                ascending=True,
                about="when, in ns since 1970",
            ),
            *THREAD,
            Column(
                "",
                "field",
                lambda row: row.field or None,
                TEXT,
                adds=False,
                about="for a watched write: the field, as the instruction names it; else null",
                null=True,
            ),
            Column(
                "",
                "values",
                values,
                JSON,
                adds=False,
                about=(
                    "by name, as values of args of calls; unset: true, if a local variable has no value there; null in"
                    " grouped reports"
                ),
                shape={"type": ["object", "null"]},
            ),
            stack("a list of the method's callers, if the rule shows them"),
            Column("times", "", lambda row: row.count, NUMBER),
        ),
        shown=("at", "trace", "thread"),
        answer=(("at", ""),),
        title=title,
        last="line",
        row_name=row_name,
        frames=written,
    ),
)
TABLES = (TABLE,)

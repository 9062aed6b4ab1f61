"""The table of counted lines. Only reports import this."""

from __future__ import annotations

from classhook.base.names import several
from classhook.base.readable import Readable
from classhook.base.row_names import NamePart, RowName
from classhook.measures.lines.reader import COUNTED_LINES
from classhook.model.rows import Key
from classhook.tables.columns import NUMBER, Column
from classhook.tables.table import Entry, Section, Table


def row_name(key: Key, detail: int, names: Readable) -> RowName:
    class_name, name, descriptor, line = key
    return RowName((*names.method(class_name, name, descriptor, detail).parts, NamePart("", f":{line}")))


def title(number: str, rows: list[Entry], sort: str, whole: int) -> str:
    return f"{number}: {several(sum(row.executions for _, row in rows), 'execution')}"


TABLE = Table.from_rows(
    COUNTED_LINES,
    Section(
        kind="line",
        what="lines",
        nouns="counted lines",
        columns=(
            Column(
                "executions",
                "executions",
                lambda row: row.executions,
                NUMBER,
                about="how often control came to the line's code",
            ),
        ),
        shown=("executions",),
        title=title,
        last="method:line",
        row_name=row_name,
    ),
)
TABLES = (TABLE,)

"""The table of handlers that caught exceptions. Only reports import this."""

from __future__ import annotations

from classhook.base.names import several
from classhook.measures.alloc.table import row_name
from classhook.measures.catches.reader import CATCHES
from classhook.tables.columns import NUMBER, Column, share_of
from classhook.tables.table import Entry, Section, Table


def title(number: str, rows: list[Entry], sort: str, whole: int) -> str:
    return f"{number}: {several(sum(row.caught for _, row in rows), 'exception')} caught"


TABLE = Table.from_rows(
    CATCHES,
    Section(
        kind="catch",
        what="catches",
        nouns="places that catch",
        columns=(
            Column("caught", "caught", lambda row: row.caught, NUMBER, about="how many exceptions"),
            share_of(lambda row: row.caught),
        ),
        shown=("caught", "share"),
        title=title,
        last="type and place",
        row_name=row_name,
    ),
)
TABLES = (TABLE,)

"""The table of exceptions that places threw and handlers caught. Only reports import this."""

from __future__ import annotations

from classhook.base.names import several
from classhook.base.readable import Readable
from classhook.base.row_names import RowName
from classhook.measures.alloc.table import row_name as site_name
from classhook.measures.exceptions import CAUGHT, THROWN
from classhook.measures.exceptions.reader import EXCEPTIONS
from classhook.model.rows import Key
from classhook.tables.columns import NUMBER, Column
from classhook.tables.table import Entry, Section, Table

DONE = {THROWN: "thrown", CAUGHT: "caught"}


def row_name(key: Key, detail: int, names: Readable) -> RowName:
    """`java.io.IOException thrown  Books.settings:66`"""
    *site, event = key
    kind, *place = site_name(tuple(site), detail, names).parts
    return RowName((kind._replace(after=f" {DONE.get(event, event)}  "), *place))


def title(number: str, rows: list[Entry], sort: str, whole: int) -> str:
    return f"{number}: {several(sum(row.count for _, row in rows), 'exception')}"


TABLE = Table.from_rows(
    EXCEPTIONS,
    Section(
        kind="exception",
        what="exceptions",
        nouns="exception places",
        columns=(Column("exceptions", "count", lambda row: row.count, NUMBER, about="how many exceptions"),),
        shown=("exceptions",),
        answer=(("exceptions", "times"),),
        title=title,
        last="type and place",
        row_name=row_name,
    ),
)
TABLES = (TABLE,)

"""The table of contexts. Only reports import this."""

from __future__ import annotations

from classhook.base.names import numbered, printable, several
from classhook.base.readable import Readable
from classhook.base.row_names import NamePart, RowName
from classhook.measures.context.reader import CONTEXTS
from classhook.model.rows import Key
from classhook.tables.columns import Column
from classhook.tables.costs import COST_COLUMNS, COST_NAMES
from classhook.tables.table import Entry, Section, Table

OUTSIDE = "outside of contexts"


def title(number: str, rows: list[Entry], sort: str, whole: int) -> str:
    contexts = numbered(sum(key[0] != "" for key, _ in rows), "contexts")
    return f"{contexts}: entered {several(whole, 'time')}"


def row_name(key: Key, detail: int, names: Readable) -> RowName:
    return RowName((NamePart("", printable(key[0]) or OUTSIDE),))


TABLE = Table.from_rows(
    CONTEXTS,
    Section(
        kind="context",
        what="contexts",
        nouns="contexts",
        columns=(
            Column("entered", "entered", lambda row: row.entered, about="how often a thread entered it"),
            *COST_COLUMNS,
        ),
        shown=("entered", *COST_NAMES),
        title=title,
        last="context",
        row_name=row_name,
    ),
)
TABLES = (TABLE,)

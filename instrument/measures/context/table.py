"""The table of contexts. Only reports import this."""

from __future__ import annotations

from classhook.labels import Label, Part
from classhook.measures.context.reader import CONTEXTS
from classhook.model.rows import Key
from classhook.names import printable, several
from classhook.tables.columns import Column
from classhook.tables.table import Entry, Section, Table


def title(number: str, rows: list[Entry], sort: str, whole: int) -> str:
    return f"{number}: entered {several(whole, 'time')}"


def label(key: Key, detail: int) -> Label:
    return Label((Part("", printable(key[0])),))


TABLE = Table.of(
    CONTEXTS,
    Section(
        kind="context",
        what="contexts",
        nouns="contexts",
        columns=(Column("entered", "entered", lambda row: row.entered),),
        shown=("entered",),
        title=title,
        last="context",
        label=label,
    ),
)
TABLES = (TABLE,)

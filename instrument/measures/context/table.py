"""The table of contexts. Only reports import this."""

from __future__ import annotations

from classhook.labels import Label, Part
from classhook.measures.context.reader import CONTEXTS
from classhook.model.rows import Key
from classhook.names import numbered, printable, several
from classhook.tables.columns import BYTES, TIME, Column
from classhook.tables.table import Entry, Section, Table

OUTSIDE = "outside of contexts"


def title(number: str, rows: list[Entry], sort: str, whole: int) -> str:
    contexts = numbered(sum(key[0] != "" for key, _ in rows), "contexts")
    return f"{contexts}: entered {several(whole, 'time')}"


def label(key: Key, detail: int) -> Label:
    return Label((Part("", printable(key[0]) or OUTSIDE),))


TABLE = Table.of(
    CONTEXTS,
    Section(
        kind="context",
        what="contexts",
        nouns="contexts",
        columns=(
            Column("entered", "entered", lambda row: row.entered),
            Column("cpu", "cpu_ns", lambda row: row.cpu_ns, TIME, sparse=True),
            Column("self", "timed_self_ns", lambda row: row.self_ns, TIME, sparse=True),
            Column("calls", "method_calls", lambda row: row.calls, sparse=True),
            Column("bytes", "allocated_bytes", lambda row: row.bytes, BYTES, sparse=True),
            Column("blocked", "blocked_ns", lambda row: row.blocked_ns, TIME, sparse=True),
            Column("waited", "waited_ns", lambda row: row.waited_ns, TIME, sparse=True),
        ),
        shown=("entered", "cpu", "self", "calls", "bytes", "blocked", "waited"),
        title=title,
        last="context",
        label=label,
    ),
)
TABLES = (TABLE,)

"""The table of threads, and what each cost. Only reports import this."""

from __future__ import annotations

from classhook.base.names import printable, several
from classhook.base.readable import Readable
from classhook.base.row_names import NamePart, RowName
from classhook.measures.threads.reader import ROWS, ThreadRow
from classhook.model.rows import Key
from classhook.tables.columns import Column
from classhook.tables.costs import COST_COLUMNS, COST_NAMES
from classhook.tables.table import Entry, Section, Table


def title(number: str, rows: list[Entry], sort: str, whole: int) -> str:
    threads = sum(row.threads for _, row in rows)
    return f"{several(threads, 'thread')} with {several(len(rows), 'name')}, by {sort}"


def row_name(key: Key, detail: int, names: Readable) -> RowName:
    return RowName((NamePart("", printable(key[0])),))


def main(row: ThreadRow) -> int:
    """The default column to sort by: the first one that was measured."""
    return next(
        (value for value in (row.cpu_ns, row.self_ns, row.calls, row.bytes, row.blocked_ns) if value is not None),
        row.threads,
    )


TABLE = Table.from_rows(
    ROWS,
    Section(
        kind="thread",
        what="threads",
        nouns="names of threads",
        columns=(
            Column("cost", "", main, cell=lambda row, whole: "", title="", adds=False),
            *COST_COLUMNS,
            Column("threads", "threads", lambda row: row.threads, about="how many threads had that name"),
        ),
        shown=("cost", *COST_NAMES, "threads"),
        title=title,
        last="thread",
        row_name=row_name,
    ),
)
TABLES = (TABLE,)

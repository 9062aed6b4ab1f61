"""The table of contexts. Only reports import this."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from classhook.base.names import numbered, printable, several
from classhook.base.readable import Readable
from classhook.base.row_names import NamePart, RowName
from classhook.measures.context.reader import CONTEXTS, ContextRow
from classhook.measures.keys.table import too_many
from classhook.measures.methods.reader import PERCENTILES, MethodRow
from classhook.model.rows import Key
from classhook.tables.columns import TIME, Column
from classhook.tables.costs import COST_COLUMNS, COST_NAMES
from classhook.tables.table import Entry, Section, Table

OUTSIDE = "outside of contexts"


def timed(value: Callable[[MethodRow], int]) -> Callable[[ContextRow], int | None]:
    """A column's value: of the times, None if there are none."""
    return lambda row: value(row.times) if row.times is not None and row.times.completed else None


def percentile(place: int) -> Callable[[ContextRow], int | None]:
    return timed(lambda times: times.quantiles()[place])


TIMES = (
    Column(
        "completed",
        "completed",
        timed(lambda times: times.completed),
        about="how many times have ended; null if their times are not known",
        null=True,
    ),
    Column(
        "total",
        "total_ns",
        timed(lambda times: times.total_ns),
        TIME,
        sparse=True,
        about="the sum of the times from begin to end, in which contexts may contain others; null like completed",
        null=True,
    ),
    Column(
        "mean",
        "",
        timed(lambda times: times.total_ns // times.completed),
        TIME,
        adds=False,
    ),
    *(
        Column(
            name,
            f"{name}_ns",
            percentile(at),
            TIME,
            adds=False,
            sparse=True,
            about=f"of the times from begin to end, {name[1:]} % were not longer; null like completed",
            null=True,
        )
        for at, name in enumerate(PERCENTILES)
    ),
    Column(
        "max",
        "max_ns",
        timed(lambda times: times.max_ns),
        TIME,
        adds=False,
        sparse=True,
        about="the longest time from begin to end; null like completed",
        null=True,
    ),
)


def many(rows: list[Entry]) -> list[str]:
    counts = Counter(key[0].partition(" [")[0] for key, _ in rows)
    return too_many(
        counts, "contexts of", "Let `by` name a value of which there are few, such as the route instead of the path"
    )


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
            *TIMES,
            *COST_COLUMNS,
        ),
        shown=("entered", "p50", "p99", "max", "total", *COST_NAMES),
        title=title,
        last="context",
        row_name=row_name,
        warnings=many,
    ),
)
TABLES = (TABLE,)

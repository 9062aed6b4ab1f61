"""The table of values. Only reports import this."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from classhook.base.names import printable
from classhook.base.readable import Readable
from classhook.base.row_names import NamePart, RowName
from classhook.measures.keys.table import LATE, OTHERS, late, many
from classhook.measures.value.reader import FRACTIONS, VALUES, ValueRow
from classhook.model.rows import Key
from classhook.tables.columns import Column, Unit
from classhook.tables.table import Entry, Legend, Section, Table


def number_label(number: float) -> str:
    """Whole numbers as they are; of others, four digits that count, and those before the point."""
    if isinstance(number, int):
        return f"{number:,}"
    return f"{number:,.1f}" if abs(number) >= 1000 else f"{number:.4g}"


NUMBER = Unit("number", number_label, "number", suffixes={"": 1})
LEGENDS = (
    Legend(
        "missing: calls without a number: there was null, another type, or no such field",
        lambda row: row.missing > 0,
        ("missing",),
    ),
    replace(LATE, words=LATE.words.replace("calls", "values")),
)


def quantile(at: int, percent: int) -> Column:
    about = (
        f"{percent} % of the numbers were not larger, within 1/64; null if it is negative (or 0, if others"
        " are negative), or larger than 2^52, or than 2^36 if not whole"
    )
    return Column(f"p{percent}", f"p{percent}", percentile(at), NUMBER, adds=False, about=about, null=True)


def title(number: str, rows: list[Entry], sort: str, whole: int) -> str:
    return f"{number} by {sort}"


def row_name(key: Key, detail: int, names: Readable) -> RowName:
    class_name, name, descriptor, of, _, value = key
    found = names.method(class_name, name, descriptor, detail)
    return RowName((*found.parts, NamePart("", f" {printable(of)}")), f" [{printable(value)}]" if value else "")


def percentile(place: int) -> Callable[[ValueRow], float | None]:
    return lambda row: list(row.percentiles())[place]


def marks(row: ValueRow) -> str:
    return (" (all other keys)" if row.others else "") + late(row)


TABLE = Table.from_rows(
    VALUES,
    Section(
        kind="value",
        what="values",
        nouns="recorded values",
        columns=(
            Column("count", "count", lambda row: row.count, about="how many numbers there were"),
            Column(
                "missing",
                "missing",
                lambda row: row.missing,
                sparse=True,
                cell=lambda row, whole: f"{row.missing:,}" if row.missing else "",
                about="calls without a number: null, another type, or no such field",
            ),
            Column(
                "sum",
                "sum",
                lambda row: row.total,
                NUMBER,
                about="of all numbers; null if a double cannot hold it, rounded if it needs more than 62 bits",
                null=True,
            ),
            Column("mean", "mean", lambda row: row.mean, NUMBER, adds=False, about="sum divided by count", null=True),
            Column(
                "min",
                "min",
                lambda row: row.least,
                NUMBER,
                adds=False,
                about="the smallest number; null if there were none",
                null=True,
            ),
            *(quantile(at, round(100 * part)) for at, part in enumerate(FRACTIONS)),
            Column(
                "max",
                "max",
                lambda row: row.largest,
                NUMBER,
                adds=False,
                about="the largest number; null if there were none",
                null=True,
            ),
            OTHERS,
        ),
        shown=("sum", "count", "missing", "mean", "min", "max", "p50", "p90", "p99"),
        answer=(("count", "values"), ("sum", "in all"), ("mean", "each"), ("max", "at most")),
        title=title,
        last="method value",
        row_name=row_name,
        divided_by=VALUES.names.index("by"),
        marks=marks,
        legends=LEGENDS,
        warnings=many(VALUES.names.index("by")),
    ),
)
TABLES = (TABLE,)

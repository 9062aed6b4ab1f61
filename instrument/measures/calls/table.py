"""The table of call sites, counted and timed ones. Only reports import this."""

from __future__ import annotations

from classhook.base.readable import Readable
from classhook.base.row_names import RowName
from classhook.measures.calls.reader import CALL_SITES, CallRow
from classhook.measures.methods import table_counted, table_timed
from classhook.model.rows import Key
from classhook.tables.columns import Column, share_of
from classhook.tables.table import Entry, Legend, Section, Table

UNFIT = Legend(
    "+ only counted: in a constructor before it calls that of its superclass, where a monitor is held that nothing in"
    " the method releases, or in a method that would be too large",
    lambda row: bool(row.unfit),
)
#: The columns of methods that users do not choose, and that sites have, too.
SAME = ("left", "probes_ns", "total_mostly_probes", "not_timed")
OTHERS = ("share", "nested")


def row_name(key: Key, detail: int, names: Readable) -> RowName:
    """`called method  <- method:line`"""
    class_name, name, descriptor, line, called_class, called, called_descriptor = key
    *before, at = names.method(class_name, name, descriptor, detail).parts
    *before_callee, callee = names.method(called_class, called, called_descriptor, detail).parts
    place = at._replace(after=at.after + (f":{line}" if line else ""))
    return RowName((*before_callee, callee._replace(after=callee.after + "  <- "), *before, place))


def timed_marks(row: CallRow) -> str:
    running = row.calls - row.completed - row.not_timed - row.left
    said = f" ({running:,} still running)" if running > 0 else ""
    if row.not_timed:
        said += f" ({row.not_timed:,} not timed)"
    return said + " (total !)" * row.total_mostly_probes + " +" * row.unfit


def marks(row: CallRow) -> str:
    return " +" * row.unfit


def timed_title(number: str, rows: list[Entry], sort: str, whole: int) -> str:
    return f"{number} by {sort}"  # no sum: a call may be within another one


TIMED = Section(
    kind="timed_call",
    what="call sites",
    nouns="timed call sites",
    belongs=lambda row: row.timed,
    columns=tuple(
        column
        for column in table_timed.TIMED.columns
        if (column.name or column.key in SAME) and column.name not in OTHERS
    ),
    shown=("total", "calls", "exceptions", "p50", "p90", "p99", "max"),
    answer=(("calls", "calls"), ("exceptions", "thrown"), ("total", "in all"), ("mean", "each"), ("max", "at most")),
    title=timed_title,
    last="called method <- method:line",
    row_name=row_name,
    marks=timed_marks,
    legends=(table_timed.UNCERTAIN_TOTAL, UNFIT),
)
COUNTED = Section(
    kind="counted_call",
    what="call sites",
    nouns="counted call sites",
    belongs=lambda row: not row.timed,
    columns=(
        Column("calls", "calls", lambda row: row.calls, about="how often the instructions were reached"),
        share_of(lambda row: row.calls),
    ),
    shown=("calls", "share"),
    answer=(("calls", "calls"),),
    title=table_counted.title,
    last="called method <- method:line",
    row_name=row_name,
    marks=marks,
    legends=(UNFIT,),
)
TABLE = Table.from_rows(CALL_SITES, TIMED, COUNTED)
TABLES = (TABLE,)

"""The counted methods of the table of methods. Only reports import this."""

from __future__ import annotations

from typing import Any

from classhook.base.names import several
from classhook.tables.columns import NUMBER, Column, detail, flag, share_of
from classhook.tables.table import Entry, Legend, Section

RESUMED = Legend(
    "resumed: how often a suspend function continued after waiting, which is not counted as a call. "
    "Its times are the sum of all its parts, without the waiting",
    lambda row: row.resumptions > 0,
)
BOUND = Legend(
    "\u2264 at most: the number is the sum over the methods of the group, and a call from one of them to another counts"
    " twice. A rule `time ... tree` gives the exact number",
    lambda row: bool(row.calls_bound),
    ("calls",),
)


def resumed(row: Any) -> str:
    """The text about a row's resumptions, after the method."""
    return f" ({row.resumptions:,} resumed)" if row.resumptions else ""


def title(number: str, rows: list[Entry], sort: str, whole: int) -> str:
    return f"{number}: {several(whole, 'call')}"


#: Marked as an upper bound if it is unknown which calls of a group are nested.
CALLS = Column(
    "calls",
    "calls",
    lambda row: row.calls,
    cell=lambda row, whole: "\u2264" * row.calls_bound + f"{row.calls:,}",
    about="invocations started",
)
NESTED = (
    Column(
        "nested",
        "nested",
        lambda row: row.nested,
        cell=lambda row, whole: f"{row.nested:,}" if row.nested else "",
        adds=False,
        sparse=True,
        about=(
            "for a group, calls nested within another of its calls: not in calls and completed, but in exceptions and"
            " percentiles"
        ),
    ),
    flag(
        "calls_is_bound",
        lambda row: row.calls_bound,
        about="for a group, whether calls is an upper bound: it may include calls of its methods to each other",
    ),
)

#: Columns of all sections of methods, for files only.
MORE = (
    detail(
        "resumptions",
        lambda row: row.resumptions,
        NUMBER,
        about=(
            "for suspend functions: how often they resumed after waiting; calls and completed do not include this, but"
            " the times do"
        ),
    ),
    *NESTED,
)

COUNTED = Section(
    kind="counted",
    what="methods",
    belongs=lambda row: not (row.timed or row.profiled),
    columns=(
        CALLS,
        share_of(lambda row: row.calls),
        *MORE,
    ),
    shown=("calls", "share"),
    answer=(("calls", "calls"),),
    title=title,
    marks=resumed,
    legends=(BOUND, RESUMED),
)

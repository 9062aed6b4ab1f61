"""The timed methods of the table of methods: their columns, marks and legends. Only reports import this."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from classhook.base.names import time_label
from classhook.measures.methods import table_profiled as profiled
from classhook.measures.methods.reader import PERCENTILES, MethodRow
from classhook.measures.methods.table_counted import BOUND, CALLS, MORE, RESUMED, resumed
from classhook.tables.columns import NUMBER, TIME, Column, detail, flag, share_of
from classhook.tables.table import Entry, Legend, Section


def percentile(place: int) -> Callable[[MethodRow], int | None]:
    """A column's value: the percentile at this place of PERCENTILES."""
    return lambda row: row.quantiles()[place] if row.completed else 0


def mean(row: MethodRow) -> int | None:
    """The mean time; None for recursive calls: the total of the outermost ones, divided by all, is no call's time."""
    unknown = row.total_bound or (row.recursed and not row.nested)
    return max(row.total_ns, 0) // row.completed if row.completed and not unknown else None


def when_ended(value: Callable[[MethodRow], Any]) -> Callable[[MethodRow, int], str]:
    """A cell: a time of single activations, nothing if none has ended."""
    return lambda row, whole: time_label(value(row)) if row.completed else ""


def own(row: MethodRow) -> int:
    return max(row.self_ns, 0)


def own_cell(row: MethodRow, whole: int) -> str:
    return estimate_label(own(row), row.self_error, row.self_estimated)


def total(row: MethodRow) -> int | None:
    return None if row.total_unknown else max(row.total_ns, 0)


def total_cell(row: MethodRow, whole: int) -> str:
    if row.total_unknown:
        return "unknown"
    return "\u2264" * row.total_bound + estimate_label(row.total_ns, row.total_error, row.estimated)


def estimate_label(ns: int, error: int, estimated: bool) -> str:
    """A time; of an estimate with its standard error in percent, of one that is nothing as a time."""
    if not estimated:
        return time_label(ns)
    if ns > 0:
        return f"~{time_label(ns).strip()} ±{100 * error / ns:.0f}%"
    return f"~{time_label(0).strip()} ±{time_label(error).strip()}" if error > 0 else f"~{time_label(0).strip()}"


def timed_title(number: str, rows: list[Entry], sort: str, whole: int) -> str:
    return f"{number} by {sort}: {time_label(whole).strip()} in all"


def timed_marks(row: MethodRow) -> str:
    running = row.calls - row.completed - row.not_timed - row.left
    said = f" ({running:,} still running)" if running > 0 else ""
    if row.estimated:
        said = f" (1 of {row.sample:,} timed)"
    if row.not_timed:
        said += f" ({row.not_timed:,} not timed)"
    return resumed(row) + said + " !" * row.mostly_probes + " (total !)" * row.total_mostly_probes


UNCERTAIN = Legend(
    "! in most calls, more than half of the time that was measured was the cost of timing itself. It has been"
    " subtracted, so the self time is uncertain; these methods come last. A `profile` rule measures them better",
    lambda row: bool(row.mostly_probes),
)
UNCERTAIN_TOTAL = Legend(
    "(total !) more than half of the time from entry to exit was the cost of timing the methods that it calls. It has"
    " been subtracted, so total and percentiles are uncertain",
    lambda row: bool(row.total_mostly_probes),
)
LEGENDS = (
    Legend(
        "~ an estimate, with its standard error: not all calls of the method, or of the methods it calls, were timed",
        lambda row: bool(row.self_estimated),
        ("self", "total"),
    ),
    replace(BOUND, applies=lambda row: bool(row.total_bound or row.calls_bound), columns=("total", "calls")),
    Legend(
        "calls and total include only the outermost calls of a group; self, thrown and percentiles include nested"
        " calls, too",
        lambda row: row.nested > 0,
    ),
    Legend(
        "unknown: the timed calls do not show which calls are recursive, so the total cannot be estimated",
        lambda row: bool(row.total_unknown),
        ("total",),
    ),
    UNCERTAIN,
    UNCERTAIN_TOTAL,
    RESUMED,
)

TIMED = Section(
    kind="timed",
    what="methods",
    belongs=lambda row: row.timed,
    columns=(
        CALLS,
        Column("completed", "completed", lambda row: row.completed, about="invocations that have ended"),
        detail(
            "left",
            lambda row: row.left,
            NUMBER,
            about=(
                "invocations that ended without a probe: the stack had no room for it, or super(...) threw; only calls"
                " includes them"
            ),
        ),
        Column(
            "exceptions",
            "exceptions",
            lambda row: row.exceptions,
            title="thrown",
            cell=profiled.unless_zero(lambda row: row.exceptions),
            about="invocations that ended by an exception",
        ),
        Column(
            "total",
            "total_ns",
            total,
            TIME,
            cell=total_cell,
            error=lambda row: row.total_error,
            about=(
                "time from entry to exit, of recursive invocations only the outermost; null if sample took effect and"
                " calls recursed"
            ),
            null=True,
        ),
        Column(
            "self",
            "self_ns",
            own,
            TIME,
            cell=own_cell,
            error=lambda row: row.self_error,
            about="total_ns without the timed methods that it called",
        ),
        share_of(own),
        Column(
            "mean",
            "mean_ns",
            mean,
            TIME,
            adds=False,
            about=(
                "total_ns divided by the completed invocations; null if there are none, if calls recursed, or if the"
                " total is a bound"
            ),
            null=True,
        ),
        Column(
            "min",
            "min_ns",
            lambda row: row.min_ns or 0,
            TIME,
            adds=False,
            cell=when_ended(lambda row: row.min_ns or 0),
            about="the shortest time from entry to exit; 0 if none has ended",
        ),
        Column(
            "max",
            "max_ns",
            lambda row: row.max_ns,
            TIME,
            adds=False,
            cell=when_ended(lambda row: row.max_ns),
            about="the longest time from entry to exit",
        ),
        *(
            Column(
                name,
                f"{name}_ns",
                percentile(at),
                TIME,
                adds=False,
                cell=when_ended(percentile(at)),
                about=f"of the times from entry to exit, {name[1:]} % were not longer",
            )
            for at, name in enumerate(PERCENTILES)
        ),
        detail(
            "probes_ns",
            lambda row: row.probes_ns,
            about=(
                "the cost of timing in the method's own code and around its calls, in the activations that were timed;"
                " subtracted from all times"
            ),
        ),
        flag(
            "mostly_probes",
            lambda row: row.mostly_probes,
            about="whether probes_ns is more than remains of self_ns, overall or in nine of ten calls",
        ),
        flag(
            "total_mostly_probes",
            lambda row: row.total_mostly_probes,
            about=(
                "whether the cost subtracted from total_ns for calls below is more than remains; min_ns, max_ns and"
                " percentiles are as rough"
            ),
        ),
        flag(
            "estimated",
            lambda row: row.estimated,
            about="true if sample took effect: total_ns, self_ns and percentiles are estimates",
        ),
        detail("sample", lambda row: row.sample, NUMBER, about="N if one call in N was timed"),
        detail(
            "total_ns_error",
            lambda row: row.total_error,
            about="the standard error of total_ns; 0 if all calls were timed",
        ),
        detail(
            "self_ns_error",
            lambda row: row.self_error,
            about=(
                "the standard error of self_ns, also where it is an estimate only because not all calls of its callees"
                " were timed"
            ),
        ),
        flag(
            "total_is_bound",
            lambda row: row.total_bound,
            about="for a group, whether total_ns is an upper bound: calls among its methods may count more than once",
        ),
        *profiled.sampled_times(optional=True),
        *MORE,
        detail(
            "not_timed",
            lambda row: row.not_timed,
            NUMBER,
            about="the number of calls that were only counted: in processes that did not time them",
        ),
    ),
    shown=("self", "share", "total", "calls", "nested", "exceptions", "p50", "p90", "p99", "max"),
    answer=(("calls", "calls"), ("exceptions", "thrown"), ("total", "in all"), ("mean", "each"), ("max", "at most")),
    title=timed_title,
    marks=timed_marks,
    legends=LEGENDS,
    uncertain=lambda row: row.mostly_probes,
)

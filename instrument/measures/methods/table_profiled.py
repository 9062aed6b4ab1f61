"""The profiled methods of the table of methods: exact calls, sampled times with their standard errors. Only reports
import this."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from classhook.base.names import time_label
from classhook.measures.methods.table_counted import BOUND, CALLS, RESUMED, resumed
from classhook.model.call_tree import Sampled
from classhook.tables.columns import TIME, Column, detail, share_of
from classhook.tables.table import Entry, Section

NOTHING = Sampled()
#: The users' names of the sampled times, by the names of the fields.
NAMES = {"cpu_self": "self", "cpu_total": "total", "wall_self": "wall-self", "wall_total": "wall"}

ABOUT = {
    "cpu_self": "CPU time in the method itself",
    "cpu_total": "CPU time in the method and what it called",
    "wall_self": "wall time in the method itself",
    "wall_total": "wall time in the method and what it called",
}
HEADS = {"wall-self": "wall self", "wall": "wall total"}
#: The columns that have sampled times, by the clock, and those that are exact, with their headings.
CPU = ("self", "total", "mean")
WALL = ("wall-self", "wall")
EXACT = {"calls": "calls", "exceptions": "thrown"}


def times(row: Any) -> Sampled:
    """The sampled times of the row's method."""
    return row.sampled or NOTHING


def unless_zero(value: Callable[[Any], int]) -> Callable[[Any, int], str]:
    """A cell: the number, nothing if it is 0."""
    return lambda row, whole: f"{value(row):,}" if value(row) else ""


def error_cell(row: Any, whole: int) -> str:
    error = times(row).cpu_self_error
    return f"±{100 * error / whole:.1f}%" if whole and error else ""


def time_of(field: str, optional: bool = False) -> Callable[[Any], int | None]:
    """A column's value: a field of the sampled times; if `optional`, None where there were no samples."""
    return lambda row: round(getattr(times(row), field)) if row.sampled or not optional else None


def error_of(field: str) -> Callable[[Any], float]:
    """A column's error: a field of the sampled times."""
    return lambda row: float(getattr(times(row), field))


def sampled_times(optional: bool = False) -> Iterator[Column]:
    """The sampled times and their errors. Timed methods have them too, if others are profiled: not for users, to whom
    `self` means another time."""
    unknown = "; null if nothing was profiled" if optional else ""
    for field, name in NAMES.items():
        error, about = f"{field}_error", f"{ABOUT[field]}, estimated from samples{unknown}"
        if optional:
            yield detail(f"{field}_ns", time_of(field, optional), about=about, null=True)
        else:
            yield Column(name, f"{field}_ns", time_of(field), TIME, HEADS.get(name), error=error_of(error), about=about)
        yield detail(
            f"{field}_ns_error",
            time_of(error, optional),
            about=f"the standard error of {field}_ns{unknown}",
            null=optional,
        )


def section(more: tuple[Column, ...]) -> Section:
    """The section. `more`: columns of all methods that JSON has."""
    return Section(
        kind="profiled",
        what="methods",
        belongs=lambda row: row.profiled and not row.timed,
        columns=(
            CALLS,
            Column(
                "exceptions",
                "exceptions",
                lambda row: None if row.exceptions_unknown else row.exceptions,
                title="thrown",
                cell=unless_zero(lambda row: 0 if row.exceptions_unknown else row.exceptions),
                about=(
                    "invocations that ended by an exception; null where `profile` does not count them: without the"
                    " clause `exceptions`, or in a method that would get too large"
                ),
                null=True,
                sparse=True,
            ),
            *sampled_times(),
            share_of(lambda row: times(row).cpu_self),
            Column(
                "error", "", lambda row: round(times(row).cpu_self_error), TIME, title="", cell=error_cell, adds=False
            ),
            Column("mean", "", lambda row: times(row).cpu_total // row.calls if row.calls else None, TIME, adds=False),
            *more,
        ),
        shown=("self", "share", "error", "total", "wall-self", "wall", "calls", "mean", "exceptions"),
        answer=(("calls", "calls"), ("exceptions", "thrown"), ("total", "of CPU time"), ("mean", "each")),
        title=title,
        marks=resumed,
        about_columns=about_columns,
        legends=(BOUND, RESUMED),
    )


def title(number: str, rows: list[Entry], sort: str, whole: int) -> str:
    return f"{number} by {'CPU ' if sort in CPU else ''}{sort}: {time_label(whole).strip()} of CPU time in all"


def about_times(names: Collection[str]) -> str:
    """Describes the sampled times among these columns: `self and total are CPU time; ± is the standard error of
    self`."""
    said = [
        _are([name for name in CPU if name in names], "CPU time"),
        _are([HEADS[name] for name in WALL if name in names], "elapsed time"),
    ]
    return "; ".join([*filter(None, said), *["± is the standard error of self"] * ("error" in names)])


def _are(heads: list[str], what: str) -> str:
    most, last = ", ".join(heads[:-1]), heads[-1] if heads else ""
    return f"{most} and {last} are {what}" if most else f"{last} is {what}" if last else ""


def about_columns(names: Collection[str], rows: list[Entry]) -> list[str]:
    times, bound = about_times(names), any(row.calls_bound for _, row in rows)
    exact = _are(
        [head for name, head in EXACT.items() if name in names and not (name == "calls" and bound)], "exact"
    ).replace("calls is", "calls are")
    return ["; ".join(filter(None, [f"from samples: {times}" * bool(times), exact]))] if times or exact else []

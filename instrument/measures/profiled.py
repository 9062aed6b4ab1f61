"""The profiled methods of the table of methods: exact calls, sampled times with their standard errors. Only reports import this."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from instrument.data.calls import Sampled
from instrument.measures.table import Entry, Key, Section, share
from instrument.names import method_label, time_label

NOTHING = Sampled()

#: What profiled methods can be sorted by, largest first.
SORT_KEYS: dict[str, Callable[[Any], int]] = {
    "self": lambda row: times(row).cpu_self,
    "total": lambda row: times(row).cpu_total,
    "wall": lambda row: times(row).wall_total,
    "calls": lambda row: row.calls,
    "exceptions": lambda row: row.exceptions,
}


def times(row: Any) -> Sampled:
    """What was sampled of the row's method."""
    return row.sampled or NOTHING


def counts(row: Any) -> dict[str, Any]:
    return {"calls": row.calls, **({} if row.only_counted else {"exceptions": row.exceptions}), **times_of(row)}


def times_of(row: Any) -> dict[str, int]:
    """The sampled times; timed methods have them too, if others are profiled."""
    found: dict[str, int] = {}
    for clock in ("cpu", "wall"):
        for part in ("self", "total"):
            found[f"{clock}_{part}_ns"] = getattr(times(row), f"{clock}_{part}")
            found[f"{clock}_{part}_ns_error"] = round(getattr(times(row), f"{clock}_{part}_error"))
    return found


def title(rows: list[Entry], sort: str, whole: int) -> str:
    return f"Profiled methods by {'CPU ' if sort in ('self', 'total') else ''}{sort}: {len(rows):,}, {time_label(whole).strip()} of CPU time in all"


def cells(key: Key, row: Any, whole: int, alias: str) -> tuple[str, ...]:
    sampled = times(row)
    error = f"±{100 * sampled.cpu_self_error / whole:.1f}%" if whole and sampled.cpu_self_error else ""
    return (
        time_label(sampled.cpu_self), share(sampled.cpu_self, whole), error,
        time_label(sampled.cpu_total), time_label(sampled.wall_self), time_label(sampled.wall_total), f"{row.calls:,}",
        time_label(sampled.cpu_total // row.calls) if row.calls else "", f"{row.exceptions:,}" if row.exceptions else "",
        method_label(*key) + alias + (" **" if row.only_counted else " *") * row.over_budget,
    )  # fmt: skip


def notes(rows: list[Entry]) -> list[str]:
    found = ["self and total are CPU time, from samples; ± is the standard error of self; calls and thrown are exact"]
    if any(row.over_budget and not row.only_counted for _, row in rows):
        found.append("* too short to be timed within its rule's budget: sampled instead")
    if any(row.only_counted for _, row in rows):
        found.append("** too short even for samples within its rule's budget: what a call takes is from an earlier run, and is taken off its callers")
    return found


PROFILED = Section(
    what="methods",
    belongs=lambda row: row.profiled and not row.timed,
    weight=lambda row, sort: SORT_KEYS.get(sort, SORT_KEYS["self"])(row),
    title=title,
    whole=lambda row: times(row).cpu_self,
    columns=("self", "", "", "total", "wall self", "wall total", "calls", "mean", "thrown", "method"),
    cells=cells,
    notes=notes,
)

"""The table of sampled methods: CPU and wall time with their standard errors, of all threads. Only reports import
this."""

from __future__ import annotations

from collections.abc import Collection

from classhook.base.names import time_label
from classhook.measures.cpu.reader import CPU_SAMPLING, SAMPLED
from classhook.measures.methods.table_profiled import about_times, error_cell, sampled_times, times
from classhook.tables.columns import TIME, Column, share, share_of
from classhook.tables.sampling import about_sampling
from classhook.tables.table import Entry, Section, Table

DEEPER = (
    "[deeper] stands for the outermost frames that were left out, because of `depth` or because the tree is full; "
    "totals of their methods lack this time"
)


def title(number: str, rows: list[Entry], sort: str, whole: int) -> str:
    by = sort if sort.startswith("wall") else f"CPU {sort}"
    return f"{number} by {by}: {time_label(whole).strip()} of CPU time in all"


def about_columns(names: Collection[str], rows: list[Entry]) -> list[str]:
    return ["; ".join(filter(None, ["samples of all threads", about_times(names)]))]


def notes(rows: list[Entry]) -> list[str]:
    deeper = any(key[0] == "[deeper]" or key[:2] == ("", "[deeper]") for key, _ in rows)
    return [DEEPER] if deeper else []


TABLES = (
    Table.from_rows(
        SAMPLED,
        Section(
            kind="sampled",
            what="methods",
            columns=(
                *sampled_times(),
                share_of(lambda row: times(row).cpu_self),
                Column(
                    "error",
                    "",
                    lambda row: round(times(row).cpu_self_error),
                    TIME,
                    title="",
                    cell=error_cell,
                    adds=False,
                ),
                Column(
                    "total-share",
                    "",
                    lambda row: None,
                    title="",
                    adds=False,
                    cell=lambda row, whole: share(times(row).cpu_total, whole),
                ),
            ),
            shown=("self", "share", "error", "total", "total-share", "wall-self", "wall"),
            answer=(("self", "of CPU time itself"), ("total", "with what it calls")),
            title=title,
            about_columns=about_columns,
            notes=notes,
        ),
    ),
)
ABOUT = (
    about_sampling(
        "cpu_sampling", CPU_SAMPLING, "stacks of all threads {}", "without a Java frame", rank=2, by_agent=True
    ),
)

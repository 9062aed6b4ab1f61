"""The table of covered methods, by their probes. Only reports import this."""

from __future__ import annotations

from classhook.measures.cover.reader import PROBED
from classhook.tables.columns import Column, share
from classhook.tables.table import Entry, Section, Table


def title(number: str, rows: list[Entry], sort: str, whole: int) -> str:
    ran = sum(row.hit > 0 for _, row in rows)
    missed = sum(row.probes - row.hit for _, row in rows)
    return f"Methods that `cover` reached: {ran:,} of {len(rows):,} ran; {missed:,} of their probes were not hit"


TABLES = (
    Table.from_rows(
        PROBED,
        Section(
            kind="covered",
            what="methods",
            columns=(
                Column(
                    "probes",
                    "probes",
                    lambda row: row.probes,
                    about=(
                        "how many probes it has, summed over the versions of its class; a probe that several processes"
                        " had is one"
                    ),
                ),
                Column(
                    "hit",
                    "hit",
                    lambda row: row.hit,
                    cell=lambda row, whole: share(row.hit, row.probes),
                    about="how many of its probes were hit",
                ),
                Column("missed", "", lambda row: row.probes - row.hit, title="not hit"),
            ),
            shown=("missed", "hit"),
            answer=(("hit", "of its probes were hit"),),
            title=title,
        ),
    ),
)

"""The table of covered methods, by their probes. Only reports import this."""

from __future__ import annotations

from classhook.base.names import numbered
from classhook.measures.cover.reader import PROBED
from classhook.tables.columns import Column, share
from classhook.tables.table import Entry, Section, Table


def title(number: str, rows: list[Entry], sort: str, whole: int) -> str:
    ran = sum(row.hit > 0 for _, row in rows)
    missed = sum(row.probes - row.hit for _, row in rows)
    text = f"Methods that `cover` reached: {ran:,} of {len(rows):,} ran; {missed:,} of their probes were not hit"
    bytecodes = sum(row.bytecodes or 0 for _, row in rows)
    unknown = sum(row.unknown > 0 for _, row in rows)
    without = f" without those of {numbered(unknown, 'methods')}, which are not known" if unknown else ""
    return f"{text}; {bytecodes:,} bytecodes executed{without}" if bytecodes else text


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
                Column(
                    "bytecodes",
                    "bytecodes",
                    lambda row: row.bytecodes,
                    sparse=True,
                    about="how many bytecodes it executed; null without `hits`, or if its class file is missing",
                    null=True,
                ),
            ),
            shown=("missed", "hit", "bytecodes"),
            answer=(("hit", "of its probes were hit"), ("bytecodes", "bytecodes")),
            title=title,
        ),
    ),
)

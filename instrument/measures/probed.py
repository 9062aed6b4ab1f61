"""The table of covered methods, by their probes. Only reports import this."""

from __future__ import annotations

from dataclasses import dataclass

from instrument.measures.columns import Column, share
from instrument.measures.table import Entry, Section, Table


@dataclass(slots=True)
class ProbedRow:
    """How many probes a method has, summed over the versions of its class and the processes that loaded it, and how many of them were hit."""

    rule: str = ""
    probes: int = 0
    hit: int = 0

    def add(self, other: ProbedRow) -> None:
        self.probes += other.probes
        self.hit += other.hit


def title(rows: list[Entry], sort: str, whole: int) -> str:
    ran = sum(row.hit > 0 for _, row in rows)
    missed = sum(row.probes - row.hit for _, row in rows)
    return f"Methods that `cover` reached: {ran:,} of {len(rows):,} ran; {missed:,} of their probes were not hit"


TABLE = Table(
    name="coverage",
    row=ProbedRow,
    ran=lambda row: row.probes > 0,
    counted=lambda row: row.hit,
    sections=(
        Section(
            kind="covered",
            what="methods",
            columns=(
                Column("probes", "probes", lambda row: row.probes),
                Column("hit", "hit", lambda row: row.hit, cell=lambda row, whole: share(row.hit, row.probes)),
                Column("missed", "", lambda row: row.probes - row.hit, title="not hit"),
            ),
            shown=("missed", "hit"),
            answer=(("hit", "of its probes were hit"),),
            title=title,
        ),
    ),
    add=ProbedRow.add,
)

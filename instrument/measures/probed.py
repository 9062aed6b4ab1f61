"""The table of covered methods, by their probes. Only reports import this."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from instrument.measures.table import Entry, Key, Section, Table, share
from instrument.names import method_label


@dataclass(slots=True)
class ProbedRow:
    """How many probes a method has, summed over the versions of its class and the processes that loaded it, and how many of them were hit."""

    rule: str = ""
    probes: int = 0
    hit: int = 0


def counts(row: ProbedRow) -> dict[str, Any]:
    return {"probes": row.probes, "hit": row.hit}


def title(rows: list[Entry], sort: str, whole: int) -> str:
    ran = sum(row.hit > 0 for _, row in rows)
    return f"Methods that `cover` reached: {ran:,} of {len(rows):,} ran; {whole:,} of their probes were not hit"


def cells(key: Key, row: ProbedRow, whole: int, alias: str) -> tuple[str, ...]:
    return f"{row.probes - row.hit:,}", share(row.hit, row.probes), method_label(*key) + alias


TABLE = Table(
    name="coverage",
    row=ProbedRow,
    counts=counts,
    ran=lambda row: row.probes > 0,
    sections=(
        Section(
            what="methods",
            belongs=lambda row: True,
            weight=lambda row, sort: row.probes - row.hit,
            title=title,
            whole=lambda row: row.probes - row.hit,
            columns=("not hit", "hit", "method"),
            cells=cells,
        ),
    ),
)

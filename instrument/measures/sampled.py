"""The table of sampled methods: CPU and wall time with their standard errors, of all threads. Only reports import this."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from instrument.data.calls import Sampled, add_times
from instrument.measures.columns import TIME, Column, share, share_of
from instrument.measures.profiled import error_cell, sampled_times, times
from instrument.measures.table import Entry, Section, Table
from instrument.names import time_label

if TYPE_CHECKING:
    from instrument.data.rows import Snapshot

WORD = "cpu"


@dataclass(slots=True)
class SampledRow:
    """A method's times; some frames stand for methods that are not known: their class is empty."""

    rule: str = ""
    sampled: Sampled | None = None

    def add(self, other: SampledRow) -> None:
        """The times of a group's row are taken from the tree of stacks (instrument/reports/groups.py)."""


def add_rows(snapshot: Snapshot) -> None:
    """A row for each method that was seen. The rule's matches are what was seen, too."""
    rows = snapshot.tables[TABLE.name]
    rules = [text for text, rule in snapshot.parsed_rules.items() if rule.kind == WORD]
    for call, entered in snapshot.stacks.walk():
        if entered and call.method is not None and call.method not in rows:
            rows[call.method] = SampledRow(rules[0] if rules else "?")
    add_times(snapshot.stacks, rows)
    known = [key for key in rows if key[0]]
    for text in rules:
        row = snapshot.rules[text]
        row.matched_methods, row.matched_classes = len(known), len({key[0] for key in known})


def title(rows: list[Entry], sort: str, whole: int) -> str:
    by = sort if sort.startswith("wall") else f"CPU {sort}"
    return f"Sampled methods by {by}: {len(rows):,}, {time_label(whole).strip()} of CPU time in all"


def notes(rows: list[Entry]) -> list[str]:
    deeper = any(key[0] == "[deeper]" or key[:2] == ("", "[deeper]") for key, _ in rows)
    found = ["samples of all threads; self and total are CPU time, and ± is the standard error of self"]
    return [*found, "[deeper] stands for outermost frames: beyond `depth`, or without room in the tree; totals leave them out"] if deeper else found


TABLE = Table(
    name="cpu",
    row=SampledRow,
    ran=lambda row: row.sampled is not None,
    sections=(
        Section(
            kind="sampled",
            what="methods",
            columns=(
                *sampled_times(),
                share_of(lambda row: times(row).cpu_self),
                Column("error", "", lambda row: round(times(row).cpu_self_error), TIME, title="", cell=error_cell, adds=False),
                Column("total-share", "", lambda row: None, title="", adds=False, cell=lambda row, whole: share(times(row).cpu_total, whole)),
            ),
            shown=("self", "share", "error", "total", "total-share", "wall-self", "wall"),
            answer=(("self", "of CPU time itself"), ("total", "with what it calls")),
            title=title,
            notes=notes,
        ),
    ),
    add=SampledRow.add,
)

"""Tables that reports have, too: their rows are those of `report -f json`, and so are the names of their columns, but
for SQL's own words."""

from __future__ import annotations

from collections.abc import Iterator

from classhook.extensions.fleet.dataset.method_bodies import Bodies
from classhook.extensions.fleet.dataset.rows import Maker, Row
from classhook.measures.tables import TABLES
from classhook.model.snapshot import Snapshot
from classhook.reports.row_fields import Fields
from classhook.store.runs import Run


def reported(name: str, renamed: dict[str, str] | None = None) -> Maker:
    """Makes the rows of a report's table. `renamed`: by the name of a column, the report's, whose empty texts stand for
    nothing."""

    def rows(snapshot: Snapshot, run: Run, bodies: Bodies) -> Iterator[Row]:
        for row in report_rows(snapshot, name):
            yield {**row, **{ours: row[theirs] or None for ours, theirs in (renamed or {}).items()}}

    return rows


def report_rows(snapshot: Snapshot, name: str) -> Iterator[Row]:
    """The rows that ran, by JSON's names."""
    table = TABLES[name]
    ran = [entry for entry in snapshot.tables[name].items() if table.ran(entry[1])]
    for section in table.sections:
        if entries := [entry for entry in ran if section.belongs(entry[1])]:
            yield from Fields(snapshot, table, section).rows(entries)

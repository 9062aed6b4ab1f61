"""Comma-separated values: a line for each row, with the columns that some row has; names and units are those of
JSON."""

from __future__ import annotations

from typing import TextIO

from classhook.model.snapshot import Snapshot
from classhook.reports import Options, csv_lines
from classhook.reports.flat_table import columns, rows


def report(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes a head and the lines."""
    found = list(rows(snapshot, options))
    there = {key for row in {row["kind"]: row for row in found}.values() for key in row}
    names = [name for name in columns() if name in there] or ["kind"]
    csv_lines.write(out, ((row.get(name) for name in names) for row in found), names)

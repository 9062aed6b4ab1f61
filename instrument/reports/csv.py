"""Comma-separated values: a line for each row, with the columns that some row has; names and units are those of
JSON."""

from __future__ import annotations

import csv
from typing import TextIO

from classhook.base.names import cell
from classhook.model.snapshot import Snapshot
from classhook.reports import Options
from classhook.reports.flat import columns, rows
from classhook.tables.columns import Value


def report(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes a head and the lines."""
    found = list(rows(snapshot, options))
    there = {key for row in {row["kind"]: row for row in found}.values() for key in row}
    names = [name for name in columns() if name in there] or ["kind"]
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_cell(row.get(name)) for name in names] for row in found)


def _cell(value: Value) -> Value:
    if isinstance(value, bool):
        return str(value).lower()
    return cell(value) if isinstance(value, str) else value

"""Lines of JSON: one for each row of the tables, as in JSON, with the name of its table. Watched calls come in the
order in which they ended."""

from __future__ import annotations

from typing import TextIO

from classhook.measures.tables import tables
from classhook.model.snapshot import Snapshot
from classhook.reports import Options
from classhook.reports.json_rows import JsonRows, line_of


def report(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes a line for each row."""
    rows = JsonRows(snapshot)
    for table in tables():
        out.writelines(line_of(table, row) + "\n" for row in rows.shown(snapshot, table, options))

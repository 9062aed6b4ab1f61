"""Lines of JSON: one for each row of the tables, as in JSON, with the name of its table. Watched calls come in the order in which they ended."""

from __future__ import annotations

from typing import TextIO

from classhook.measures.tables import tables
from classhook.model.snapshot import Snapshot
from classhook.reports import Options
from classhook.reports.json import rows_of, text_of


def report(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes a line for each row."""
    for table in tables():
        for row in rows_of(snapshot, table, options):
            out.write(text_of({"table": table.name, **row}) + "\n")

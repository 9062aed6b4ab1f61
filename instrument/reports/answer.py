"""`report PATTERN`: what is known of the methods that a pattern is about, one line each, those that never ran, too."""

from __future__ import annotations

from typing import TextIO

from instrument.data.rows import Snapshot
from instrument.reports import Options
from instrument.reports.table import Table
from instrument.reports.view import labels, views


def report(snapshot: Snapshot, options: Options, out: TextIO) -> bool:
    """Writes the lines; whether there are any."""
    found = False
    for view in views(snapshot, options):
        section, found = view.section, True
        words = dict(section.answer)
        columns = view.columns(options.columns or words or section.shown[:1])
        table = Table([""] * len(columns), "", frozenset(range(len(columns))), options.width)
        rows = view.rows[: options.top] if options.top else view.rows
        named = labels(snapshot, section, [key for key, _ in rows])
        for key, row in rows:
            ran = view.table.ran(row)
            cells = [f"{column.text(row, view.whole) or '0'} {words.get(column.name, column.name)}".rstrip() for column in columns]
            table.add_row(cells if ran else [cells[0], *[""] * (len(cells) - 1)], named[key], section.marks(row))
        _, *lines = table.lines()
        out.write("".join(line + "\n" for line in lines))
        if len(view.rows) > len(rows):
            out.write(f"{len(view.rows) - len(rows):,} more {section.what}; --top N or --top 0 shows them\n")
    return found

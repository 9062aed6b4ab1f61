"""A comparison as one HTML file that needs nothing else: the changed rows, to sort and to filter, and the flame graph
of both sides.

The page is that of one set of data (instrument/reports/html.py). A change that may be noise has no number.
"""

from __future__ import annotations

import time
from typing import Any, TextIO

from classhook.base.errors import Failure
from classhook.base.names import printable, several
from classhook.reports import Options
from classhook.reports.comparison import SAME, UNKNOWN, Compared, Side
from classhook.reports.comparison.flamegraph import drawn
from classhook.reports.comparison.text import NOISE, NOT_KNOWN
from classhook.reports.comparison.thresholds import Broken
from classhook.reports.html import TEMPLATE
from classhook.reports.section_view import row_names
from classhook.reports.titles import commands, heading, programs
from classhook.reports.web_page import page
from classhook.tables.columns import FLAG, NUMBER, TEXT, Column

NOTES = {SAME: NOISE, UNKNOWN: NOT_KNOWN.replace("? it is unknown", "unknown:")}
BEFORE, AFTER, CHANGE, PERCENT, ERROR = "before", "after", "change", "%", "±"
STATUS = {"name": "status", "head": "", "unit": "text", "adds": False, "ascending": True}


def report(
    sides: tuple[Side, Side], sections: list[Compared], broken: list[Broken], options: Options, out: TextIO
) -> None:
    """Writes the page."""
    before, after = sides
    both = f"{', '.join(before.names)} -> {', '.join(after.names)}"
    notes = [
        note
        for side in sides
        for note in [*side.whole.notes, *(note for one in side.whole.processes for note in one.notes)]
    ]
    exceeded = {one.expression: sum(other.expression == one.expression for other in broken) for one in broken}
    try:
        trees = [{"word": "both", "title": "both sides", **drawn(sides)}]
    except Failure:  # there is no tree on both sides
        trees = []
    data = {
        "title": printable(f"{both}: {programs(after.whole.processes)}"),
        "programs": printable(f"{both}: {programs(after.whole.processes)}"),
        "commands": commands(after.whole.processes),
        "time": time.strftime("%Y-%m-%d %H:%M"),
        "zone": 0,
        "processes": [f"{name}: {_about(side)}" for name, side in zip(("before", "after"), sides, strict=True)],
        "notes": [
            *(f"{text}: {several(count, 'row')} beyond this limit" for text, count in exceeded.items()),
            *map(printable, notes),
        ],
        "tables": [_table(after, one, options) for one in sections],
        "trees": trees,
    }
    out.write(page(TEMPLATE, data, str(data["title"])))


def _about(side: Side) -> str:
    first = heading(side.whole.processes[0])
    many = f"{several(side.repetitions, 'run')}, {side.processes} processes, the first: " if side.processes > 1 else ""
    return printable(f"{', '.join(side.names)}: {many}{first}")


def _table(after: Side, compared: Compared, options: Options) -> dict[str, Any]:
    section, rows = compared.section, compared.rows
    columns = [
        column
        for column in section.named(options.columns) or _usual(compared)
        if column.key and column.unit not in (FLAG, TEXT)
    ]
    named = row_names(after.whole, section, [row.key for row in rows])
    statuses = {row.status for row in rows}
    cells = [_cells(compared, column) for column in columns]
    return {
        "kind": section.kind,
        "title": section.kind_of_rows.capitalize(),
        "last": after.whole.grouped_by or section.last,
        "events": False,
        "kept": True,  # the largest changes come first, whichever way
        "notes": [note for status, note in NOTES.items() if status in statuses],
        "columns": [STATUS, *(_head(column, at) for column, some in zip(columns, cells, strict=True) for at in some)],
        "main": None,
        "uncertain": [],
        "rows": [
            [
                named[row.key].text(),
                "" if row.status == SAME else row.status,
                *(values[i] for some in cells for values in some.values()),
            ]
            for i, row in enumerate(rows)
        ],
    }


def _usual(compared: Compared) -> list[Column]:
    """The column that rows are sorted by, and that of their number, if it changed."""
    numbers = (one for one in compared.section.by_name.values() if one.key and one.unit is NUMBER and one.adds)
    number = next(numbers, compared.sort)
    changed = any(row.differences[number.name].value for row in compared.rows)
    return [compared.sort, number] if changed and number is not compared.sort else [compared.sort]


def _head(column: Column, at: str) -> dict[str, Any]:
    unit = {CHANGE: f"+{column.unit.name}", PERCENT: "+share"}.get(at, column.unit.name)
    head = f"{column.head or column.name} {at}" if at == BEFORE else at
    return {"name": f"{column.name} {at}", "head": head, "unit": unit, "adds": False, "ascending": False}


def _cells(compared: Compared, column: Column) -> dict[str, list[float | None]]:
    """The values of the rows; the errors, if some are known."""
    found: dict[str, list[float | None]] = {BEFORE: [], AFTER: [], CHANGE: [], PERCENT: [], ERROR: []}
    for row in compared.rows:
        one = row.differences[column.name]
        change = (None, None) if one.significant is False else (one.value, one.percent)
        for at, value in zip(found, (one.before.value, one.after.value, *change, one.error or None), strict=True):
            found[at].append(value)
    return found if any(found[ERROR]) else {at: values for at, values in found.items() if at != ERROR}

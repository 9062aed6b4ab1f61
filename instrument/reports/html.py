"""One HTML file that needs nothing else: the tables, to sort and to filter, and the trees of calls, also as flame
graphs.

The page has the rows' numbers as they are, and draws only those that are to be seen, so that it stays quick with many.
"""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO

from classhook.base.names import printable
from classhook.measures.tables import warnings_of
from classhook.model.snapshot import Process, Snapshot
from classhook.reports import Options
from classhook.reports.call_trees import TREES, UNITS, Tree
from classhook.reports.flamegraph import drawn
from classhook.reports.section_view import View, row_names, views
from classhook.reports.text import when
from classhook.reports.titles import command, commands, programs, title
from classhook.reports.web_page import page
from classhook.tables.columns import Column

TEMPLATE = Path(__file__).parent / "page.html"
SHARE = "share"
#: Columns that the page has besides those of the text.
FURTHER = ("mean", "min", "objects")


def report(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes the page."""
    trees = [
        {"word": word, "title": tree_title(tree), **drawn(snapshot, tree, tree.clocks[0])}
        for word, tree in TREES.items()
        if tree.root(snapshot).children
    ]
    several = len(snapshot.processes) > 1
    processes = sorted(snapshot.processes, key=lambda process: -process.contributed)
    notes = [
        *snapshot.notes,
        *(note for process in snapshot.processes for note in [*warnings_of(process), *process.notes]),
    ]
    data = {
        "title": title(snapshot.processes),
        "programs": programs(snapshot.processes),
        "commands": commands(snapshot.processes),
        "time": time.strftime("%Y-%m-%d %H:%M"),
        "zone": zone(),
        "processes": [_process(one, several) for one in processes],
        "notes": [printable(note) for note in notes],
        "tables": [table_of(snapshot, view) for view in views(snapshot, options)],
        "trees": trees,
    }
    out.write(page(TEMPLATE, data, str(data["title"])))


def tree_title(tree: Tree) -> str:
    return f"{UNITS[tree.clocks[0]]} {tree.where}"


def _process(process: Process, several: bool) -> str:
    about = f"pid {process.pid}, JVM {process.jvm}, {when(process)}, {process.end}"
    return printable(f"{about}: {command(process)}" if several else about)


def zone() -> float:
    """Seconds that clocks are ahead of UTC here: the page shows times as this process does."""
    ahead = datetime.now().astimezone().utcoffset()
    return ahead.total_seconds() if ahead is not None else 0.0


def table_of(snapshot: Snapshot, view: View) -> dict[str, Any]:
    """A section's rows as the page has them."""
    section = view.section
    names = dict.fromkeys((*section.shown, *FURTHER))
    columns = [
        column
        for column in view.columns(names)
        if (column.key or column.name in (*FURTHER, SHARE)) and view.has(column)
    ]
    shown = [column.name for column in columns]
    named, readable = row_names(snapshot, section, [key for key, _ in view.rows]), snapshot.readable
    return {
        "kind": section.kind,
        "title": view.title.partition(":")[0].partition(" by ")[0],
        "last": snapshot.grouped_by or section.last,
        "events": view.table.events,
        "notes": [
            *section.warnings(view.rows),
            *section.about_columns(shown, view.rows),
            *section.about_all(view.rows),
            *section.explained(shown, view.rows),
            *section.notes(view.rows),
        ],
        "columns": [
            {
                "name": column.name,
                "head": column.head or column.name,
                "unit": SHARE if column.name == SHARE else column.unit.name,
                "adds": column.adds,
                "ascending": column.ascending,
            }
            for column in columns
        ],
        "main": next((column.name for column in columns if column.name == section.main.name), None),
        "uncertain": [i for i, (_, row) in enumerate(view.rows) if section.uncertain(row)],
        "rows": [
            [named[key].text() + section.behind(row, readable), *(_value(view, column, row) for column in columns)]
            for key, row in view.rows
        ],
    }


def _value(view: View, column: Column, row: Any) -> Any:
    if column.name == SHARE:
        value = view.section.main.value(row)
        return round(100 * max(int(value or 0), 0) / view.whole, 2) if view.whole else None
    return column.value(row)

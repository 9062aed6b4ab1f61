"""OpenMetrics text (https://prometheus.io/docs/specs/om/open_metrics_spec/): a metric for each column, in seconds and
bytes, with the row's names as labels; what adds up and only grows is a counter, all else a gauge."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from classhook.base.names import printable
from classhook.model.snapshot import Snapshot
from classhook.reports import Options
from classhook.reports.row_fields import Fields, escaped
from classhook.reports.section_view import View, views
from classhook.reports.titles import command
from classhook.tables.columns import FLAG, TEXT, Column, Value

PREFIX = "classhook"
LABELS = ("group", "rule", "name")  # besides what a row's key consists of
ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


def report(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes all metrics."""
    out.write(f"# TYPE {PREFIX}_process info\n# HELP {PREFIX}_process The JVMs whose data this is.\n")
    processes = []
    for process in snapshot.processes:  # in containers, all have the same number
        labels: dict[str, Value] = {
            "pid": process.pid,
            "start": f"{process.start_unix_ns / 1e9:.6f}",
            "jvm": printable(process.jvm),
            "command": printable(command(process)),
            "end": process.end,
        }
        processes.append(f"{PREFIX}_process_info{_labels(labels)} 1\n")
    out.writelines(dict.fromkeys(processes))  # a file may be there twice
    for view in views(snapshot, options):
        fields = Fields(snapshot, view.table, view.section)
        labelled = [
            (row, _labels(_names(view, escaped(found))))
            for (_, row), found in zip(view.rows, fields.rows(view.rows), strict=True)
        ]
        for column in () if view.table.events else view.section.by_name.values():
            if column.key and column.unit not in (FLAG, TEXT):
                out.writelines(_metric(view, column, labelled))
    out.write("# EOF\n")


def _metric(view: View, column: Column, rows: list[tuple[object, str]]) -> Iterator[str]:
    base, factor = column.unit.base
    counter = column.adds and not column.falls and column.unit.type == "integer"
    name = column.name.replace("-", "_")
    name = "_".join([PREFIX, view.section.kind, *([name] if name != base else []), *([base] if base else [])])
    yield f"# TYPE {name} {'counter' if counter else 'gauge'}\n"
    if base:
        yield f"# UNIT {name} {base}\n"
    yield f"# HELP {name} {column.key} of {view.section.kind} {view.section.what}\n"
    for row, labels in rows:
        value = column.value(row)
        if isinstance(value, (int, float)):
            yield f"{name}{'_total' if counter else ''}{labels} {value * factor:.12g}\n"


def _names(view: View, found: dict[str, Value]) -> dict[str, Value]:
    return {
        name: found[name] for name in (*view.table.first, *view.table.key, *LABELS) if found.get(name) not in (None, "")
    }


def _labels(labels: dict[str, Value]) -> str:
    return "{" + ",".join(f'{name}="{str(value).translate(ESCAPES)}"' for name, value in labels.items()) + "}"

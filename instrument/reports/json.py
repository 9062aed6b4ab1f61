"""The report as JSON, schema "classhook/1". Keys may be added, never renamed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, TextIO

from instrument.data.rows import Process, Snapshot
from instrument.measures import tables
from instrument.measures.columns import JSON
from instrument.measures.table import Key, Table
from instrument.reports import Options
from instrument.reports.view import fields


def report(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes the snapshot as one JSON object, with a line for each row of its tables."""
    out.write("".join(_pieces(as_dict(snapshot, options))) + "\n")


def _pieces(content: dict[str, Any]) -> Iterator[str]:
    """The object's JSON: each row of a list begins a line, and so does the text after a list."""
    before = "{"
    for key, value in content.items():
        yield f'{before}"{key}": '
        if isinstance(value, dict):
            yield from _pieces(value)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield "[\n" + ",\n".join(map(text_of, value)) + "]"
        else:
            yield text_of(value)
        before = ",\n" if isinstance(value, list) else ", "
    yield "}"


def text_of(value: Any) -> str:
    """As JSON, with all control characters escaped: JSON itself lets one of them be."""
    return json.dumps(value).replace("\x7f", "\\u007f")


def as_dict(snapshot: Snapshot, options: Options) -> dict[str, Any]:
    """The report's object. Methods and sites that never ran are left out unless options.all."""
    return {
        "schema": "classhook/1",
        "grouped_by": snapshot.grouped_by or None,
        "processes": [_process(p) for p in snapshot.processes],
        "classes": {
            "seen": snapshot.seen,
            "matched": snapshot.matched,
            "woven": snapshot.woven,
            "cached": snapshot.cached,
            "skipped": [
                {"class": c, "method": m, "descriptor": d, "reason": reason, "detail": detail}
                for c, m, d, reason, detail in snapshot.skipped
            ],
            "not_compiled": [{"class": c, "method": m, "descriptor": d, "detail": detail} for c, m, d, _, detail in snapshot.uncompiled],
            "alike": sorted(snapshot.alike),
        },
        **{table.name: rows_of(snapshot, table, options) for table in tables()},
        "rules": [
            {"rule": text, "name": snapshot.rule_names.get(text), "matched_classes": row.matched_classes, "matched_methods": row.matched_methods,
             "nearest": row.nearest or None, "unknown": row.unknown}
            for text, row in snapshot.rules.items()
        ],
        "source_files": snapshot.source_files,
        "notes": snapshot.notes,
    }  # fmt: skip


def _process(process: Process) -> dict[str, Any]:
    return {
        "pid": process.pid, "jvm": process.jvm, "jvm_name": process.jvm_name, "command": process.command, "start": _time(process.start_unix_ns),
        "duration_ns": process.duration_ns, "end": process.end, "python_start_ns": process.python_ns,
        "weaving_ns": process.weaving_ns, "time_cost_ns": process.time_cost_ns, "count_cost_ns": process.count_cost_ns,
        "since": _time(process.since_unix_ns) if process.since_unix_ns else None,
        "sampling": asdict(process.sampling) if process.sampling else None,
        "cpu_sampling": asdict(process.cpu_sampling) if process.cpu_sampling else None,
        "tree": asdict(process.tree) if process.tree else None,
        "locks": asdict(process.locks) if process.locks else None,
        "objects": asdict(process.objects) if process.objects else None,
        "deadlocks": [[one._asdict() for one in threads] for threads in process.deadlocks],
        "notes": process.notes,
    }  # fmt: skip


def _time(unix_ns: int) -> str:
    return datetime.fromtimestamp(unix_ns / 1e9, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def rows_of(snapshot: Snapshot, table: Table, options: Options) -> list[dict[str, Any]]:
    """The rows of a table."""
    return [one_row(snapshot, table, key, row) for key, row in snapshot.tables[table.name].items() if options.all or table.ran(row)]


def one_row(snapshot: Snapshot, table: Table, key: Key, row: Any) -> dict[str, Any]:
    """A row, with the values of columns that are JSON themselves."""
    section = table.section(row)
    values: dict[str, Any] = fields(snapshot, table, section, key, row)
    for column in section.columns:
        if column.unit is JSON and (text := values[column.key]) is not None:
            values[column.key] = json.loads(text)
    return values

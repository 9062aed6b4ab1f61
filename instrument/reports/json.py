"""The report as JSON, schema "classhook/1". Keys may be added, never renamed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TextIO

from classhook.measures.context.reader import CONTEXTS
from classhook.measures.tables import TABLES, about_processes, tables
from classhook.measures.threads.reader import ROWS as THREADS
from classhook.model.rows import Key
from classhook.model.snapshot import Process, Snapshot
from classhook.reports import Options
from classhook.reports.tests import rows as test_rows
from classhook.reports.view import fields
from classhook.tables.columns import JSON
from classhook.tables.table import Table


def report(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes the snapshot as one JSON object, with a line for each row of its tables."""
    content = as_dict(replace(snapshot, by_context=None, by_thread=None), options)
    out.writelines(_pieces(content | _parts(snapshot, options)))
    out.write("\n")


def _pieces(content: dict[str, Any]) -> Iterator[str]:
    """The object's JSON: each row of a list begins a line, and so does the text after a list."""
    before = "{"
    for key, value in content.items():
        yield f'{before}"{key}": '
        if isinstance(value, dict):
            yield from _pieces(value)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield "[\n" + ",\n".join(map(text_of, value)) + "]"
        elif isinstance(value, Iterator):
            yield "["
            for i, one in enumerate(value):
                yield (",\n" if i else "\n") + text_of(one)
            yield "]"
        else:
            yield text_of(value)
        before = ",\n" if isinstance(value, list | Iterator) else ", "
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
                {"class": c, "method": m, "descriptor": d, "reason": reason, "detail": detail} for c, m, d, reason, detail in snapshot.skipped
            ],
            "not_compiled": [{"class": c, "method": m, "descriptor": d, "detail": detail} for c, m, d, _, detail in snapshot.uncompiled],
            "alike": sorted(snapshot.alike),
        },
        **{table.name: rows_of(snapshot, table, options) for table in tables()},
        **{name: [*rows] for name, rows in _parts(snapshot, options).items()},
        "tests": test_rows(snapshot),
        "rules": [
            {
                "rule": text,
                "name": snapshot.rule_names.get(text),
                "matched_classes": row.matched_classes,
                "matched_methods": row.matched_methods,
                "nearest": row.nearest or None,
                "unknown": row.unknown,
            }
            for text, row in snapshot.rules.items()
        ],
        "source_files": snapshot.source_files,
        **({"coverage_by_test": snapshot.coverage_by_test} if snapshot.coverage_by_test is not None else {}),
        "notes": snapshot.notes,
    }


def _parts(snapshot: Snapshot, options: Options) -> dict[str, Iterator[dict[str, Any]]]:
    """The contexts and threads with the rows of each, if they were asked for, one after another: only one of them is in memory."""
    found = {}
    if snapshot.by_context:
        found[CONTEXTS.name] = _by(snapshot, CONTEXTS.name, "entered", snapshot.by_context(), options)
    if snapshot.by_thread:
        found[THREADS.name] = _by(replace(snapshot, grouped_by=""), THREADS.name, "threads", snapshot.by_thread(), options)
    return found


def _by(snapshot: Snapshot, name: str, times: str, parts: Iterator[tuple[str, Snapshot]], options: Options) -> Iterator[dict[str, Any]]:
    """`times`: the key that tells how often there was one."""
    own = TABLES[name]
    (key,), others = own.first, [one for one in tables() if one.name not in (CONTEXTS.name, THREADS.name)]
    for one, found in parts:
        nobody = {} if one else {key: None, "rule": None, "name": None, times: None}
        known = _known(snapshot, own, (one, "", ""), options)
        row = {key: one, "rule": None, "name": None, "kind": own.sections[0].kind, times: None, **known, **nobody}
        yield {**row, **{table.name: rows_of(found, table, options) for table in others}}


def _known(snapshot: Snapshot, table: Table, key: Key, options: Options) -> dict[str, Any]:
    """The row of this key, if it is shown; it has its costs once its part is read."""
    row = snapshot.tables[table.name].get(key) if not snapshot.grouped_by else None
    return one_row(snapshot, table, key, row) if row is not None and (options.all or table.ran(row)) else {}


def _process(process: Process) -> dict[str, Any]:
    return {
        "pid": process.pid,
        "jvm": process.jvm,
        "jvm_name": process.jvm_name,
        "command": process.command,
        "start": _time(process.start_unix_ns),
        "duration_ns": process.duration_ns,
        "end": process.end,
        "python_start_ns": process.python_ns,
        "weaving_ns": process.weaving_ns,
        "time_cost_ns": process.time_cost_ns,
        "count_cost_ns": process.count_cost_ns,
        "attached": {
            "from": _time(process.start_unix_ns),
            "to": _time(process.start_unix_ns + process.attached_ns) if process.end != "running" else None,
        }
        if process.attached_ns is not None
        else None,
        "since": _time(process.since_unix_ns) if process.since_unix_ns else None,
        **{one.key: one.value(process) for one in about_processes()},
        "notes": process.notes,
    }


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

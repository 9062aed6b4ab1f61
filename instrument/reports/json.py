"""The report as JSON, schema "classhook/1". Keys may be added, never renamed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain, islice
from typing import Any, TextIO

from classhook.base.processes import in_order
from classhook.measures.context.reader import CONTEXTS
from classhook.measures.tables import TABLES, about_processes, tables
from classhook.measures.threads.reader import ROWS as THREADS
from classhook.model.moments import MOMENTS
from classhook.model.snapshot import Process, Snapshot
from classhook.model.unmatched import unmatched_of
from classhook.reports import Options
from classhook.reports.json_rows import JsonRows, text_of
from classhook.reports.section_view import views
from classhook.reports.tests import rows as test_rows

AT_ONCE = 1000  # pieces that are written at once, which is faster
BATCH = 200  # contexts that a process reads at a time
ALONE = 10  # batches: fewer are read sooner than a process starts


def report(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes the snapshot as one JSON object, with a line for each row of its tables."""
    pieces = _pieces(_content(snapshot, options))
    while some := "".join(islice(pieces, AT_ONCE)):
        out.write(some)
    out.write("\n")


def as_dict(snapshot: Snapshot, options: Options) -> dict[str, Any]:
    """The report's object. Methods and sites that never ran are left out unless options.all."""
    found: dict[str, Any] = json.loads("".join(_pieces(_content(snapshot, options))))
    return found


def _pieces(content: dict[str, Any]) -> Iterator[str]:
    """The object's JSON: each row of a list begins a line, and so does the text after a list. An iterator yields rows
    that are JSON already."""
    before = "{"
    for key, value in content.items():
        yield f'{before}"{key}": '
        if isinstance(value, dict):
            yield from _pieces(value)
        elif isinstance(value, Iterator):
            yield from _lines(value)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield from _lines(map(text_of, value))
        else:
            yield text_of(value)
        before = ",\n" if isinstance(value, list | Iterator) else ", "
    yield "}"


def _lines(rows: Iterator[str]) -> Iterator[str]:
    between = "[\n"
    for row in rows:
        yield between
        yield row
        between = ",\n"
    yield "[]" if between == "[\n" else "]"


def _content(snapshot: Snapshot, options: Options) -> dict[str, Any]:
    """Tables are iterators: only one row of them is in memory at a time, besides those that were read."""
    rows = JsonRows(snapshot)
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
            "not_compiled": [
                {"class": c, "method": m, "descriptor": d, "detail": detail}
                for c, m, d, _, detail in snapshot.uncompiled
            ],
            "alike": sorted(snapshot.alike),
        },
        **{table.name: rows.shown(snapshot, table, options) for table in tables()},
        **_parts(snapshot, options),
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
            if text not in snapshot.written
        ],
        "source_files": snapshot.source_files,
        **({"coverage_by_test": snapshot.coverage_by_test} if snapshot.coverage_by_test is not None else {}),
        "notes": list(dict.fromkeys(_notes(snapshot, options))),
    }


def _notes(snapshot: Snapshot, options: Options) -> Iterator[str]:
    """Yields the notes that the text report has below tables, and those about rules that matched nothing."""
    yield from snapshot.notes
    for view in views(snapshot, options):
        yield from view.notes([column.name for column in view.section.columns], view.rows)
    yield from unmatched_of(snapshot)


def _parts(snapshot: Snapshot, options: Options) -> dict[str, Iterator[str]]:
    """The contexts and threads with the rows of each, if they were asked for, one after another."""
    found: dict[str, Iterator[str]] = {}
    if (each := snapshot.by_context) is not None:
        of_contexts = _Parts(snapshot, CONTEXTS.name, "entered", options)
        names = snapshot.context_names
        batches = [names[at : at + BATCH] for at in range(0, len(names), BATCH)]
        processes = 1 if len(batches) < ALONE else 0
        done = in_order(batches, lambda names: [*of_contexts.texts(each(names))], "read contexts", processes)
        found[CONTEXTS.name] = chain.from_iterable(done)
    if snapshot.by_thread:
        found[THREADS.name] = _Parts(replace(snapshot, grouped_by=""), THREADS.name, "threads", options).texts(
            snapshot.by_thread()
        )
    return found


class _Parts:
    """Writes contexts, or threads, with the rows of each. `times`: the key that tells how often there was one."""

    def __init__(self, snapshot: Snapshot, name: str, times: str, options: Options) -> None:
        self.snapshot = snapshot
        self.name = name
        self.options = options
        self.own = TABLES[name]
        self.others = [one for one in tables() if one.name not in (CONTEXTS.name, THREADS.name)]
        self.nobody = {self.own.first[0]: None, "rule": None, "name": None, times: None}
        self.unknown = {
            self.own.first[0]: None,
            "rule": None,
            "name": None,
            "kind": self.own.sections[0].kind,
            times: None,
        }

    def texts(self, parts: Iterator[tuple[str, Snapshot]]) -> Iterator[str]:
        of_whole, of_parts = JsonRows(self.snapshot), None  # rules and methods have the same names in all parts
        for one, found in parts:
            of_parts = of_parts or JsonRows(found)
            tables = [
                f', "{table.name}": [{", ".join(of_parts.shown(found, table, self.options))}]' for table in self.others
            ]
            yield f"{self._row(one, of_whole)[:-1]}{''.join(tables)}}}"

    def _row(self, one: str, rows: JsonRows) -> str:
        """The row of a part, if it is shown; it has its costs once the part is read."""
        key = one, "", ""
        row = None if self.snapshot.grouped_by else self.snapshot.tables[self.name].get(key)
        if row is None or not (self.options.all or self.own.ran(row)):
            return text_of({**self.unknown, self.own.first[0]: one or None})
        (text,) = rows.texts(self.own, [(key, row)])
        return text if one else text_of({**json.loads(text), **self.nobody})


def _process(process: Process) -> dict[str, Any]:
    return {
        "pid": process.pid,
        "jvm": process.jvm,
        "jvm_name": process.jvm_name,
        "command": process.command,
        "start": _time(process.start_unix_ns),
        "duration_ns": process.duration_ns,
        "end": process.end,
        "labels": process.labels,
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
        "placed": [{"after_ms": ms, "classes": names} for ms, names in process.placed],
        "since": _time(process.since_unix_ns) if process.since_unix_ns else None,
        **{one.key: one.value(process) for one in about_processes()},
        "moments": {found.kind: found.as_dict() for found in MOMENTS.get(process)},
        "notes": process.notes,
    }


def _time(unix_ns: int) -> str:
    return datetime.fromtimestamp(unix_ns / 1e9, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

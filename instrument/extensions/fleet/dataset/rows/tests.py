"""Tests, and what each of them ran."""

from __future__ import annotations

from collections.abc import Iterator

from classhook.extensions.fleet.dataset.method_bodies import Bodies
from classhook.extensions.fleet.dataset.rows import Row, named, time_of
from classhook.measures.cover.reader import PROBED
from classhook.measures.methods.reader import METHODS
from classhook.model.snapshot import Snapshot
from classhook.store.runs import Run


def tests(snapshot: Snapshot, run: Run, bodies: Bodies) -> Iterator[Row]:
    for one in snapshot.tests:
        yield {
            "test": one.context,
            "class": one.class_name or None,
            "method": one.method or None,
            "display": one.display,
            "kind": one.kind,
            "status": one.status,
            "start": time_of(one.started_unix_ns),
            "duration_ns": one.duration_ns,
            "parent": one.parent or None,
            "attempt": one.attempt,
            "thread": one.thread,
            "framework": one.source or None,
        }


def test_hits(snapshot: Snapshot, run: Run, bodies: Bodies) -> Iterator[Row]:
    if not snapshot.tests or snapshot.each_context is None:
        return
    for name, found in snapshot.each_context():
        counted, probed = found.tables[METHODS.name], found.tables[PROBED.name]
        for key in dict.fromkeys([*counted, *probed]):
            row, cover = counted.get(key), probed.get(key)
            if (row and row.calls) or (cover and cover.hit):
                yield {
                    "test": name,
                    **named(key),
                    "calls": row.calls if row else None,
                    "probes_hit": cover.hit if cover else None,
                }

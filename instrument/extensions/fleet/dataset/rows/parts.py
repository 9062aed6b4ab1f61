"""Threads and contexts, with what each cost."""

from __future__ import annotations

from collections.abc import Iterator

from classhook.extensions.fleet.dataset.method_bodies import Bodies
from classhook.extensions.fleet.dataset.rows import Row
from classhook.extensions.fleet.dataset.rows.reported import report_rows
from classhook.measures.context.reader import CONTEXTS, ContextRow
from classhook.measures.threads.reader import ROWS as THREADS
from classhook.model.snapshot import Snapshot
from classhook.model.snapshot_scope import Within
from classhook.reports.costs import add_costs_of
from classhook.reports.selection import Selection
from classhook.reports.threads import add_threads, pool_of
from classhook.store.runs import Run


def threads(snapshot: Snapshot, run: Run, bodies: Bodies) -> Iterator[Row]:
    if snapshot.tables[THREADS.name]:
        part = Snapshot()
        part.tables[THREADS.name] = {**add_threads(snapshot, part, Within(), Selection(), pools=False)}
        for row in report_rows(part, THREADS.name):
            yield {**row, "pool": pool_of(row["thread"])}


def contexts(snapshot: Snapshot, run: Run, bodies: Bodies) -> Iterator[Row]:
    """But for tests, which have tables of their own."""
    tests = {one.context for one in snapshot.tests}
    names = [name for name in snapshot.entered if name not in tests]
    if names and snapshot.each_context is not None:
        part = Snapshot()
        for name, found in snapshot.each_context(names, sums=True):
            row = part.tables[CONTEXTS.name][name, "", ""] = ContextRow(entered=snapshot.entered[name])
            add_costs_of(row, found)
        yield from report_rows(part, CONTEXTS.name)

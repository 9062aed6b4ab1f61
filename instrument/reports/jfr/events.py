"""Events of JFR for all data but call trees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from classhook.measures.alloc.reader import SITES
from classhook.measures.alloc.reader_objects import OBJECTS
from classhook.measures.locks.reader import BLOCKED
from classhook.measures.watch.reader_values import as_text
from classhook.measures.watch.table import TABLE as CALLS
from classhook.model.moments import PAUSE, WEAVING, Moment, moments
from classhook.model.snapshot import Process, Snapshot
from classhook.model.stacks import Frame
from classhook.reports.jfr import types
from classhook.reports.jfr.encoding import event, number, text
from classhook.reports.jfr.pools import Place, Pools
from classhook.reports.titles import command

NO = b"\0"
#: By kind of a moment: the type of its event, and what comes behind the class of the monitor.
WAITS = {
    "enter": (types.BLOCKED, NO * 2),  # no previous owner, no address
    "wait": (types.WAITED, NO * 4),
    "lock": (types.PARKED, NO * 3),
    "park": (types.PARKED, NO * 3),
}


def written(kind: types.Type, *fields: bytes) -> bytes:
    return event(types.NUMBERS[kind.name], b"".join(fields))


def events_of(snapshot: Snapshot, process: Process, pools: Pools) -> Iterator[bytes]:
    yield _jvm(process)
    yield from _allocations(snapshot, process, pools)
    yield from _calls(snapshot, process, pools)
    for run in snapshot.tests:
        began = number(max(0, run.started_unix_ns - process.begin_unix_ns))
        about = (text(run.display), text(run.status), text(run.source))
        yield written(types.TEST, began, number(run.duration_ns), number(pools.thread(run.thread)), *about)
    pauses = 0
    for one in moments_of(snapshot):
        if one.kind == PAUSE:
            pauses += 1
            took = number(one.took_ns)
            began, cause = _since(process, one.begin_unix_ns), text(one.of)
            yield written(types.COLLECTION, began, took, number(pauses), text("pause"), cause, took, took)
        elif one.kind in WAITS:
            yield _wait(one, snapshot, process, pools)


def moments_of(snapshot: Snapshot) -> Iterator[Moment]:
    for process in snapshot.processes:
        yield from (one for one in moments(process) if one.kind != WEAVING)


def _jvm(process: Process) -> bytes:
    name, start = process.jvm_name, number(0)
    version = f"{name} ({process.jvm}) JRE ({process.jvm})"  # as HotSpot says it, since Mission Control parses it
    return written(
        types.JVM,
        *(number(0), text(name), text(version), text(None), text(None), text(command(process)), start),
        number(process.pid),
    )


def _allocations(snapshot: Snapshot, process: Process, pools: Pools) -> Iterator[bytes]:
    """An event for each site, and for each stack of sampled objects, with all its bytes."""
    middle, thread = number(process.duration_ns // 2), NO
    for (cls, method, descriptor, line, _, kind), row in snapshot.tables[SITES.name].items():
        if row.bytes:
            stack = pools.stack([Place(cls, method, descriptor, line)])
            about = (number(stack), number(pools.class_(kind)), number(row.bytes))
            yield written(types.ALLOCATION, middle, thread, *about)
    for (*_, kind, _), row in snapshot.tables[OBJECTS.name].items():
        if size := round(row.allocated.bytes):
            about = (number(pools.stack(_places(row.stack))), number(pools.class_(kind)), number(size))
            yield written(types.ALLOCATION, middle, thread, *about)


def _calls(snapshot: Snapshot, process: Process, pools: Pools) -> Iterator[bytes]:
    for (cls, method, descriptor, *_), row in snapshot.tables[CALLS.name].items():
        if row.several:
            continue
        stack = [Place(cls, method, descriptor), *_places(row.stack)]
        values = ", ".join(f"{name}={as_text(value)}" for name, value in {**row.args, **row.fields}.items())
        yield written(
            types.CALL,
            _since(process, row.ended_unix_ns - row.took_ns),
            number(row.took_ns),
            number(pools.thread(row.thread)),
            number(pools.stack(stack)),
            *(text(f"{cls}.{method}"), text(values), text(as_text(row.result) if row.has_result else None)),
            *(text(row.exception or None), text(row.rule)),
        )


def _wait(one: Moment, snapshot: Snapshot, process: Process, pools: Pools) -> bytes:
    row: Any = snapshot.tables[BLOCKED.name].get(one.row) if one.row is not None else None
    stack = pools.stack(_places(row.stack)) if row is not None else 0
    kind, rest = WAITS[one.kind]
    began, took = _since(process, one.begin_unix_ns), number(one.took_ns)
    thread, of = number(pools.thread(one.thread)), number(pools.class_(one.of))
    return written(kind, began, took, thread, number(stack), of, rest)


def _places(stack: Iterable[Frame]) -> list[Place]:
    return [Place(one.cls, one.method, one.descriptor, one.line) for one in stack]


def _since(process: Process, unix_ns: int) -> bytes:
    return number(max(0, unix_ns - process.begin_unix_ns))

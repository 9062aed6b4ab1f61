"""The rows of one run, by table, as dictionaries; columns that a row does not have are empty."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any
from uuid import UUID

from classhook.coverage.analysis import Options, analyze
from classhook.coverage.smap import BadMap
from classhook.dataset.bodies import NOTHING, Bodies, ClassBodies
from classhook.dataset.tables import BY_NAME, UNNAMED
from classhook.errors import Failure
from classhook.measures.alloc.reader import SITES
from classhook.measures.cover.reader import PROBED, ProbedRow
from classhook.measures.cover.reader_classes import Covered, covered
from classhook.measures.methods.reader import METHODS, MethodRow
from classhook.model.call_tree import MethodKey
from classhook.model.snapshot import Process, Snapshot
from classhook.reports.paths import TREES
from classhook.reports.text import command
from classhook.store.opening import DataError
from classhook.store.reading import read_file
from classhook.store.runs import Run
from classhook.summary.reading import read

Row = dict[str, Any]
HASH = re.compile("[0-9a-f]{64}")  # a SHA-256
LABELS = ("host", "container", "version", "commit", "branch")
ENDS = ("running", "killed", "halt", "detached", "snapshot", "exit")  # what matters most first
MS = 1_000_000
#: What is measured of a stack.
KINDS = {"cpu_ns": "cpu", "wall_ns": "wall", "calls": "calls"}


@dataclass(frozen=True, slots=True)
class Facts:
    """A run. `partition`: the values of `date` and `service`; `tables`: of its rows, without `run_id`; `notes`: what is missing."""

    run_id: str
    partition: tuple[str, str]
    tables: dict[str, list[Row]]
    notes: list[str]


def facts_of(run: Run, bodies: Bodies, wanted: Collection[str] = BY_NAME) -> Facts:
    """Reads a run. `wanted`: the tables that get their rows. Raises Failure if none of its files can be read."""
    snapshot = read(run.files, suggest=False)
    if not snapshot.processes:
        raise Failure("\n".join(snapshot.notes))
    labels = {name: value for process in reversed(snapshot.processes) for name, value in process.labels.items()}
    date = datetime.fromtimestamp(run.begin / 1e9, UTC).date().isoformat()
    notes = [*snapshot.notes, *(note for process in snapshot.processes for note in process.notes)]
    tables = {name: [*make(snapshot, run, bodies)] if name in wanted else [] for name, make in MAKERS.items()}
    tables["runs"] = [_run(snapshot, run, labels, not notes)]
    return Facts(run_id(run, snapshot, labels.get("host", "")), (date, labels.get("service", UNNAMED)), tables, notes)


def run_id(run: Run, snapshot: Snapshot, host: str) -> str:
    """A UUID of version 7, in which all but the time is a hash of what tells the run from others: each export gives it the same one."""
    first = first_of(snapshot)
    own = f"{run.name or first.pid} {run.begin} {host}"
    number = int.from_bytes(sha256(own.encode()).digest()[:10], "big")
    ms = run.begin // MS & (1 << 48) - 1
    return str(UUID(int=ms << 80 | 0x7 << 76 | (number >> 62 & 0xFFF) << 64 | 0b10 << 62 | number & (1 << 62) - 1))


def first_of(snapshot: Snapshot) -> Process:
    """The JVM that began first."""
    return min(snapshot.processes, key=lambda process: (process.start_unix_ns, process.pid))


def time_of(unix_ns: int) -> datetime:
    """In UTC, without saying so: then no engine shows it in its own time zone."""
    return datetime.fromtimestamp(unix_ns // 1000 / 1e6, UTC).replace(tzinfo=None)


def _run(snapshot: Snapshot, run: Run, labels: dict[str, str], complete: bool) -> Row:
    first = first_of(snapshot)
    stop = max(process.start_unix_ns + process.duration_ns for process in snapshot.processes)
    ends = {process.end for process in snapshot.processes}
    return {
        "start": time_of(run.begin),
        "stop": time_of(stop),
        "duration_ns": max(0, stop - run.begin),
        "ended": next((end for end in ENDS if end in ends), first.end),
        **{name: labels.get(name) for name in LABELS},
        "labels": labels,
        "jvm": first.jvm,
        "command": command(first),
        "jvms": len({(process.pid, process.start_unix_ns) for process in snapshot.processes}),
        "pid": first.pid,
        "rules": [*snapshot.rules],
        "is_test": bool(snapshot.tests) or "ci.job" in labels or "ci.run" in labels,
        "complete": complete,
        "count_cost_ns": first.count_cost_ns,
        "time_cost_ns": first.time_cost_ns,
    }


# ---- methods


def _methods(snapshot: Snapshot, run: Run, bodies: Bodies) -> Iterator[Row]:
    counted, probed = snapshot.tables[METHODS.name], snapshot.tables[PROBED.name]
    hashes = class_hashes(probed)
    folders = {path.parent for path in run.files}
    for key in dict.fromkeys([*counted, *probed]):
        found = bodies.find(folders, key[0], hashes.get(key[0], ""))
        row, cover = counted.get(key), probed.get(key)
        yield {
            **_method(snapshot, key, found),
            "rule": next(one.rule for one in (row, cover) if one is not None),
            "ran": bool((row and row.calls) or (cover and cover.hit)),
            **(_counts(row) if row else {}),
            **({"probes": cover.probes, "probes_hit": cover.hit} if cover else {}),
        }


def class_hashes(probed: dict[Any, ProbedRow]) -> dict[str, str]:
    """By class, the SHA-256 of its class file, where coverage knows it; not of classes of which several versions ran."""
    found: dict[str, set[str]] = {}
    for key, row in probed.items():
        found.setdefault(key[0], set()).update(digest for digest, *_ in row.found if HASH.fullmatch(digest))
    return {name: next(iter(hashes)) for name, hashes in found.items() if len(hashes) == 1}


def _method(snapshot: Snapshot, key: MethodKey, found: ClassBodies) -> Row:
    body = found.methods.get(key[1:])
    return {
        **_named(key),
        "readable": snapshot.readable.written(*key),
        "source": snapshot.class_sources.get(key[0]) or found.source or None,
        **({"class_sha256": found.sha256} if found is not NOTHING else {}),
        **({"line": body.line or None, "body_hash": body.hash, "flags": body.flags, "annotations": body.annotations} if body else {}),
    }


def _named(key: MethodKey) -> Row:
    return {"class": key[0], "method": key[1], "descriptor": key[2]}


def _counts(row: MethodRow) -> Row:
    found: Row = {"calls": row.calls, "exceptions": row.exceptions if row.timed else None}
    if row.timed:
        found |= {"completed": row.completed, "total_ns": None if row.total_unknown else max(row.total_ns, 0), "self_ns": max(row.self_ns, 0)}
        found |= {"estimated": row.self_estimated}
        if row.completed:
            p50, p90, p99 = row.quantiles()
            found |= {"min_ns": row.min_ns, "max_ns": row.max_ns, "p50_ns": p50, "p90_ns": p90, "p99_ns": p99}
    if (sampled := row.sampled) is not None:
        found |= {f"{name}_ns": getattr(sampled, name) for name in ("cpu_self", "cpu_total", "wall_self", "wall_total")}
    return found


# ---- other tables


def _allocations(snapshot: Snapshot, run: Run, bodies: Bodies) -> Iterator[Row]:
    for (*method, line, bci, kind), row in snapshot.tables[SITES.name].items():
        yield {**_named((method[0], method[1], method[2])), "line": line, "bci": bci, "type": kind, "count": row.count, "bytes": row.bytes}


def _stacks(snapshot: Snapshot, run: Run, bodies: Bodies) -> Iterator[Row]:
    for number, parent, tree, call in _frames(snapshot):
        yield {"stack_id": number, "parent_id": parent, "tree": tree, **_named(call.method)}


def _samples(snapshot: Snapshot, run: Run, bodies: Bodies) -> Iterator[Row]:
    for number, _, tree, call in _frames(snapshot):
        for kind, name in KINDS.items():
            if value := getattr(call, name):
                yield {"stack_id": number, "tree": tree, "kind": kind, "value": value}


def _frames(snapshot: Snapshot) -> Iterator[tuple[int, int | None, str, Any]]:
    """Number, the caller's number, tree and node of each frame of all trees, callers first."""
    number = 0
    for word, tree in TREES.items():
        path: list[int] = []
        for call, entered in tree.root(snapshot).walk():
            if call.method is None:
                continue
            if entered:
                number += 1
                yield number, path[-1] if path else None, word, call
                path.append(number)
            else:
                path.pop()


def _lines(snapshot: Snapshot, run: Run, bodies: Bodies) -> Iterator[Row]:
    if not snapshot.covered:
        return
    files = []
    for path in run.files:
        try:
            files.append(read_file(path))
        except DataError:
            continue  # the snapshot has a note of it
    given = {sha256(data).hexdigest(): data for data in bodies.given.values()}
    for one in covered(files, given):
        if one.data is not None:
            yield from _lines_of(one, one.data)


def _lines_of(one: Covered, data: bytes) -> Iterator[Row]:
    try:
        found = analyze(data, one.hits, Options(one.level, one.levels))
    except (BadMap, ValueError):
        return  # the report of coverage says so
    package, slash, _ = one.name.replace(".", "/").rpartition("/")
    for line, numbers in sorted(found.lines.items()):
        of_line = dict(zip(("instructions_missed", "instructions_covered", "branches_missed", "branches_covered"), numbers, strict=False))
        yield {"class": one.name.replace("/", "."), "source": package + slash + found.source if found.source else None, "line": line, **of_line}


def _tests(snapshot: Snapshot, run: Run, bodies: Bodies) -> Iterator[Row]:
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


def _test_hits(snapshot: Snapshot, run: Run, bodies: Bodies) -> Iterator[Row]:
    if not snapshot.tests or snapshot.each_context is None:
        return
    for name, found in snapshot.each_context():
        counted, probed = found.tables[METHODS.name], found.tables[PROBED.name]
        for key in dict.fromkeys([*counted, *probed]):
            row, cover = counted.get(key), probed.get(key)
            if (row and row.calls) or (cover and cover.hit):
                yield {"test": name, **_named(key), "calls": row.calls if row else None, "probes_hit": cover.hit if cover else None}


#: By table, but for that of runs.
MAKERS: dict[str, Callable[[Snapshot, Run, Bodies], Iterable[Row]]] = {
    "methods": _methods,
    "allocations": _allocations,
    "stacks": _stacks,
    "samples": _samples,
    "lines": _lines,
    "tests": _tests,
    "test_hits": _test_hits,
}

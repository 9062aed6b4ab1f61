"""Methods and calls: what each method, key and call site counted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from classhook.extensions.fleet.dataset.method_bodies import NOTHING, Bodies, ClassBodies
from classhook.extensions.fleet.dataset.rows import Row, named
from classhook.measures.calls.reader import CALL_SITES
from classhook.measures.cover.reader import PROBED, ProbedRow
from classhook.measures.keys.reader import KEYS
from classhook.measures.methods.reader import METHODS, MethodRow
from classhook.model.call_tree import MethodKey
from classhook.model.rows import Key
from classhook.model.snapshot import Snapshot
from classhook.store.runs import Run

HASH = re.compile("[0-9a-f]{64}")  # a SHA-256
#: The parts of rows' keys besides the method.
OF_KEY = ("keyed_by", "key")
OF_SITE = ("line", "called_class", "called_method", "called_descriptor")


def methods(snapshot: Snapshot, run: Run, bodies: Bodies) -> Iterator[Row]:
    counted, probed = snapshot.tables[METHODS.name], snapshot.tables[PROBED.name]
    hashes = class_hashes(probed)
    folders = {path.parent for path in run.files}
    for key in dict.fromkeys([*counted, *probed]):
        found = bodies.find(folders, key[0], hashes.get(key[0], ""))
        row, cover = counted.get(key), probed.get(key)
        yield {
            **_method(snapshot, key, found),
            "rule": next(one.rule for one in (row, cover) if one is not None),
            "ran": bool((row and METHODS.ran(row)) or (cover and cover.hit)),
            **(_counts(row) if row else {}),
            **({"probes": cover.probes, "probes_hit": cover.hit} if cover else {}),
        }


def class_hashes(probed: dict[Any, ProbedRow]) -> dict[str, str]:
    """The SHA-256 of each class's file, where coverage knows it; not for classes of which several versions ran."""
    found: dict[str, set[str]] = {}
    for key, row in probed.items():
        found.setdefault(key[0], set()).update(digest for digest, *_ in row.found if HASH.fullmatch(digest))
    return {name: next(iter(hashes)) for name, hashes in found.items() if len(hashes) == 1}


def _method(snapshot: Snapshot, key: MethodKey, found: ClassBodies) -> Row:
    body = found.methods.get(key[1:])
    return {
        **named(key),
        "readable": snapshot.readable.written(*key),
        "source": snapshot.class_sources.get(key[0]) or found.source or None,
        **({"class_sha256": found.sha256} if found is not NOTHING else {}),
        **(
            {"line": body.line or None, "body_hash": body.hash, "flags": body.flags, "annotations": body.annotations}
            if body
            else {}
        ),
    }


def _counts(row: MethodRow) -> Row:
    found: Row = {"calls": row.calls, "exceptions": row.exceptions if row.timed else None}
    if row.timed:
        found |= {
            "completed": row.completed,
            "total_ns": None if row.total_unknown else max(row.total_ns, 0),
        }
        if not row.self_unknown:
            found |= {"self_ns": max(row.self_ns, 0), "estimated": row.self_estimated}
        if row.completed:
            p50, p90, p99 = row.quantiles()
            found |= {"min_ns": row.min_ns, "max_ns": row.max_ns, "p50_ns": p50, "p90_ns": p90, "p99_ns": p99}
    if (sampled := row.sampled) is not None:
        found |= {f"{name}_ns": getattr(sampled, name) for name in ("cpu_self", "cpu_total", "wall_self", "wall_total")}
    return found


def keys(snapshot: Snapshot, run: Run, bodies: Bodies) -> Iterator[Row]:
    for key, row in ran(snapshot, KEYS.name):
        more = {"others": row.others, "calls_before": row.before}
        yield {**about(snapshot, key, OF_KEY), **more, "rule": row.rule, **_counts(row)}


def call_sites(snapshot: Snapshot, run: Run, bodies: Bodies) -> Iterator[Row]:
    for key, row in ran(snapshot, CALL_SITES.name):
        yield {**about(snapshot, key, OF_SITE), "rule": row.rule, **_counts(row)}


def ran(snapshot: Snapshot, table: str) -> Iterator[tuple[Key, Any]]:
    """The rows that were called."""
    return ((key, row) for key, row in snapshot.tables[table].items() if row.calls)


def about(snapshot: Snapshot, key: Key, more: tuple[str, ...]) -> Row:
    """The columns of a row's key. `more`: the names of its parts besides the method."""
    of_key = {name: part or None for name, part in zip(more, key[3:], strict=True)}
    return {**named(key[:3]), **of_key, "readable": snapshot.readable.written(*key[:3])}

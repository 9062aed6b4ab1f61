"""Call stacks, and what was measured of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from classhook.extensions.fleet.dataset.method_bodies import Bodies
from classhook.extensions.fleet.dataset.rows import Row, named
from classhook.model.snapshot import Snapshot
from classhook.reports.call_trees import TREES
from classhook.store.runs import Run

#: The measurements of a stack.
KINDS = {"cpu_ns": "cpu", "wall_ns": "wall", "calls": "calls"}


def stacks(snapshot: Snapshot, run: Run, bodies: Bodies) -> Iterator[Row]:
    for number, parent, tree, call in _frames(snapshot):
        yield {"stack_id": number, "parent_id": parent, "tree": tree, **named(call.method)}


def samples(snapshot: Snapshot, run: Run, bodies: Bodies) -> Iterator[Row]:
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

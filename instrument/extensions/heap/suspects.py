"""The objects that retain most of a heap, and how a root keeps them."""

from __future__ import annotations

from typing import Any

import numpy as np

from classhook.base.names import quantity, several, shortened
from classhook.extensions.heap import paths
from classhook.extensions.heap.class_histogram import CLASS_NAME
from classhook.extensions.heap.library import TOP
from classhook.extensions.heap.looked import Looked, View, largest, reachable
from classhook.tables.columns import share

SUSPECTS = 5  # at most
SUSPECT = 0.05  # of all that is reachable
NEARLY_ALL = 0.8  # of what an object retains
DEEPEST = 64  # steps to what accumulates


def suspects(looked: Looked) -> View:
    """The objects that retain most: each is found from one below the roots, by going to what it retains as long as
    nearly all of that belongs to one object of another class."""
    all_, graph_ = looked.objects, looked.graph
    dominator, retained = graph_.dominator, graph_.retained
    whole = reachable(looked)
    below_roots = largest(retained, dominator == TOP, SUSPECTS)
    found = [one for i in below_roots.tolist() for one in _holding(looked, i, SUSPECT * whole)]
    rows: list[dict[str, Any]] = []
    for number in sorted(dict.fromkeys(found), key=lambda one: -int(retained[one])):
        children = np.flatnonzero(dominator == number)
        kinds = all_.kinds(children) if len(children) else children
        most = np.bincount(kinds, retained[children]) if len(children) else np.zeros(1)
        kind = int(np.argmax(most))
        one = paths.way(graph_, looked.roots, number)
        rows.append(
            {
                "object": all_.label(number),
                "id": int(all_.id[number]),
                "class": all_.class_of(number),
                "bytes": int(all_.size[number]),
                "retained": int(retained[number]),
                "holds": _class_name(looked, kind) if len(children) else "",
                "held": int(np.count_nonzero(kinds == kind)),
                "held_bytes": int(most[kind]),
                "steps": one.steps if one else [],
                "root": one.root if one else "",
            }
        )
    sum_ = sum(row["retained"] for row in rows)
    return View(
        f"Suspects: {several(len(rows), 'object')} {'retains' if len(rows) == 1 else 'retain'}"
        f" {quantity(sum_)} of {quantity(whole)}",
        ("retained", "", "object, what it holds, and the way to it from a root"),
        rows,
        lambda row: (quantity(row["retained"]), share(row["retained"], whole), shortened(row["object"]) + _holds(row)),
        below=lambda row: [*(f"  {shortened(step)}" for step in row["steps"]), f"  root: {row['root']}"],
    )


def _holding(looked: Looked, number: int, least: float) -> list[int]:
    """Finds the objects that accumulate the bytes that an object retains, if it retains at least `least`: for a class,
    one for each static field that retains so many."""
    retained, held = looked.graph.retained, _held(looked, number)
    if retained[number] < least:
        return []
    if looked.objects.class_of(held) == CLASS_NAME:
        children = np.flatnonzero(looked.graph.dominator == held)
        fields = [_held(looked, int(i)) for i in children[retained[children] >= least]]
        return fields or [held]
    return [held]


def _held(looked: Looked, number: int) -> int:
    """The object that accumulates what this one retains."""
    dominator, retained, all_ = looked.graph.dominator, looked.graph.retained, looked.objects
    for _ in range(DEEPEST):
        children = np.flatnonzero(dominator == number)
        if not len(children):
            break
        largest_ = int(children[np.argmax(retained[children])])
        if retained[largest_] < NEARLY_ALL * retained[number] or all_.class_of(largest_) == all_.class_of(number):
            break
        number = largest_
    return number


def _class_name(looked: Looked, kind: int) -> str:
    known = looked.heap.classes.all
    return known[kind].name if kind < len(known) else CLASS_NAME


def _holds(row: dict[str, Any]) -> str:
    held = f"  holds {row['held']:,} {shortened(row['holds'])}, {quantity(row['held_bytes'])}"
    return held if row["holds"] else ""

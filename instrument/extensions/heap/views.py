"""The views of a dump: each view is a table, in text and in JSON. A new one is a function here and a line in
VIEWS."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from classhook.base.names import quantity, several, shortened
from classhook.extensions.heap import class_histogram as histogram
from classhook.extensions.heap import graph, paths, strings
from classhook.extensions.heap import object_columns as objects
from classhook.extensions.heap.heap import Heap
from classhook.extensions.heap.library import NOBODY
from classhook.extensions.heap.tags import CLASS
from classhook.tables.columns import share

SHOWN_TEXT = 100  # characters of a duplicate string
SIGN = {1: "+", -1: "-", 0: ""}


@dataclass
class Looked:
    """A dump, with the results so far."""

    heap: Heap
    top: int  # rows, 0 for all

    @cached_property
    def histogram(self) -> dict[str, histogram.Row]:
        return histogram.histogram(self.heap)

    @cached_property
    def objects(self) -> objects.Objects:
        return objects.objects(self.heap)

    @cached_property
    def graph(self) -> graph.Graph:
        return graph.graph(self.objects)

    @cached_property
    def roots(self) -> paths.Roots:
        return paths.Roots(self.graph)


class View(NamedTuple):
    """`title`: one line; `columns`: of the text; `rows`: for JSON; `cells`: a row as text; `more`: rows that are not
    shown."""

    title: str
    columns: tuple[str, ...]
    rows: list[dict[str, Any]]
    cells: Callable[[dict[str, Any]], tuple[str, ...]]
    more: int = 0


def classes(looked: Looked) -> View:
    found = looked.histogram
    count, size = sum(row.count for row in found.values()), sum(row.bytes for row in found.values())
    rows = [{"class": name, "count": row.count, "bytes": row.bytes} for name, row in first(found.items(), looked.top)]
    return View(
        f"{several(count, 'object')} of {several(len(found), 'class')}: {quantity(size)}",
        ("bytes", "", "objects", "class"),
        rows,
        lambda row: (quantity(row["bytes"]), share(row["bytes"], size), f"{row['count']:,}", shortened(row["class"])),
        len(found) - len(rows),
    )


def biggest(looked: Looked) -> View:
    """Objects that no other one of their class dominates; otherwise each node of a list would follow its
    predecessor."""
    all_, dominator, retained = looked.objects, looked.graph.dominated[0], looked.graph.retained
    candidates = np.flatnonzero(looked.graph.topmost)
    order = candidates[np.argsort(-retained[candidates].astype(np.int64), kind="stable")]
    whole = int(all_.size[looked.graph.reached].sum())
    rows = [
        {
            "object": all_.label(i),
            "id": int(all_.id[i]),
            "class": all_.class_of(i),
            "bytes": int(all_.size[i]),
            "retained": int(retained[i]),
            "dominator": "" if dominator[i] == NOBODY else all_.label(int(dominator[i])),
        }
        for i in map(int, order[: looked.top or None])
    ]

    def cells(row: dict[str, Any]) -> tuple[str, ...]:
        inside = f"  in {row['dominator']}" if row["dominator"] else ""
        return (
            quantity(row["retained"]),
            share(row["retained"], whole),
            quantity(row["bytes"]),
            shortened(row["object"]) + inside,
        )

    return View(
        f"Objects by retained size ({quantity(whole)} are reachable from the roots)",
        ("retained", "", "own", "object"),
        rows,
        cells,
        len(order) - len(rows),
    )


def dominators(looked: Looked) -> View:
    """The sizes that all objects of each class retain together, and the class that dominates most of them."""
    all_, graph_ = looked.objects, looked.graph
    kinds = np.where(all_.tag == CLASS, len(all_.heap.classes), all_.cls).astype(np.int64)
    reached, top = np.flatnonzero(graph_.reached), np.flatnonzero(graph_.topmost)
    room = len(all_.heap.classes) + 2
    above = graph_.dominated[0][reached]
    above_kind = np.where(above == NOBODY, room - 1, kinds[np.where(above == NOBODY, 0, above)])
    pairs, counts = np.unique(kinds[reached] * room + above_kind, return_counts=True)
    mostly: dict[int, tuple[int, int]] = {}
    for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
        mostly[pair // room] = max(mostly.get(pair // room, (0, 0)), (count, pair % room))
    count = np.bincount(kinds[reached], minlength=room)
    own = np.bincount(kinds[reached], all_.size[reached], minlength=room).astype(np.int64)
    retained = np.bincount(kinds[top], graph_.retained[top], minlength=room).astype(np.int64)
    names = [*(one.name for one in all_.heap.classes.all), "java.lang.Class", "the roots"]
    order = [int(kind) for kind in np.argsort(-retained, kind="stable") if count[kind]]
    rows = [
        {
            "class": names[kind],
            "count": int(count[kind]),
            "bytes": int(own[kind]),
            "retained": int(retained[kind]),
            "dominated_by": names[mostly[kind][1]],
            "dominated": mostly[kind][0],
        }
        for kind in order[: looked.top or None]
    ]
    whole = int(all_.size[reached].sum())
    return View(
        "Classes by retained size of all their objects",
        ("retained", "", "own", "objects", "class, and the class that dominates most of its objects"),
        rows,
        lambda row: (
            quantity(row["retained"]),
            share(row["retained"], whole),
            quantity(row["bytes"]),
            f"{row['count']:,}",
            f"{shortened(row['class'])}  in {shortened(row['dominated_by'])} ({row['dominated']:,})",
        ),
        len(order) - len(rows),
    )


def duplicates(looked: Looked) -> View:
    found = strings.duplicates(looked.objects, looked.top)
    title = (
        f"{several(found.strings, 'string')}, {several(found.texts, 'different text')}: {quantity(found.wasted)} are"
        " wasted by repeated texts"
    )
    return View(
        title,
        ("wasted", "strings", "arrays", "text"),
        [asdict(one) for one in found.most],
        lambda row: (
            quantity(row["wasted"]),
            f"{row['strings']:,}",
            f"{row['arrays']:,}",
            repr(row["text"][:SHOWN_TEXT]),
        ),
    )


def roots(looked: Looked) -> View:
    count = Counter(looked.heap.roots.tag.tolist())
    rows = [{"root": paths.ROOTS.get(tag, "unreachable"), "count": number} for tag, number in count.most_common()]
    return View(
        f"Roots: {len(looked.heap.roots):,}", ("count", "kind"), rows, lambda row: (f"{row['count']:,}", row["root"])
    )


def changes(looked: Looked, old: Looked) -> View:
    """The changes by class since an older dump, the largest first."""
    before, after, none = old.histogram, looked.histogram, histogram.Row()
    found = [
        {
            "class": name,
            "count": after.get(name, none).count,
            "bytes": after.get(name, none).bytes,
            "count_change": after.get(name, none).count - before.get(name, none).count,
            "bytes_change": after.get(name, none).bytes - before.get(name, none).bytes,
        }
        for name in {**after, **before}
    ]
    found = [row for row in found if row["count_change"] or row["bytes_change"]]
    found.sort(key=lambda row: (-abs(row["bytes_change"]), -abs(row["count_change"]), row["class"]))  # type: ignore[arg-type]
    rows = found[: looked.top or None]
    change = sum(row["bytes_change"] for row in found)  # type: ignore[misc]
    return View(
        f"Changes by class: {signed(change, quantity)}",
        ("bytes", "objects", "now", "class"),
        rows,
        lambda row: (
            signed(row["bytes_change"], quantity),
            signed(row["count_change"], "{:,}".format),
            f"{row['count']:,}",
            shortened(row["class"]),
        ),
        len(found) - len(rows),
    )


def signed(number: int, form: Callable[[int], str]) -> str:
    return SIGN[(number > 0) - (number < 0)] + form(abs(number))


def first(items: Iterable[Any], top: int) -> list[Any]:
    return [*items][: top or None]


#: By name in --show.
VIEWS: dict[str, Callable[[Looked], View]] = {
    "histogram": classes,
    "biggest": biggest,
    "dominators": dominators,
    "strings": duplicates,
    "roots": roots,
}

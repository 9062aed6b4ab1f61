"""The views of a dump: each view is a table, in text and in JSON. A new one is a function here and a line in
VIEWS."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any

import numpy as np

from classhook.base.names import quantity, several, shortened
from classhook.extensions.heap import class_histogram as histogram
from classhook.extensions.heap import paths, strings
from classhook.extensions.heap.library import NOBODY, TOP
from classhook.extensions.heap.looked import Looked, View, blocks, largest, reachable
from classhook.extensions.heap.record_batches import Column
from classhook.extensions.heap.suspects import suspects
from classhook.tables.columns import share

SHOWN_TEXT = 100  # characters of a duplicate string
SIGN = {1: "+", -1: "-", 0: ""}


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
    all_, dominator, retained = looked.objects, looked.graph.dominator, looked.graph.retained
    order = largest(retained, looked.graph.topmost, looked.top)
    whole = reachable(looked)
    rows = [
        {
            "object": all_.label(i),
            "id": int(all_.id[i]),
            "class": all_.class_of(i),
            "bytes": int(all_.size[i]),
            "retained": int(retained[i]),
            "dominator": "" if dominator[i] == TOP else all_.label(int(dominator[i])),
        }
        for i in order.tolist()
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
        int(looked.graph.topmost.sum()) - len(rows),
    )


def summed(kind: Column, bytes_: Column, room: int) -> Column:
    """Bytes by kind."""
    return np.bincount(kind, bytes_, minlength=room).astype(np.int64)


def dominators(looked: Looked) -> View:
    """The sizes that all objects of each class retain together, and the class that dominates most of them."""
    all_, graph_ = looked.objects, looked.graph
    room = len(all_.heap.classes) + 2
    count, own, retained = np.zeros((3, room), np.int64)
    pairs: Counter[int] = Counter()
    for some in blocks(len(all_)):
        reached, top = graph_.dominator[some] != NOBODY, graph_.topmost[some]
        kind, above = all_.kinds(some).astype(np.int64), graph_.dominator[some][reached]
        dominating = np.where(above == TOP, room - 1, all_.kinds(np.where(above == TOP, 0, above)))
        found, times = np.unique(kind[reached] * room + dominating, return_counts=True)
        pairs.update(dict(zip(found.tolist(), times.tolist(), strict=True)))
        count += np.bincount(kind[reached], minlength=room)
        own += summed(kind[reached], all_.size[some][reached], room)
        retained += summed(kind[top], graph_.retained[some][top], room)
    mostly: dict[int, tuple[int, int]] = {}
    for pair, times_ in pairs.items():
        mostly[pair // room] = max(mostly.get(pair // room, (0, 0)), (times_, pair % room))
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
    whole = int(own.sum())
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
    "suspects": suspects,
    "histogram": classes,
    "biggest": biggest,
    "dominators": dominators,
    "strings": duplicates,
    "roots": roots,
}

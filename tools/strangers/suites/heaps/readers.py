"""Dumps read by another reader: the objects of each class, and what each object retains.

1. The reader of VisualVM (of NetBeans, or its copy in jvmtool) has sizes of its own, sees no objects of classes, and
   follows no java.lang.ref.Reference. The retained sizes of classhook are computed by the same rules.
2. Where they still differ, the definition decides: without the object, so many bytes are out of reach. That reader
   is wrong for a few objects in cycles.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from classhook.extensions.heap import classes as heap_classes
from classhook.extensions.heap.class_histogram import CLASS_NAME
from classhook.extensions.heap.graph import Graph, graph
from classhook.extensions.heap.heap import opened
from classhook.extensions.heap.library import NOBODY
from classhook.extensions.heap.object_columns import Objects, objects
from classhook.extensions.heap.tags import CLASS
from tests import peers
from tools.compare.fetching import Failed, tool
from tools.corpus.machines import Machine
from tools.strangers.outcome import Difference

SOURCE = Path(__file__).parents[2] / "java" / "Retained.java"
READERS = {"jvmtool": peers.HPROF_HEAP, "NetBeans": (peers.NETBEANS_PROFILER,)}


class Agreed(NamedTuple):
    """The numbers of dumps and of objects that a reader read, and of objects of which it says the same."""

    dumps: int = 0
    objects: int = 0
    same: int = 0


def notes(agreed: Mapping[str, Agreed]) -> list[str]:
    """One for all readers."""
    said = [f"{reader} {one.same:,} of {one.objects:,} in {one.dumps} dumps" for reader, one in agreed.items()]
    return [f"objects that retain the same by other readers: {', '.join(said)}"] if said else []


def jars(reader: str, folder: Path) -> list[Path]:
    """Raises Failed."""
    try:
        return [peers.fetch(artifact, folder) for artifact in READERS[reader]]
    except peers.Missing as missing:
        raise Failed(str(missing)) from None


def theirs(java: Machine, class_path: list[Path], dump: Path, out: Path) -> tuple[dict[str, int], np.ndarray]:
    """Objects by class, and rows of an object's id, size and retained size. Raises Failed."""
    joined = ":".join(map(str, class_path))
    tool(java.java, "-Xmx2g", "-cp", joined, SOURCE, dump, out, patience=1800)
    shutil.rmtree(dump.with_name(f"{dump.name}.nbcache"), ignore_errors=True)  # the other reader's, in another form
    counts: Counter[str] = Counter()
    rows = []
    for line in out.read_text().splitlines():
        first, *more = line.split(" ")
        if first == "class":
            counts[more[0].replace("+0x", "/0x")] += int(more[1])
        else:
            rows.append((int(first) % (1 << 64), int(more[0]), int(more[1])))
    return {name: count for name, count in counts.items() if count}, np.array(rows, np.uint64)


def differences(java: Machine, class_path: list[Path], dump: Path, cell: str) -> tuple[int, list[Difference]]:
    """Compares the objects of a dump with those of another reader; returns their number, and the differences."""
    counts, rows = theirs(java, class_path, dump, dump.with_suffix(".theirs"))
    all_ = objects(opened(dump))
    number = all_.found(rows[:, 0].copy())
    ours = Counter(all_.class_of(i) for i in np.flatnonzero(all_.tag != CLASS).tolist())
    found = [
        Difference(f"{name} ({cell})", f"other reader {counts.get(name, 0):,} objects, classhook {ours[name]:,}")
        for name in sorted({*counts, *ours} - {CLASS_NAME})
        if counts.get(name, 0) != ours[name]
    ]
    if (number == NOBODY).any():
        missing = int((number == NOBODY).sum())
        return len(rows), [*found, Difference(f"objects ({cell})", f"{missing:,} of the other reader are not found")]
    all_.size = np.zeros(len(all_), np.uint64)
    all_.size[number] = rows[:, 1]
    whole = of_their_rules(all_)
    retained = np.where(whole.reached[number], whole.retained[number], 0)
    for i in np.flatnonzero(retained != rows[:, 2]).tolist():
        if (by_definition := without(whole, int(number[i]))) != retained[i]:
            what = f"retains {by_definition:,} bytes, classhook {retained[i]:,}, other reader {rows[i, 2]:,}"
            found.append(Difference(f"{all_.label(int(number[i]))} ({cell})", what))
    return len(rows), found


def of_their_rules(all_: Objects) -> Graph:
    """The graph in which no Reference refers to its referent."""
    before = heap_classes.WEAK
    try:
        heap_classes.WEAK = ("java.lang.ref.Reference",)  # type: ignore[assignment]
        return graph(all_)
    finally:
        heap_classes.WEAK = before


def without(whole: Graph, number: int) -> int:
    """The bytes that are out of reach without an object, and its own."""
    left = whole.parents(without=number) != NOBODY
    left[number] = False
    return int(whole.objects.size[whole.reached & ~left].sum())

"""A dump that was looked through: its classes, roots, and how large objects are in the JVM. Code that needs more reads
it again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from classhook.extensions.heap.classes import Class, Classes, found
from classhook.extensions.heap.dump import Dump, read
from classhook.extensions.heap.flattened import Flattened
from classhook.extensions.heap.layouts import Sizes
from classhook.extensions.heap.neighbours import Evidence
from classhook.extensions.heap.record_batches import OBJECT_TAGS, Batch, batches, joined
from classhook.extensions.heap.tags import CLASS

ENOUGH = 1 << 20  # objects whose distances are looked at


@dataclass(slots=True)
class Heap:
    """`roots`: sub-records of the dump, as native/extensions/heap/heap.h has them; `objects`: how many others there
    are, flattened values among them."""

    dump: Dump
    classes: Classes
    sizes: Sizes
    roots: Batch
    flattened: Flattened
    objects: int


def opened(path: Path) -> Heap:
    """Looks through a dump. Raises UsageError."""
    dump = read(path)
    classes: list[Class] = []
    roots: list[Batch] = []
    evidence, flattened = Evidence(dump.id_size), Flattened(dump)
    count = 0
    for batch in batches(dump):
        parts = flattened.add(batch)
        classes += found(dump, batch.tagged(CLASS))
        others = ~np.isin(batch.tag, OBJECT_TAGS)
        count += len(batch) - int(others.sum())
        if others.any():
            roots.append(batch.where(others))
        if evidence.count < ENOUGH:
            evidence.add(batch, parts)
    all_ = Classes(dump, classes)
    flattened.find_fields(all_)
    return Heap(dump, all_, evidence.sizes(all_, flattened), joined(roots), flattened, count)

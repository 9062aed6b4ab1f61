"""The sizes of objects, from the distances between neighbours in memory.

1. Ids are addresses. The next object in memory begins behind an object's end, and mostly right there. A dump need not
   have objects in that order: ZGC and Shenandoah dump them as they are reached. So ids are sorted.
2. Arrays have known lengths: of the layouts that JVMs use (`layouts.py`), the one that fits most distances is that of
   the dump.
3. The least distance that several instances of a class have is their size, or more, if garbage that is not in the dump
   lies behind each of them. So a size is not more than what follows from the fields, except where that has another
   cause (`_is_size`): fields that HotSpot adds, and padding. If the heap has hardly any garbage, one instance is
   enough for a class to which HotSpot adds fields.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from classhook.extensions.heap.classes import Class, Classes
from classhook.extensions.heap.field_layout import FieldLayout
from classhook.extensions.heap.flattened import Flattened
from classhook.extensions.heap.layouts import LAYOUTS, Layout, Sizes, array_sizes
from classhook.extensions.heap.record_batches import OBJECT_TAGS, Batch, Column, joined
from classhook.extensions.heap.tags import INSTANCE, OBJECT_ARRAY, PRIMITIVE_ARRAY

FARTHEST = 1 << 20  # a longer distance says nothing
AGREEING = 3  # instances with the same least distance
DENSE = 0.99  # of the arrays have no garbage behind them, so few instances have any
PADDING = 128  # bytes that @Contended adds at least
LARGEST_ADDED = 512  # bytes that HotSpot adds to a class; threads have up to 264
#: HotSpot adds fields to these classes and their subclasses, or pads them (`@Contended`).
ENLARGED = frozenset(
    [
        f"java.lang.{name}"
        for name in ("Class", "ClassLoader", "InternalError", "Module", "StackFrameInfo", "Thread", "VirtualThread")
    ]
    + [
        f"java.lang.invoke.{name}"
        for name in ("CallSite", "MemberName", "MethodHandleNatives$CallSiteContext", "ResolvedMethodName")
    ]
    + [
        f"java.util.concurrent.{name}"
        for name in ("ConcurrentHashMap$CounterCell", "Exchanger$Node", "Exchanger$Participant")
    ]
    + [
        f"java.util.concurrent.{name}"
        for name in ("ForkJoinPool", "ForkJoinPool$WorkQueue", "SubmissionPublisher$BufferedSubscription")
    ]
    + ["java.lang.reflect.Field", "java.util.concurrent.atomic.Striped64$Cell"]
    + ["jdk.internal.reflect.ConstantPool", "jdk.internal.vm.StackChunk"]
)


@dataclass(slots=True)
class Distances:
    """Distances of a class's instances: the least one, how many have it, and how many instances were looked at."""

    least: int
    agreeing: int
    all: int


class Evidence:
    """Objects, collected from batches of a dump. `count`: how many."""

    def __init__(self, id_size: int) -> None:
        self.count = 0
        self._layouts = LAYOUTS[id_size]
        self._objects: list[Batch] = []
        self._holds: list[Column] = []  # whether they hold flattened values

    def add(self, batch: Batch, parts: Column | None) -> None:
        """`parts`: which rows are flattened values; arrays that hold some say nothing of the layout."""
        chosen = np.isin(batch.tag, OBJECT_TAGS)
        holds = np.zeros(len(batch), bool)
        if parts is not None:
            chosen &= ~parts
            holds[:-1] = parts[1:]
        objects = batch.where(chosen)
        self.count += len(objects)
        self._objects.append(objects)
        self._holds.append(holds[chosen])

    def sizes(self, classes: Classes, flattened: Flattened) -> Sizes:
        """The sizes that fit best."""
        objects, holds = joined(self._objects), np.concatenate([np.zeros(0, bool), *self._holds])
        self._objects.clear()
        order = np.argsort(objects.id)[:-1]  # all but the last one, which has no next
        distance = np.diff(np.sort(objects.id)).astype(np.int64)
        near = (distance > 0) & (distance < FARTHEST)
        order, distance = order[near], distance[near]
        alignment = _alignment(objects.id)
        chosen = (np.isin(objects.tag, (OBJECT_ARRAY, PRIMITIVE_ARRAY)) & ~holds)[order]
        arrays, room = objects.where(order[chosen]), distance[chosen]
        layout = max(self._layouts, key=lambda one: _fit(one, alignment, arrays, room))
        sizes = Sizes(layout, alignment, {}, FieldLayout(classes, flattened, layout.reference))
        dense = bool(len(arrays)) and float((_sizes(layout, alignment, arrays) == room).mean()) >= DENSE
        chosen = (objects.tag == INSTANCE)[order]
        for id_, found in _by_class(objects.of[order[chosen]], distance[chosen]).items():
            one = classes.all[classes.numbers[id_]] if id_ in classes.numbers else None
            if found.least % alignment == 0 and _is_size(found, one, classes, sizes, dense):
                sizes.measured[id_] = found.least
        return sizes


def _alignment(ids: Column) -> int:
    bits = int(np.bitwise_or.reduce(ids))
    lowest = bits & -bits
    return min(lowest, 256) if len(ids) > 1000 and lowest >= 8 else 8


def _sizes(layout: Layout, alignment: int, arrays: Batch) -> Column:
    return array_sizes(layout, alignment, arrays).astype(np.int64)


def _fit(layout: Layout, alignment: int, arrays: Batch, room: Column) -> int:
    """The number of distances that agree with this layout; an object that would reach into the next one speaks against
    it."""
    sizes = _sizes(layout, alignment, arrays)
    return int((sizes == room).sum()) - 10 * int((sizes > room).sum())


def _by_class(of: Column, distance: Column) -> dict[int, Distances]:
    """The distances by a class's id."""
    if not len(of):
        return {}
    order = np.lexsort((distance, of))
    of, distance = of[order], distance[order]
    new_class = np.r_[True, of[1:] != of[:-1]]
    starts = np.flatnonzero(new_class)
    runs = np.flatnonzero(new_class | np.r_[True, distance[1:] != distance[:-1]])
    agreeing = np.diff(np.r_[runs, len(of)])[np.searchsorted(runs, starts)]
    columns = (of[starts], distance[starts], agreeing, np.diff(np.r_[starts, len(of)]))
    return {id_: Distances(*found) for id_, *found in zip(*(column.tolist() for column in columns), strict=True)}


def _is_size(found: Distances, one: Class | None, classes: Classes, sizes: Sizes, dense: bool) -> bool:
    """True if the least distance is the size. If it is more than the fields need, no object would fit in the rest,
    HotSpot enlarges the class, or the program pads it."""
    enough = found.agreeing >= AGREEING
    if one is None:
        return enough
    more = found.least - sizes.by_fields(one)
    if any(above.name in ENLARGED for above in classes.line(one)):
        return enough or (dense and more <= LARGEST_ADDED)  # many have one instance only
    if not enough:
        return False
    if more < sizes.aligned(sizes.layout.header):
        return True
    return dense and more >= PADDING and 2 * found.agreeing >= found.all

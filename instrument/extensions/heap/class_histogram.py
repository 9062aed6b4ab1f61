"""Counts the objects of each class, and their bytes, in one pass over the dump, in memory that grows with the
classes only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from classhook.extensions.heap.heap import Heap
from classhook.extensions.heap.record_batches import Batch, Column, batches
from classhook.extensions.heap.tags import INSTANCE, NO_DATA, OBJECT_ARRAY, PRIMITIVE_ARRAY

CLASS_NAME = "java.lang.Class"


@dataclass(slots=True)
class Row:
    """The objects of the classes of one name."""

    count: int = 0
    bytes: int = 0


def histogram(heap: Heap) -> dict[str, Row]:
    """The rows by class name, the largest first. Classes of one name in several loaders are summed."""
    classes, counts, sizes = heap.classes, np.zeros(0, np.int64), np.zeros(0, np.int64)
    rows: dict[str, Row] = {}
    for batch in map(heap.flattened.objects, batches(heap.dump)):
        instances = batch.tagged(INSTANCE)
        arrays = batch.tagged(OBJECT_ARRAY, PRIMITIVE_ARRAY, NO_DATA)
        numbers = np.concatenate([classes.numbered(instances.of), numbers_of_arrays(heap, arrays)])
        room = max(len(classes) - len(counts), 0)
        counts, sizes = np.pad(counts, (0, room)), np.pad(sizes, (0, room))
        counts += np.bincount(numbers, minlength=len(counts))
        bytes_ = np.concatenate([np.zeros(len(instances)), heap.sizes.of_arrays(arrays)])
        sizes += np.bincount(numbers, bytes_, minlength=len(sizes)).astype(np.int64)
    for number in np.flatnonzero(counts).tolist():
        one = classes.all[number]
        row = rows.setdefault(one.name, Row())
        count, size = int(counts[number]), int(sizes[number])
        row.count += count
        row.bytes += size or count * heap.sizes.of_instance(classes, one)
    for one in classes.all:
        if one.known:
            row = rows.setdefault(CLASS_NAME, Row())
            row.count += 1
            row.bytes += heap.sizes.of_class(classes, one)
    return dict(sorted(rows.items(), key=lambda entry: (-entry[1].bytes, entry[0])))


def numbers_of_arrays(heap: Heap, arrays: Batch) -> Column:
    """Their classes."""
    of_objects = arrays.tag == OBJECT_ARRAY
    number = heap.classes.of_arrays(arrays.of & np.uint64(15))
    number[of_objects] = heap.classes.numbered(arrays.of[of_objects])
    return number

"""A heap dump's bytes, in which the objects have the traces that allocated them: four bytes of each record, which
HotSpot has no number for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from classhook.extensions.heap.heap import Heap
from classhook.extensions.heap.record_batches import Batch, Column, batches
from classhook.extensions.heap.tags import INSTANCE, OBJECT_ARRAY, PRIMITIVE_ARRAY
from classhook.extensions.hprof.profile_data import InHeap

PIECE = 1 << 20
NUMBER = 4  # bytes


def with_traces(heap: Heap, found: InHeap, end: int) -> Iterator[bytes]:
    """The dump until `end`, in pieces."""
    places, traces = _places(heap, found)
    digits = traces.astype(">u4").view(np.uint8).reshape(-1, NUMBER)
    for at in range(0, end, PIECE):
        piece = np.frombuffer(heap.dump.data[at : min(at + PIECE, end)], np.uint8).copy()
        first, last = np.searchsorted(places, (at - NUMBER, at + len(piece)))
        for i in range(NUMBER):
            to = places[first:last] + i - at
            inside = (to >= 0) & (to < len(piece))
            piece[to[inside]] = digits[first:last][inside, i]
        yield piece.tobytes()


def _places(heap: Heap, found: InHeap) -> tuple[Column, Column]:
    """The places in the dump of the known numbers of traces, and the numbers."""
    ids = np.fromiter(found.rows, np.uint64, len(found.rows))
    numbers = np.fromiter((found.trace(id_) for id_ in found.rows), np.uint32, len(found.rows))
    order = np.argsort(ids)
    ids, numbers = ids[order], numbers[order]
    places, traces = [np.zeros(0, np.int64)], [np.zeros(0, np.uint32)]
    for batch in batches(heap.dump):
        objects = batch.tagged(INSTANCE, OBJECT_ARRAY, PRIMITIVE_ARRAY)
        at = np.searchsorted(ids, objects.id).clip(0, max(len(ids) - 1, 0))
        known = ids[at] == objects.id
        places.append(_place(objects.where(known), heap.dump.id_size))
        traces.append(numbers[at[known]])
    return np.concatenate(places), np.concatenate(traces)


def _place(objects: Batch, id_size: int) -> Column:
    """The number follows the object's id; then come a class's id and a length, or a length and an element type."""
    behind = np.where(objects.tag == PRIMITIVE_ARRAY, NUMBER + NUMBER + 1, NUMBER + NUMBER + id_size)
    return objects.at.astype(np.int64) - behind

"""The graph of objects: references, dominators, retained sizes, and the shortest way to each object from a root.

An object dominates another one if all ways from the roots to that one go through it; without it, that one would be
garbage. Its retained size is its own size and those of all objects that it dominates. A WeakReference's or
PhantomReference's referent is not followed. The references of a flattened value are those of the object that holds it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from classhook.extensions.heap.library import NOBODY, data, ffi, lib, u8, u32, u64
from classhook.extensions.heap.object_columns import Objects
from classhook.extensions.heap.record_batches import Column
from classhook.extensions.heap.tags import CLASS, UNREACHABLE


@dataclass
class Graph:
    """`starts`, `targets`: the references of each object, one after the other."""

    objects: Objects
    starts: Column
    targets: Column
    roots: Column

    @cached_property
    def _graph(self) -> Any:
        return ffi.new(
            "struct ch_graph *",
            {
                "count": len(self.starts) - 1,
                "starts": u64(self.starts),
                "targets": u32(self.targets),
                "root_count": len(self.roots),
                "roots": u32(self.roots),
            },
        )

    @cached_property
    def dominated(self) -> tuple[Column, Column]:
        """The dominator of each object, NOBODY for none; and the objects in reach, each after its dominator. Raises
        MemoryError."""
        dominator, order = np.empty(len(self.starts) - 1, np.uint32), np.empty(len(self.starts) - 1, np.uint32)
        reached = lib.ch_heap_dominators(self._graph, u32(dominator), u32(order))
        if reached < 0:
            raise MemoryError
        return dominator, order[:reached].copy()

    @cached_property
    def reached(self) -> Column:
        """True if an object is in reach of the roots."""
        found = np.zeros(len(self.starts) - 1, bool)
        found[self.dominated[1]] = True
        return found

    @cached_property
    def retained(self) -> Column:
        """The bytes that each object retains; its own size out of reach."""
        dominator, order = self.dominated
        size = self.objects.size.copy()
        lib.ch_heap_retained(len(order), u32(order), u32(dominator), u64(size))
        return size

    @cached_property
    def topmost(self) -> Column:
        """Objects in reach that none of their own class dominates: what these retain can be added up."""
        dominator, order = self.dominated
        found = np.zeros(len(self.starts) - 1, np.uint8)
        kinds = np.where(self.objects.tag == CLASS, np.uint32(len(self.objects.heap.classes)), self.objects.cls).astype(
            np.uint32
        )
        if lib.ch_heap_topmost(
            len(found),
            len(order),
            u32(order),
            u32(dominator),
            u32(kinds),
            len(self.objects.heap.classes) + 1,
            u8(found),
        ):
            raise MemoryError
        return found.astype(bool)

    @cached_property
    def parent(self) -> Column:
        """The object before each one on a shortest way from a root, itself for a root, NOBODY out of reach. Raises
        MemoryError."""
        found = np.empty(len(self.starts) - 1, np.uint32)
        if lib.ch_heap_shortest(self._graph, u32(found)):
            raise MemoryError
        return found


def graph(all_: Objects) -> Graph:
    """Reads the references."""
    heap, classes = all_.heap, all_.heap.classes
    fields = [[at for _, at in classes.references(one)] for one in classes.all]
    refs = [[id_ for _, id_ in one.refs] for one in classes.all]
    class_objects = np.full(len(classes), NOBODY, np.uint32)
    own = np.flatnonzero(all_.tag == CLASS)
    class_objects[all_.cls[own]] = own
    columns = (
        _starts(fields),
        np.array([at for some in fields for at in some], np.uint32),
        _starts(refs),
        np.array([id_ for some in refs for id_ in some], np.uint64),
    )
    field_starts, flat_fields, ref_starts, flat_refs = columns
    whole = ffi.new(
        "struct ch_objects *",
        {
            "count": len(all_),
            "tag": u8(all_.tag),
            "id": u64(all_.id),
            "cls": u32(all_.cls),
            "length": u32(all_.length),
            "at": u64(all_.at),
            "field_starts": u64(field_starts),
            "fields": u32(flat_fields),
            "ref_starts": u64(ref_starts),
            "refs": u64(flat_refs),
            "objects": u32(class_objects),
            "part_count": len(all_.parts),
            "part_of": u32(all_.parts.of),
            "part_cls": u32(all_.parts.cls),
            "part_length": u32(all_.parts.length),
            "part_at": u64(all_.parts.at),
        },
    )
    starts = np.empty(len(all_) + 1, np.uint64)
    targets = np.empty(lib.ch_heap_most_references(whole), np.uint32)
    count = lib.ch_heap_references(
        data(heap.dump.data), len(heap.dump.data), heap.dump.id_size, whole, all_.index, u64(starts), u32(targets)
    )
    roots = all_.found(np.unique(heap.roots.id[heap.roots.tag != UNREACHABLE]))
    return Graph(all_, starts, targets[:count], roots[roots != NOBODY])


def _starts(lists: list[list[int]]) -> Column:
    return np.cumsum([0, *map(len, lists)], dtype=np.uint64)

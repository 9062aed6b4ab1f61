"""The graph of objects: references, dominators, retained sizes, and the shortest way to each object from a root.

An object dominates another one if all ways from the roots to that one go through it; without it, that one would be
garbage. Its retained size is its own size and those of all objects that it dominates. A WeakReference's or
PhantomReference's referent is not followed. The references of a flattened value are those of the object that holds it.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from classhook.base.errors import Failure
from classhook.extensions.heap.library import NOBODY, data, ffi, lib, u8, u32, u64
from classhook.extensions.heap.object_columns import Objects
from classhook.extensions.heap.record_batches import Column
from classhook.extensions.heap.rising import Rising
from classhook.extensions.heap.tags import CLASS, UNREACHABLE

TOO_MANY = -2
BLOCK = 1 << 20  # objects


class Graph:
    """The references of all objects. `roots`: objects, each once; `of_roots`: the object of each root of the dump, or
    NOBODY. What is cached takes memory for each object: `drop_sizes`."""

    def __init__(self, all_: Objects) -> None:
        """Reads the references. Raises MemoryError."""
        self.objects = all_
        self._members = {**all_.columns(), **_class_columns(all_), **_part_columns(all_)}
        self._objects: Any = ffi.new("struct ch_objects *", self._members)
        self.lists: Any = ffi.gc(ffi.new("struct ch_lists *"), lib.ch_heap_free_lists)
        bytes_ = all_.heap.dump.data
        if lib.ch_heap_references(
            data(bytes_), len(bytes_), all_.heap.dump.id_size, self._objects, all_.index.pointer, self.lists
        ):
            raise MemoryError
        self._starts = Rising(len(all_), self.lists.used)
        lib.ch_heap_list_starts(self.lists, self._starts.pointer)
        rows = all_.heap.roots
        self.of_roots = all_.found(rows.id)
        known = np.flatnonzero(rows.tag != UNREACHABLE)
        _, first = np.unique(rows.id[known], return_index=True)
        roots = self.of_roots[known[first]]
        self.roots = roots[roots != NOBODY]
        self._graph: Any = ffi.new(
            "struct ch_graph *",
            {
                "objects": self._objects,
                "lists": self.lists,
                "starts": self._starts.pointer,
                "root_count": len(self.roots),
                "roots": u32(self.roots),
            },
        )

    @cached_property
    def dominator(self) -> Column:
        """The dominator of each object, TOP for what only the roots dominate, NOBODY out of reach. Raises MemoryError,
        Failure."""
        self.objects.drop_index()
        found = np.empty(len(self.objects) + 1, np.uint32)
        reached = lib.ch_heap_dominators(self._graph, u32(found))
        if reached == TOO_MANY:
            raise Failure(f"{self.objects.heap.dump.path} has too many references; --show histogram works")
        if reached < 0:
            raise MemoryError
        return found[:-1]

    @property
    def reached(self) -> Column:
        """True if an object is in reach of the roots."""
        found: Column = self.dominator != NOBODY
        return found

    @cached_property
    def _sizes(self) -> tuple[Column, Column]:
        dominator, size = self.dominator, np.empty(len(self.objects), np.uint64)
        for start in range(0, len(size), BLOCK):
            size[start : start + BLOCK] = self.objects.size[start : start + BLOCK]
        topmost = np.empty(len(size), np.uint8)
        if lib.ch_heap_retained(self._objects, u32(dominator), u64(size), u8(topmost)):
            raise MemoryError
        return size, topmost.view(bool)

    @property
    def retained(self) -> Column:
        """The bytes that each object retains; its own size out of reach. Raises MemoryError, Failure."""
        return self._sizes[0]

    @property
    def topmost(self) -> Column:
        """Objects in reach that none of their own class dominates: what these retain can be added up."""
        return self._sizes[1]

    def drop_sizes(self) -> None:
        """Frees dominators and retained sizes."""
        for name in ("dominator", "_sizes"):
            self.__dict__.pop(name, None)

    @cached_property
    def parent(self) -> Column:
        """The object before each one on a shortest way from a root, itself for a root, NOBODY out of reach. Raises
        MemoryError."""
        return self.parents()

    def parents(self, without: int = NOBODY) -> Column:
        """The same, if the object `without` referred to nothing."""
        found = np.empty(len(self.objects), np.uint32)
        if lib.ch_heap_shortest(self._graph, without, u32(found)):
            raise MemoryError
        return found

    def ways(self, numbers: Column) -> tuple[Column, Column]:
        """The shortest ways to these objects, which are in reach, those over the same classes put together: the first
        position in `numbers` of an object with each, and to how many it leads. Raises MemoryError."""
        found = ffi.gc(ffi.new("struct ch_ways *"), lib.ch_heap_free_ways)
        if lib.ch_heap_ways(self._objects, u32(self.parent), u32(numbers), len(numbers), found):
            raise MemoryError
        first, count = (
            np.frombuffer(ffi.buffer(column, 4 * found.ways), np.uint32).astype(np.int64)
            for column in (found.first, found.count)
        )
        return first, count


def graph(all_: Objects) -> Graph:
    """Reads the references. Raises MemoryError."""
    return Graph(all_)


def _class_columns(all_: Objects) -> dict[str, Any]:
    """The members of a struct ch_objects that describe classes."""
    classes = all_.heap.classes
    fields = [[at for _, at in classes.references(one)] for one in classes.all]
    refs = [[id_ for _, id_ in one.refs] for one in classes.all]
    class_objects = np.full(len(classes), NOBODY, np.uint32)
    own = np.flatnonzero(all_.tag == CLASS)
    class_objects[all_.cls[own]] = own
    return {
        "field_starts": u64(_starts(fields)),
        "fields": u32(np.array([at for some in fields for at in some], np.uint32)),
        "ref_starts": u64(_starts(refs)),
        "refs": u64(np.array([id_ for some in refs for id_ in some], np.uint64)),
        "objects": u32(class_objects),
    }


def _part_columns(all_: Objects) -> dict[str, Any]:
    parts = all_.parts
    columns = {
        "part_of": u32(parts.of),
        "part_cls": u32(parts.cls),
        "part_length": u32(parts.length),
        "part_at": u64(parts.at),
    }
    return {"part_count": len(parts), **columns}


def _starts(lists: list[list[int]]) -> Column:
    return np.cumsum([0, *map(len, lists)], dtype=np.uint64)

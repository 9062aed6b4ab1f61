"""All objects of a dump as columns: 33 bytes of memory for each, besides what is made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from classhook.base.errors import Failure
from classhook.extensions.heap.class_histogram import CLASS_NAME, numbers_of_arrays
from classhook.extensions.heap.heap import Heap
from classhook.extensions.heap.library import NOBODY, ffi, lib, u32, u64
from classhook.extensions.heap.record_batches import OBJECT_TAGS, Batch, Column, batches, joined
from classhook.extensions.heap.tags import CLASS, INSTANCE

KINDS = (("tag", np.uint8), ("id", np.uint64), ("length", np.uint32), ("at", np.uint64))


@dataclass(slots=True)
class Parts:
    """Flattened values, in the order of the objects that hold them. `of`: that object; else as in `Objects`."""

    of: Column
    id: Column
    cls: Column
    length: Column
    at: Column

    def __len__(self) -> int:
        return len(self.of)

    def within(self, number: int) -> range:
        """The rows of an object."""
        return range(*np.searchsorted(self.of, (number, number + 1)).tolist())


@dataclass(slots=True)
class Objects:
    """`tag`, `id`, `length`, `at`: as in `Batch`; `cls`: number of the class, of a class its own; `size`: in the
    JVM."""

    heap: Heap
    tag: Column
    id: Column
    cls: Column
    length: Column
    at: Column
    size: Column
    parts: Parts
    index: Any  # struct ch_index, with what it points to
    _keep: list[Any]

    def __len__(self) -> int:
        return len(self.tag)

    def found(self, ids: Column) -> Column:
        """The objects with these ids, NOBODY where there is none."""
        numbers = np.empty(len(ids), np.uint32)
        lib.ch_heap_find(self.index, u64(np.ascontiguousarray(ids)), len(ids), u32(numbers))
        return numbers

    def number(self, id_: int) -> int | None:
        """The object with this id."""
        found = int(self.found(np.array([id_], np.uint64))[0])
        return None if found == NOBODY else found

    def instances_of(self, number: int) -> Column:
        """The objects of a class."""
        return np.flatnonzero((self.cls == number) & (self.tag != CLASS))

    def class_of(self, number: int) -> str:
        """The name of an object's class."""
        return CLASS_NAME if self.tag[number] == CLASS else self.heap.classes.all[self.cls[number]].name

    def label(self, number: int) -> str:
        """`java.util.HashMap@7f001234`, `class java.lang.String`, `byte[16]@7f001250`."""
        name = self.heap.classes.all[self.cls[number]].name
        if self.tag[number] == CLASS:
            return f"class {name}"
        if self.tag[number] != INSTANCE and name.endswith("[]"):
            element, _, more = name.partition("[]")
            name = f"{element}[{int(self.length[number])}]{more}"
        return f"{name}@{int(self.id[number]):x}"


def objects(heap: Heap) -> Objects:
    """Reads them. Raises BadDump, Failure."""
    batches_: list[tuple[Batch, Column, Column]] = []
    parts: list[tuple[Batch, Column]] = []
    count = 0
    for batch in batches(heap.dump):
        some = batch.where(np.isin(batch.tag, OBJECT_TAGS))
        flat = heap.flattened.parts(some)
        if flat is not None:
            parts.append((some.where(flat), (np.cumsum(~flat) + count - 1)[flat].clip(0).astype(np.uint32)))
            some = some.where(~flat)
        count += len(some)
        batches_.append((some, *_classes_and_sizes(heap, some)))
    tag, id_, length, at = (_column([getattr(batch, name) for batch, _, _ in batches_], kind) for name, kind in KINDS)
    cls, size = _column([of for _, of, _ in batches_], np.uint32), _column([size for _, _, size in batches_], np.uint64)
    del batches_
    if len(tag) >= NOBODY // 2:
        raise Failure(f"{heap.dump.path}: {len(tag):,} objects are too many; --show histogram works")
    size[tag == INSTANCE] = _sizes_of_instances(heap)[cls[tag == INSTANCE]]
    slot = np.empty(max(16, 1 << (2 * len(tag)).bit_length()), np.uint32)
    seed = int(np.random.default_rng().integers(1 << 62)) * 2 + 1
    index = ffi.new("struct ch_index *", {"id": u64(id_), "slot": u32(slot), "slots": len(slot), "seed": seed})
    lib.ch_heap_index(index, len(tag))
    return Objects(heap, tag, id_, cls, length, at, size, _parts(heap, parts), index, [id_, slot])


def _column(pieces: list[Column], kind: Any) -> Column:
    return np.concatenate([np.empty(0, kind), *pieces])


def _parts(heap: Heap, parts: list[tuple[Batch, Column]]) -> Parts:
    some = joined([batch for batch, _ in parts])
    return Parts(
        _column([of for _, of in parts], np.uint32), some.id, heap.classes.numbered(some.of), some.length, some.at
    )


def _classes_and_sizes(heap: Heap, some: Batch) -> tuple[Column, Column]:
    """Numbers of classes, and sizes of all but instances."""
    cls, size = np.zeros(len(some), np.uint32), np.zeros(len(some), np.uint64)
    instances, own = some.tag == INSTANCE, some.tag == CLASS
    arrays = ~(instances | own)
    cls[instances] = heap.classes.numbered(some.of[instances])
    cls[own] = heap.classes.numbered(some.id[own])
    cls[arrays] = numbers_of_arrays(heap, some.where(arrays))
    size[arrays] = heap.sizes.of_arrays(some.where(arrays))
    size[own] = [heap.sizes.of_class(heap.classes, heap.classes.all[number]) for number in cls[own]]
    return cls, size


def _sizes_of_instances(heap: Heap) -> Column:
    """The sizes of instances, by the number of the class."""
    return np.array([heap.sizes.of_instance(heap.classes, one) for one in heap.classes.all], np.uint64)

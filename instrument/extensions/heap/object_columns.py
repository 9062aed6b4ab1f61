"""All objects of a dump as columns.

1. Kept are an object's kind, its class and where it is in the file: some 4 bytes. All else is read from the file again,
   whenever it is asked for.
2. The index from ids to objects takes 5 bytes for each, so it is dropped while there is no use for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from classhook.base.errors import Failure
from classhook.extensions.heap.class_histogram import CLASS_NAME, numbers_of_arrays
from classhook.extensions.heap.heap import Heap
from classhook.extensions.heap.ids import Index, Range
from classhook.extensions.heap.library import NOBODY, data, ffi, lib, u8, u16, u32
from classhook.extensions.heap.record_batches import OBJECT_TAGS, Batch, Column, batches, empty, joined
from classhook.extensions.heap.rising import Rising
from classhook.extensions.heap.tags import CLASS, INSTANCE

WIDE = 1 << 16  # more classes do not fit in 16 bits
PIECE = 1 << 18  # objects that are described at once


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


class FromFile:
    """A column that is read from the file: `described[3]`, `described[5:9]`, `described[numbers or mask]`."""

    def __init__(self, count: int, read: Callable[[Column], Column]) -> None:
        """`read`: the values of the objects with these numbers."""
        self._count, self._read = count, read

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, chosen: Any) -> Any:
        if isinstance(chosen, slice):
            return self._pieces(np.arange(*chosen.indices(self._count), dtype=np.uint32))
        numbers = np.asarray(chosen)
        if numbers.ndim == 0:
            return self._read(numbers.reshape(1).astype(np.uint32))[0]
        return self._pieces(np.flatnonzero(numbers) if numbers.dtype == bool else numbers)

    def _pieces(self, numbers: Column) -> Column:
        starts = range(0, max(len(numbers), 1), PIECE)
        pieces = [self._read(numbers[start : start + PIECE].astype(np.uint32)) for start in starts]
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)


class Objects:
    """All objects, by number. `tag`, `id`, `length`, `at`: as in `Batch`; `cls`: number of the class, of a class its
    own; `size`: bytes in the JVM."""

    def __init__(self, heap: Heap, tag: Column, cls: Column, places: Rising, ids: Range, parts: Parts) -> None:
        self.heap, self.tag, self.cls, self.parts = heap, tag, cls, parts
        self._places, self._ids = places, ids
        self.pointer: Any = ffi.new("struct ch_objects *", self.columns())
        self.id, self.length, self.at = (
            FromFile(len(tag), lambda numbers, name=name: getattr(self.described(numbers), name))  # type: ignore[misc]
            for name in ("id", "length", "at")
        )
        self.size: Any = FromFile(len(tag), self._sizes)

    def columns(self) -> dict[str, Any]:
        """The members of a struct ch_objects that are known without the fields."""
        cls = {"cls": u16(self.cls)} if self.cls.dtype == np.uint16 else {"wide_cls": u32(self.cls)}
        classes = len(self.heap.classes)
        return {"count": len(self), "tag": u8(self.tag), "at": self._places.pointer, "classes": classes, **cls}

    def __len__(self) -> int:
        return len(self.tag)

    def described(self, numbers: Column) -> Batch:
        """The sub-records of objects."""
        batch = empty(len(numbers))
        into = ffi.new("struct ch_records *", batch.pointers())
        dump = self.heap.dump
        lib.ch_heap_describe(data(dump.data), dump.id_size, self.pointer, u32(numbers), len(numbers), into)
        return batch

    def _sizes(self, numbers: Column) -> Column:
        tag, cls = self.tag[numbers], self.cls[numbers]
        own = tag == CLASS
        size: Column = self._sizes_by_class[own.astype(np.uint8), cls]
        arrays = np.flatnonzero(~own & (tag != INSTANCE))
        size[arrays] = self.heap.sizes.of_arrays(self.described(numbers[arrays]))
        return size

    @cached_property
    def _sizes_by_class(self) -> Column:
        """The sizes of an instance of each class, and those of each class's own object."""
        sizes, classes = self.heap.sizes, self.heap.classes
        return np.array(
            [
                [sizes.of_instance(classes, one) for one in classes.all],
                [sizes.of_class(classes, one) for one in classes.all],
            ],
            np.uint64,
        )

    @cached_property
    def index(self) -> Index:
        """From ids to objects."""
        ids = None if self._ids.places(len(self)) else self.id[:]
        dump = self.heap.dump
        return Index(dump.data, dump.id_size, self.pointer, self._ids, ids)

    def drop_index(self) -> None:
        """Frees the index; it is made again when it is needed."""
        self.__dict__.pop("index", None)

    def found(self, ids: Column) -> Column:
        """The objects with these ids, NOBODY where there is none."""
        return self.index.found(ids)

    def number(self, id_: int) -> int | None:
        """The object with this id."""
        found = int(self.found(np.array([id_], np.uint64))[0])
        return None if found == NOBODY else found

    def instances_of(self, number: int) -> Column:
        """The objects of a class."""
        starts = range(0, max(len(self), 1), PIECE)
        pieces = (slice(start, start + PIECE) for start in starts)
        found = [
            np.flatnonzero((self.cls[piece] == number) & (self.tag[piece] != CLASS)).astype(np.uint32)
            + np.uint32(piece.start)
            for piece in pieces
        ]
        return np.concatenate(found)

    def kinds(self, chosen: Column | slice) -> Column:
        """The numbers of the classes of these objects; that of java.lang.Class is the number of all classes."""
        return np.where(self.tag[chosen] == CLASS, np.uint32(len(self.heap.classes)), self.cls[chosen])

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
    if heap.objects >= NOBODY // 2:
        raise Failure(f"{heap.dump.path}: {heap.objects:,} objects are too many; --show histogram works")
    tag, cls = np.empty(heap.objects, np.uint8), np.empty(heap.objects, np.uint16)
    places, ids = Rising(heap.objects, len(heap.dump.data)), Range()
    parts: list[tuple[Batch, Column]] = []
    count = 0
    for batch in batches(heap.dump):
        chosen = np.isin(batch.tag, OBJECT_TAGS)
        some = batch if chosen.all() else batch.where(chosen)
        flat = heap.flattened.parts(some)
        if flat is not None:
            parts.append((some.where(flat), (np.cumsum(~flat) + count - 1)[flat].clip(0).astype(np.uint32)))
            some = some.where(~flat)
        numbers = _classes_of(heap, some)
        if cls.dtype == np.uint16 and len(heap.classes) > WIDE:
            cls = cls.astype(np.uint32)
        end = count + len(some)
        tag[count:end], cls[count:end] = some.tag, numbers
        places.add(some.at)
        ids.add(some.id)
        count = end
    part_columns = _parts(heap, parts)
    return Objects(heap, tag[:count], cls[:count], places, ids, part_columns)


def _classes_of(heap: Heap, some: Batch) -> Column:
    """Numbers of classes."""
    cls = np.zeros(len(some), np.uint32)
    instances, own = some.tag == INSTANCE, some.tag == CLASS
    arrays = ~(instances | own)
    cls[instances] = heap.classes.numbered(some.of[instances])
    cls[own] = heap.classes.numbered(some.id[own])
    cls[arrays] = numbers_of_arrays(heap, some.where(arrays))
    return cls


def _parts(heap: Heap, parts: list[tuple[Batch, Column]]) -> Parts:
    some = joined([batch for batch, _ in parts])
    of = np.concatenate([np.empty(0, np.uint32), *(of for _, of in parts)])
    return Parts(of, some.id, heap.classes.numbered(some.of), some.length, some.at)

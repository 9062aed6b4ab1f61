"""HPROF's text of a heap, HEAP DUMP, from HotSpot's dump in the binary form.

1. The first pass, of the histogram, gives the number of objects and their bytes; the second one writes object by
   object.
2. The same form as HPROF's: an object has its references that lead somewhere, also those of flattened values in it, but
   no other values. Its trace is the one that allocated it, if that is known, else the empty one. Threads have the
   numbers of THREAD START.
3. The JVM's own data with a class's static fields (`<resolved_references>`) is left out: Java does not know it. HPROF's
   text has no interfaces and no sizes of instances of a class; the binary form has the sizes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np

from classhook.base.names import printable
from classhook.extensions.heap import tags, values
from classhook.extensions.heap.class_histogram import histogram
from classhook.extensions.heap.classes import PRIMITIVE, REFERENCE, Class
from classhook.extensions.heap.heap import Heap
from classhook.extensions.heap.record_batches import OBJECT_TAGS, Batch, batches
from classhook.extensions.heap.tags import CLASS, INSTANCE, NO_FRAME, OBJECT_ARRAY
from classhook.extensions.hprof.profile_data import FIRST_THREAD, NO_TRACE, InHeap

#: Tag, id, of, length, at; the size of an array.
Row = tuple[int, int, int, int, int, int]

#: A root's kind by its tag, with what the columns `of` and `length` are.
ROOTS = {
    tags.UNKNOWN_ROOT: "kind=<unknown>",
    tags.JNI_GLOBAL: "kind=<JNI global ref>, id={of:x}, trace={trace}",
    tags.JNI_LOCAL: "kind=<JNI local ref>, thread={thread}, frame={frame}",
    tags.JAVA_FRAME: "kind=<Java stack>, thread={thread}, frame={frame}",
    tags.NATIVE_STACK: "kind=<native stack>, thread={thread}",
    tags.STICKY_CLASS: "kind=<system class>",
    tags.THREAD_BLOCK: "kind=<thread block>, thread={thread}",
    tags.MONITOR_USED: "kind=<busy monitor>",
    tags.THREAD_OBJECT: "kind=<thread>, id={thread}, trace={stack}",
}
NAMES = {"superclass": "super", "class loader": "loader", "signers": "signers", "protection domain": "domain"}


def lines(heap: Heap, found: InHeap, time: str) -> Iterator[str]:
    rows = histogram(heap).values()
    text = _Text(heap, found)
    bytes_ = sum(row.bytes for row in rows) - text.bytes_of_list()
    yield f"HEAP DUMP BEGIN ({sum(row.count for row in rows) - len(found.list)} objects, {bytes_} bytes) {time}"
    for row, parts in heap.flattened.with_parts(_rows(heap)):
        if row[1] not in found.list:
            yield from text.lines_of(*row, parts)
    yield "HEAP DUMP END"


def _rows(heap: Heap) -> Iterator[Row]:
    for batch in batches(heap.dump):
        yield from zip(
            *(getattr(batch, name).tolist() for name in ("tag", "id", "of", "length", "at")),
            _array_sizes(heap, batch),
            strict=True,
        )


def _array_sizes(heap: Heap, batch: Batch) -> list[int]:
    """The sizes of arrays in the JVM; 0 for other objects."""
    tags = batch.tag
    arrays = np.isin(tags, OBJECT_TAGS) & (tags != CLASS) & (tags != INSTANCE)
    sizes = np.zeros(len(tags), np.uint64)
    sizes[arrays] = heap.sizes.of_arrays(batch.where(arrays))
    found: list[int] = sizes.tolist()
    return found


class _Text:
    """The lines of objects. The form of a class's instances is found out once."""

    def __init__(self, heap: Heap, found: InHeap) -> None:
        self._heap, self._dump, self._classes, self._found = heap, heap.dump, heap.classes, found
        self._looks: dict[int, tuple[str, list[tuple[str, int]], int, int]] = {}
        self._id = "Q" if heap.dump.id_size == 8 else "I"
        self._ids = {(one.name, one.loader): one.id for one in heap.classes.all}
        self._elements: dict[int, str] = {}

    def bytes_of_list(self) -> int:
        return sum(
            int(size) if tag != INSTANCE else self._look(of)[3]
            for batch in batches(self._dump)
            for tag, id_, of, size in zip(
                batch.tag.tolist(), batch.id.tolist(), batch.of.tolist(), _array_sizes(self._heap, batch), strict=True
            )
            if id_ in self._found.list and tag in OBJECT_TAGS
        )

    def lines_of(self, tag: int, id_: int, of: int, length: int, at: int, size: int, parts: list[Row]) -> Iterator[str]:
        if tag == INSTANCE:
            what, fields, least, size = self._look(of)
            yield f"OBJ {id_:x} (sz={size}, trace={self._found.trace(id_)}, {what}"
            if parts:
                yield from self._with_parts(tag, of, length, at, parts)
                return
            for name, place in fields if length >= least else ():
                value = self._dump.id_at(at + place)
                if value:
                    yield f"{name}{value:x}"
        elif tag == CLASS:
            yield from self._class(id_)
        elif tag == OBJECT_ARRAY:
            yield (
                f"ARR {id_:x} (sz={size}, trace={self._found.trace(id_)}, nelems={length}, elem"
                f" type={self._element(of)})"
            )
            if parts:
                yield from self._with_parts(tag, of, length, at, parts)
                return
            for i, value in enumerate(struct.unpack_from(f">{length}{self._id}", self._dump.data, at)):
                if value:
                    yield f"\t[{i}]\t\t{value:x}"
        elif tag in OBJECT_TAGS:
            yield (
                f"ARR {id_:x} (sz={size}, trace={self._found.trace(id_)}, nelems={length}, elem"
                f" type={PRIMITIVE[of][0]})"
            )
        else:
            thread, stack = self._found.threads.get(of, FIRST_THREAD), self._found.stacks.get(length, NO_TRACE)
            form = ROOTS.get(tag, ROOTS[tags.UNKNOWN_ROOT])
            frame = -1 if length == NO_FRAME else length
            yield f"ROOT {id_:x} ({form.format(of=of, frame=frame, trace=NO_TRACE, thread=thread, stack=stack)})"

    def _with_parts(self, tag: int, of: int, length: int, at: int, parts: list[Row]) -> Iterator[str]:
        """The references of an object that holds flattened values: also those of the values."""
        flat = {id_: values.Piece(self._class_of(of), length, at) for _, id_, of, length, at, _ in parts}
        for name, type_, value in values.contents(self._heap, tag, values.Piece(self._class_of(of), length, at), flat):
            if type_ == REFERENCE and isinstance(value, int) and value:
                yield f"{_field(name) if tag == INSTANCE else _element(name)}{value:x}"

    def _class_of(self, of: int) -> Class:
        number = self._classes.numbers.get(of)
        return self._classes.all[number] if number is not None else Class(of, self._dump.class_name(of))

    def _look(self, of: int) -> tuple[str, list[tuple[str, int]], int, int]:
        """The end of an object's first line, the references with their places, the least length that has them, and an
        object's size."""
        if of not in self._looks:
            one = self._class_of(of)
            fields = [
                (_field(name), place) for name, type_, place, _ in self._classes.layout(one) if type_ == REFERENCE
            ]
            size = self._heap.sizes.of_instance(self._classes, one)
            least = max((place for _, place in fields), default=0) + self._dump.id_size if fields else 0
            self._looks[of] = (f"class={printable(one.name)}@{of:x})", fields, least, size)
        return self._looks[of]

    def _element(self, of: int) -> str:
        """The class of an array's elements, with its id, of which the array's class is: both have the same loader."""
        if of not in self._elements:
            number = self._classes.numbers.get(of)
            name, loader = (
                self._dump.class_name(of).removesuffix("[]"),
                self._classes.all[number].loader if number is not None else 0,
            )
            id_ = self._ids.get((name, loader)) or self._ids.get((name, 0), 0)
            self._elements[of] = f"{printable(name)}@{id_:x}"
        return self._elements[of]

    def _class(self, id_: int) -> Iterator[str]:
        one = self._classes.all[self._classes.numbers[id_]]
        statics = {name for name, type_, _ in one.statics if type_ == REFERENCE}
        yield f"CLS {id_:x} (name={printable(one.name)}, trace={NO_TRACE})"
        for name, value in one.refs:
            if value and not name.startswith("<"):
                yield f"{_field(NAMES.get(name, f'static {name}' if name in statics else name))}{value:x}"


def _element(name: str) -> str:
    return f"\t{printable(name)}\t\t"


def _field(name: str) -> str:
    return f"\t{printable(name)}\t" + "\t" * (len(name) < 8)

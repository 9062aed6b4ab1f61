"""HPROF's text of a heap, HEAP DUMP, from HotSpot's dump in the binary form.

1. The first pass, of the histogram, gives the number of objects and their bytes; the second one writes object by object.
2. As of HPROF: an object has its references that lead somewhere, no other values. An object's trace is the empty one: HotSpot's dump does not know
   where it was allocated.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np

from instrument.heap.classes import PRIMITIVE, REFERENCE, Class
from instrument.heap.heap import Heap
from instrument.heap.histogram import histogram
from instrument.heap.records import CLASS, INSTANCE, OBJECT_ARRAY, OBJECT_TAGS, batches
from instrument.names import printable

NO_TRACE = 300_000  # HPROF's number of the empty trace
#: A root's kind by its tag, with what the columns `of` and `length` are.
ROOTS = {
    0xFF: "kind=<unknown>", 0x01: "kind=<JNI global ref>, id={of:x}, trace={trace}", 0x02: "kind=<JNI local ref>, thread={of}, frame={frame}",
    0x03: "kind=<Java stack>, thread={of}, frame={frame}", 0x04: "kind=<native stack>, thread={of}", 0x05: "kind=<system class>",
    0x06: "kind=<thread block>, thread={of}", 0x07: "kind=<busy monitor>", 0x08: "kind=<thread>, id={of}, trace={trace}",
}  # fmt: skip
NAMES = {"superclass": "super", "class loader": "loader", "signers": "signers", "protection domain": "domain"}


def lines(heap: Heap, time: str) -> Iterator[str]:
    rows = histogram(heap).values()
    yield f"HEAP DUMP BEGIN ({sum(row.count for row in rows)} objects, {sum(row.bytes for row in rows)} bytes) {time}"
    text = _Text(heap)
    for batch in batches(heap.dump):
        for row in zip(*(getattr(batch, name).tolist() for name in ("tag", "id", "of", "length", "at")), _array_sizes(heap, batch), strict=True):
            yield from text.of(*row)
    yield "HEAP DUMP END"


def _array_sizes(heap: Heap, batch: object) -> list[int]:
    """In the JVM; of what is no array 0."""
    tags = batch.tag  # type: ignore[attr-defined]
    arrays = np.isin(tags, OBJECT_TAGS) & (tags != CLASS) & (tags != INSTANCE)
    sizes = np.zeros(len(tags), np.uint64)
    sizes[arrays] = heap.sizes.of_arrays(batch.where(arrays))  # type: ignore[attr-defined]
    return sizes.tolist()


class _Text:
    """The lines of objects. What an instance of a class looks like is found out once."""

    def __init__(self, heap: Heap) -> None:
        self._heap, self._dump, self._classes = heap, heap.dump, heap.classes
        self._looks: dict[int, tuple[str, list[tuple[str, int]], int]] = {}
        self._name = {id_: printable(heap.dump.class_name(id_)) for id_ in heap.dump.classes}
        self._id = "Q" if heap.dump.id_size == 8 else "I"

    def of(self, tag: int, id_: int, of: int, length: int, at: int, size: int) -> Iterator[str]:
        if tag == INSTANCE:
            what, fields, least = self._look(of)
            yield f"OBJ {id_:x} ({what}"
            for name, place in fields if length >= least else ():
                value = self._dump.id_at(at + place)
                if value:
                    yield f"{name}{value:x}"
        elif tag == CLASS:
            yield from self._class(id_)
        elif tag == OBJECT_ARRAY:
            yield f"ARR {id_:x} (sz={size}, trace={NO_TRACE}, nelems={length}, elem type={self._element(of)}@{of:x})"
            for i, value in enumerate(struct.unpack_from(f">{length}{self._id}", self._dump.data, at)):
                if value:
                    yield f"\t[{i}]\t\t{value:x}"
        elif tag in OBJECT_TAGS:
            yield f"ARR {id_:x} (sz={size}, trace={NO_TRACE}, nelems={length}, elem type={PRIMITIVE[of][0]})"
        else:
            yield f"ROOT {id_:x} ({ROOTS.get(tag, ROOTS[0xFF]).format(of=of, frame=length, trace=NO_TRACE)})"

    def _look(self, of: int) -> tuple[str, list[tuple[str, int]], int]:
        """What follows `OBJ id (`, the references with their places, and the least length that has them."""
        if of not in self._looks:
            number = self._classes.numbers.get(of)
            one = self._classes.all[number] if number is not None else Class(of, self._dump.class_name(of))
            fields = [(_field(name), place) for name, type_, place, _ in self._classes.layout(one) if type_ == REFERENCE]
            size = self._heap.sizes.of_instance(self._classes, one)
            least = max((place for _, place in fields), default=0) + self._dump.id_size if fields else 0
            self._looks[of] = (f"sz={size}, trace={NO_TRACE}, class={printable(one.name)}@{of:x})", fields, least)
        return self._looks[of]

    def _element(self, of: int) -> str:
        return self._name.get(of, "").removesuffix("[]") or f"class-{of:x}"

    def _class(self, id_: int) -> Iterator[str]:
        one = self._classes.all[self._classes.numbers[id_]]
        statics = {name for name, type_, _ in one.statics if type_ == REFERENCE}
        yield f"CLS {id_:x} (name={printable(one.name)}, trace={NO_TRACE})"
        for name, value in one.refs:
            if value:
                yield f"{_field(NAMES.get(name, f'static {name}' if name in statics else name))}{value:x}"


def _field(name: str) -> str:
    return f"\t{printable(name)}\t" + "\t" * (len(name) < 8)

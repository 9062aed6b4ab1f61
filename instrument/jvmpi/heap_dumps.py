"""Heap dumps on levels 0, 1 and 2, as records: the JVM writes its dump to a temporary file, which is read again, record by record.

1. The file is deleted as soon as it is mapped; its pages go when the dump is forgotten.
2. Classes get the ids that they have in all other events, if their name is unique; so do threads, by the number that Java gives them. All
   other ids are the dump's own, addresses, and greater than any of ours.
3. Level 0 has the objects only. Level 1 has the roots, classes, and all references; level 2 the other values, too.
"""

from __future__ import annotations

import os
import shutil
import struct
import tempfile
from pathlib import Path

import classhook_jvmpi as native
import numpy as np

from instrument.agent.dumps import Dump
from instrument.errors import UsageError
from instrument.heap.classes import PRIMITIVE, REFERENCE, Class
from instrument.heap.dump import readable
from instrument.heap.heap import Heap, opened
from instrument.heap.records import CLASS, INSTANCE, OBJECT_ARRAY, OBJECT_TAGS, batches
from instrument.jvmpi.constants import CONSTANTS
from instrument.jvmpi.dump_records import FORMATS, ClassDump, InstanceDump, ObjArrayDump, ObjectRecord, PrimArrayDump, Root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

JNI_GLOBAL, THREAD_OBJECT = CONSTANTS["GC_ROOT_JNI_GLOBAL"], CONSTANTS["GC_ROOT_THREAD_OBJ"]
KNOWN_ROOTS = frozenset(range(1, 9))
UNKNOWN = CONSTANTS["GC_ROOT_UNKNOWN"]


class HeapDump:
    """The records of a dump; it can be iterated over several times."""

    def __init__(self, heap: Heap, level: int) -> None:
        self.heap = heap
        self.level = level
        self.ids = class_ids(heap)
        self.layouts: dict[int, tuple[struct.Struct, list[tuple[str, int]], list[int]]] = {}
        self.threads = threads(heap) if level else {}
        self.ids.update({id_: known for id_, known in self.threads.items() if id_ > 0})

    @classmethod
    def made(cls, level: int) -> HeapDump | None:
        """Of the heap as it is now; None if the JVM refuses."""
        folder = tempfile.mkdtemp(prefix="classhook-jvmpi-")
        path = os.path.join(folder, "heap.hprof")
        try:
            return cls(opened(Path(Dump().heap(path))), level)
        except (RuntimeError, UsageError):
            return None
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def __iter__(self) -> Iterator[Any]:
        return self.objects() if self.level == 0 else self.records()

    def rows(self) -> Iterator[tuple[int, int, int, int, int]]:
        """Sub-records: tag, id, of, length, at."""
        for batch in batches(self.heap.dump):
            yield from zip(*(getattr(batch, name).tolist() for name in ("tag", "id", "of", "length", "at")), strict=True)

    def objects(self) -> Iterator[ObjectRecord]:
        ids = self.ids
        of_class = next((id_ for id_, one in self.by_name() if one == "java.lang.Class"), 0)
        for tag, id_, of, _, _ in self.rows():
            if tag == INSTANCE:
                yield ObjectRecord(0, id_, ids.get(of, of))
            elif tag == CLASS:
                yield ObjectRecord(0, ids.get(id_, id_), of_class)
            elif tag == OBJECT_ARRAY:
                yield ObjectRecord(REFERENCE, id_, ids.get(of, of))
            elif tag in OBJECT_TAGS:
                yield ObjectRecord(of, id_, 0)

    def by_name(self) -> Iterator[tuple[int, str]]:
        for one in self.heap.classes.all:
            yield self.ids.get(one.id, one.id), one.name

    def records(self) -> Iterator[Any]:
        data, ids = self.heap.dump.data, self.ids
        wide = "Q" if self.heap.dump.id_size == 8 else "I"
        for tag, id_, of, length, at in self.rows():
            if tag == INSTANCE:
                yield self.instance(id_, of, length, at)
            elif tag == OBJECT_ARRAY:
                elements = struct.unpack_from(f">{length}{wide}", data, at)
                yield ObjArrayDump(id_, self.element_of(of), [ids.get(one, one) for one in elements])
            elif tag == CLASS:
                yield self.class_(self.heap.classes.all[self.heap.classes.numbers[id_]])
            elif tag in OBJECT_TAGS:
                yield PrimArrayDump(id_, of, length, bytes(data[at : at + length * PRIMITIVE[of][1]]) if self.level == 2 else None)
            else:
                known = tag if tag in KNOWN_ROOTS else UNKNOWN
                is_global = tag == JNI_GLOBAL
                frame = length if length != 0xFFFFFFFF and tag in (2, 3) else -1
                reference, thread = (of, 0) if is_global else (0, self.threads.get(-of, 0))
                yield Root(known, ids.get(id_, id_), reference, thread, frame)

    def instance(self, id_: int, of: int, length: int, at: int) -> InstanceDump:
        known = self.layouts.get(of)
        if known is None:
            known = self.layouts[of] = self.layout(of, length)
        form, layout, places = known
        ids = self.ids
        found = form.unpack_from(self.heap.dump.data, at)
        values = [ids.get(found[i], found[i]) if layout[n][1] == REFERENCE else found[i] for n, i in enumerate(places)]
        return InstanceDump(ids.get(id_, id_), ids.get(of, of), layout, values)

    def layout(self, of: int, length: int) -> tuple[struct.Struct, list[tuple[str, int]], list[int]]:
        """How a class's fields lie, those of this level, and their places."""
        wide = "Q" if self.heap.dump.id_size == 8 else "I"
        number = self.heap.classes.numbers.get(of)
        fields = [(name, type_) for name, type_, _, _ in self.heap.classes.layout(self.heap.classes.all[number])] if number is not None else []
        form = struct.Struct(">" + "".join(wide if type_ == REFERENCE else FORMATS[type_] for _, type_ in fields))
        if form.size > length:  # a superclass is missing
            return struct.Struct(""), [], []
        places = [i for i, (_, type_) in enumerate(fields) if self.level == 2 or type_ == REFERENCE]
        return form, [fields[i] for i in places], places

    def class_(self, one: Class) -> ClassDump:
        ids = self.ids
        statics = [(name, type_, ids.get(value, value) if type_ == REFERENCE else number(type_, value)) for name, type_, value in one.statics
                   if self.level == 2 or type_ == REFERENCE]  # fmt: skip
        made = ClassDump(ids.get(one.id, one.id), ids.get(one.superclass, one.superclass), one.loader, statics, one.name)
        made.signers_id, made.domain_id = (dict(one.refs).get(name, 0) for name in ("signers", "protection domain"))
        made.instance_size = one.least_size
        return made

    def element_of(self, array_class: int) -> int:
        """The id of the class of an array's elements."""
        name = self.heap.dump.class_name(array_class).removesuffix("[]")
        found = self.heap.classes.by_name.get(name)
        id_ = self.heap.classes.all[found].id if found is not None else 0
        return self.ids.get(id_, id_)


def number(type_: int, value: int) -> Any:
    return struct.unpack(">" + FORMATS[type_], value.to_bytes(PRIMITIVE[type_][1], "big"))[0]


def class_ids(heap: Heap) -> dict[int, int]:
    """From the dump's ids of classes to ours."""
    ours: dict[str, list[int]] = {}
    for signature, id_ in native.class_names():
        name = signature[1:-1] if signature[0] == "L" else signature
        ours.setdefault(readable(name), []).append(id_)
    theirs: dict[str, list[int]] = {}
    for one in heap.classes.all:
        theirs.setdefault(one.name, []).append(one.id)
    return {ids[0]: ours[name][0] for name, ids in theirs.items() if ids[0] and len(ids) == 1 and len(ours.get(name, ())) == 1}


def threads(heap: Heap) -> dict[int, int]:
    """From the ids of threads' objects to ours, and from the dump's numbers of threads, as negative numbers."""
    numbers = dict(native.thread_numbers())
    roots = heap.roots.tagged(THREAD_OBJECT)
    serials = dict(zip(roots.id.tolist(), roots.of.tolist(), strict=True))
    found: dict[int, int] = {}
    for batch in batches(heap.dump):
        chosen = batch.where(np.isin(batch.id, roots.id) & (batch.tag == INSTANCE))
        for id_, of, at in zip(chosen.id.tolist(), chosen.of.tolist(), chosen.at.tolist(), strict=True):
            line = heap.classes.layout(heap.classes.all[heap.classes.numbers[of]])
            place = next((place for name, _, place, declaring in line if name == "tid" and declaring.name == "java.lang.Thread"), None)
            if place is None:
                continue
            known = numbers.get(int.from_bytes(heap.dump.data[at + place : at + place + 8], "big"))
            if known:
                found[id_] = found[-serials[id_]] = known
    return found

"""Heap dumps on levels 0, 1 and 2, as records: the JVM writes its dump to a temporary file, which is read again, record
by record.

1. The file is deleted as soon as it is mapped; its pages go when the dump is forgotten.
2. Objects with an id in other events have it here: the agent puts these objects, and their ids, into arrays of Java's,
   and the dump has both (native/extensions/jvmpi/heap_tables.c). All other ids are the dump's own, addresses, and
   greater than any of ours.
3. A flattened value is no object, and level 0 leaves it out. JVMPI has no form for it, so the other levels show it as
   an object, with an id that has the highest bit set.
4. Level 0 has the objects only. Level 1 has the roots, classes, and all references; level 2 the other values, too.
"""

from __future__ import annotations

import os
import shutil
import struct
import tempfile
import threading
from pathlib import Path

import numpy as np

from classhook.agent.dumps import Dump
from classhook.base.embedded import jvmpi as native
from classhook.base.errors import UsageError
from classhook.extensions.heap import tags
from classhook.extensions.heap.classes import PRIMITIVE, REFERENCE, Class
from classhook.extensions.heap.heap import Heap, opened
from classhook.extensions.heap.record_batches import OBJECT_TAGS, batches
from classhook.extensions.heap.tags import CLASS, INSTANCE, OBJECT_ARRAY, PRIMITIVE_ARRAY
from classhook.extensions.jvmpi import constants
from classhook.extensions.jvmpi.dump_records import (
    FORMATS,
    ClassDump,
    InstanceDump,
    ObjArrayDump,
    ObjectRecord,
    PrimArrayDump,
    Root,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

JNI_GLOBAL, THREAD_OBJECT = constants.GC_ROOT_JNI_GLOBAL, constants.GC_ROOT_THREAD_OBJ
KNOWN_ROOTS = frozenset(range(1, 9))
UNKNOWN = constants.GC_ROOT_UNKNOWN
LONG = constants.LONG
#: Threads that dump the heap take turns: one puts what has an id into its arrays, and takes these away again.
ONE_AT_A_TIME = threading.Lock()


FLATTENED = 1 << 63  # in an id


class Ids(dict[int, int]):
    """Maps the dump's ids to ours, where there is one. `mask`: bits of an id that only flattened values have."""

    def __init__(self, known: dict[int, int], mask: int) -> None:
        super().__init__(known)
        self._mask = mask

    def get(self, id_: int, default: Any = 0) -> Any:
        return id_ | FLATTENED if id_ & self._mask else super().get(id_, default)


class HeapDump:
    """The records of a dump; it can be iterated over several times."""

    def __init__(self, heap: Heap, level: int, marker: int, length: int) -> None:
        """Raises UsageError if the dump lacks the arrays with the ids."""
        self.heap = heap
        self.level = level
        self.ids, self.ours = known_ids(heap, marker, length)
        if heap.flattened.mask:
            self.ids = Ids(self.ids, heap.flattened.mask)
        self.layouts: dict[int, tuple[struct.Struct, list[tuple[str, int]], list[int]]] = {}
        self.is_backwards = is_backwards(heap, self.ids)
        roots = heap.roots.tagged(THREAD_OBJECT)
        #: Ids of threads, by the dump's numbers.
        self.threads = {
            serial: self.ids[id_]
            for id_, serial in zip(roots.id.tolist(), roots.of.tolist(), strict=True)
            if id_ in self.ids
        }

    @classmethod
    def made(cls, level: int) -> HeapDump | None:
        """A dump of the heap as it is now; None if the JVM refuses, or if it cannot be known which objects have the ids
        of other events."""
        folder = tempfile.mkdtemp(prefix="classhook-jvmpi-")
        path = os.path.join(folder, "heap.hprof")
        marker = int.from_bytes(os.urandom(7), "big")
        with ONE_AT_A_TIME:
            native.classes(), native.threads()  # have ids from now on
            length = native.hold_known(marker)
            try:
                if length is None:
                    raise RuntimeError("ids of other events are not known now, and without them the dump is of no use")
                written = Dump().heap(path)
            except RuntimeError:
                shutil.rmtree(folder, ignore_errors=True)
                return None
            finally:
                native.drop_known()
        try:
            return cls(opened(Path(written)), level, marker, length)
        except UsageError:
            return None
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def __iter__(self) -> Iterator[Any]:
        return self.objects() if self.level == 0 else self.records()

    def rows(self) -> Iterator[tuple[int, int, int, int, int]]:
        """Sub-records: tag, id, of, length, at."""
        for batch in batches(self.heap.dump):
            if self.level == 0:
                batch = self.heap.flattened.objects(batch)
            if self.ours:
                batch = batch.where(~np.isin(batch.id, [*self.ours]))
            yield from zip(
                *(getattr(batch, name).tolist() for name in ("tag", "id", "of", "length", "at")), strict=True
            )

    def objects(self) -> Iterator[ObjectRecord]:
        ids = self.ids
        of_class = next((id_ for id_, one in self.by_name() if one == "java.lang.Class"), 0)
        for tag, id_, of, _, _ in self.rows():
            if tag == INSTANCE:
                yield ObjectRecord(0, ids.get(id_, id_), ids.get(of, of))
            elif tag == CLASS:
                yield ObjectRecord(0, ids.get(id_, id_), of_class)
            elif tag == OBJECT_ARRAY:
                yield ObjectRecord(REFERENCE, ids.get(id_, id_), ids.get(of, of))
            elif tag in OBJECT_TAGS:
                yield ObjectRecord(of, ids.get(id_, id_), 0)

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
                yield ObjArrayDump(ids.get(id_, id_), self.element_of(of), [ids.get(one, one) for one in elements])
            elif tag == CLASS:
                yield self.class_(self.heap.classes.all[self.heap.classes.numbers[id_]])
            elif tag in OBJECT_TAGS:
                yield PrimArrayDump(
                    ids.get(id_, id_),
                    of,
                    length,
                    bytes(data[at : at + length * PRIMITIVE[of][1]]) if self.level == 2 else None,
                )
            else:
                known = tag if tag in KNOWN_ROOTS else UNKNOWN
                is_global = tag == JNI_GLOBAL
                frame = length if length != tags.NO_FRAME and tag in tags.WITH_FRAMES else -1
                reference, thread = (of, 0) if is_global else (0, self.threads.get(of, 0))
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
        """The layout of a class's fields, the fields of this level, and their places."""
        wide = "Q" if self.heap.dump.id_size == 8 else "I"
        number = self.heap.classes.numbers.get(of)
        line = self.heap.classes.line(self.heap.classes.all[number]) if number is not None else []
        fields: list[tuple[str, int]] = []  # as the dump has them
        order: list[int] = []  # their places, in the order of other events
        for declaring in line:
            order += self.in_order([*range(len(fields), len(fields) + len(declaring.fields))])
            fields += declaring.fields
        form = struct.Struct(">" + "".join(wide if type_ == REFERENCE else FORMATS[type_] for _, type_ in fields))
        if form.size > length:  # a superclass is missing
            return struct.Struct(""), [], []
        places = [i for i in order if self.level == 2 or fields[i][1] == REFERENCE]
        return form, [fields[i] for i in places], places

    def in_order(self, fields: list[Any]) -> list[Any]:
        """A class's fields, or what belongs to them, in the order of CLASS_LOAD and OBJECT_DUMP."""
        return fields[::-1] if self.is_backwards else fields

    def class_(self, one: Class) -> ClassDump:
        ids = self.ids
        statics = [
            (name, type_, ids.get(value, value) if type_ == REFERENCE else number(type_, value))
            for name, type_, value in self.in_order(one.statics)
            if (self.level == 2 or type_ == REFERENCE) and name[0] != "<"  # else they are the JVM's own
        ]
        made = ClassDump(
            ids.get(one.id, one.id),
            ids.get(one.superclass, one.superclass),
            ids.get(one.loader, one.loader),
            statics,
            one.name,
        )
        made.signers_id, made.domain_id = (
            ids.get(id_, id_) for id_ in (dict(one.refs).get(name, 0) for name in ("signers", "protection domain"))
        )
        made.instance_size = one.least_size
        made.interfaces = native.interfaces(made.class_id)
        return made

    def element_of(self, array_class: int) -> int:
        """The id of the class of an array's elements."""
        name = self.heap.dump.class_name(array_class).removesuffix("[]")
        found = self.heap.classes.by_name.get(name)
        id_ = self.heap.classes.all[found].id if found is not None else 0
        return self.ids.get(id_, id_)


def is_backwards(heap: Heap, ids: Mapping[int, int]) -> bool:
    """True if the JVM writes the fields of a class last to first, as HotSpot does before JDK 21. (A class with many
    fields tells.)"""
    one = heap.classes.all[heap.classes.by_name["java.lang.Thread"]]
    (rows,) = native.class_parts(ids.get(one.id, 0), "F") or ([],)
    known = [name for name, _ in rows]
    return [name for name, _ in one.fields] == known[::-1] != known


def number(type_: int, value: int) -> Any:
    return struct.unpack(">" + FORMATS[type_], value.to_bytes(PRIMITIVE[type_][1], "big"))[0]


def known_ids(heap: Heap, marker: int, length: int) -> tuple[dict[int, int], frozenset[int]]:
    """Maps the dump's ids to ours; and the arrays from which this is known, which are the agent's. Raises UsageError if
    they are not there."""
    wide = ">u8" if heap.dump.id_size == 8 else ">u4"
    longs = [
        row for row in arrays(heap, PRIMITIVE_ARRAY, length) if row[1] == LONG and number_at(heap, row[2]) == marker
    ]
    for holder, _, at in arrays(heap, OBJECT_ARRAY, 2) if longs else ():
        objects, ids = np.frombuffer(heap.dump.data, wide, 2, at).tolist()
        if ids == longs[0][0]:
            theirs = next(at for id_, _, at in arrays(heap, OBJECT_ARRAY, length) if id_ == objects)
            addresses = np.frombuffer(heap.dump.data, wide, length, theirs)
            numbers = np.frombuffer(heap.dump.data, ">u8", length, longs[0][2])
            there = addresses != 0
            return dict(zip(addresses[there].tolist(), numbers[there].tolist(), strict=True)), frozenset(
                (holder, objects, ids)
            )
    raise UsageError("the dump lacks the ids of other events")


def arrays(heap: Heap, tag: int, length: int) -> list[tuple[int, int, int]]:
    """The arrays of a length: id, type, place of the elements."""
    found: list[tuple[int, int, int]] = []
    for batch in batches(heap.dump):
        chosen = batch.where((batch.tag == tag) & (batch.length == length))
        found += zip(chosen.id.tolist(), chosen.of.tolist(), chosen.at.tolist(), strict=True)
    return found


def number_at(heap: Heap, at: int) -> int:
    return int.from_bytes(heap.dump.data[at : at + 8], "big")

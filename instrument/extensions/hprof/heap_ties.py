"""Ties of a heap dump to the measurements: where each object was allocated, and which of the dump's threads is which.

1. HotSpot's dump has no allocation traces. But there is a list in the heap, of the objects that were sampled
   (native/objects/listed_objects.c): an array of objects, first an array of long that begins with LIST, then weak
   references. It gives each object's row in the data file.
2. The dump has numbers of its own for threads and their stacks. A thread's object has the number that Java gives it, as
   the data file has.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from classhook.base.names import shortened
from classhook.extensions.heap.heap import Heap
from classhook.extensions.heap.record_batches import Batch, batches
from classhook.extensions.heap.tags import INSTANCE, OBJECT_ARRAY, PRIMITIVE_ARRAY, THREAD_OBJECT
from classhook.extensions.hprof.profile_data import FIRST_THREAD, Frame, InHeap, OfProcess, Profile
from classhook.model.stacks import NATIVE

LIST = b"CLSHOOK\nOBJECTS\n"
LONG, LONG_BYTES, HEAD = 11, 8, 3


@dataclass(slots=True)
class Ties:
    """`pid`: whose heap it is, 0 if nobody said it; `rows`: by object, its row among the sampled ones; `list`: objects
    that are not the program's; `threads`: the numbers that Java gives, by the dump's; `objects`: of threads, by
    these."""

    pid: int = 0
    rows: dict[int, int] = field(default_factory=dict)
    list: set[int] = field(default_factory=set)
    threads: dict[int, int] = field(default_factory=dict)
    objects: dict[int, int] = field(default_factory=dict)


def tie(found: Profile, heap: Heap) -> None:
    """Adds what the dump has of the profile's threads and objects."""
    told = ties(heap)
    process = found.processes.get(told.pid)
    if process is None:  # of one process it must be
        process = next(iter(found.processes.values())) if len(found.processes) == 1 else OfProcess(FIRST_THREAD, {})
    made = found.heap = InHeap(rows=told.rows, list=told.list)
    for row in set(told.rows.values()):
        if row in process.stacks:
            made.traces[row] = found.trace(*process.stacks[row])
    made.threads = {serial: process.first + number for serial, number in told.threads.items()}
    made.objects = {process.first + number: id_ for number, id_ in told.objects.items()}
    for serial, (_, ids) in heap.dump.traces.items():
        if ids:
            made.stacks[serial] = found.trace(tuple(_frame(heap, id_) for id_ in ids))


def ties(heap: Heap) -> Ties:
    """Looks through the dump, two times more."""
    found = Ties()
    numbers = _threads_and_list(heap, found)
    if numbers:
        _find_list(heap, found, *numbers)
    return found


def _frame(heap: Heap, id_: int) -> Frame:
    dump, known = heap.dump, heap.dump.frames.get(id_)
    if known is None:
        return Frame("", "[unknown]", "", "")
    source = dump.name(known.source) if known.source in dump.names else ""
    cls, method, descriptor, source = map(
        shortened,
        (
            dump.class_name(dump.serials.get(known.class_serial, 0)),
            dump.name(known.method),
            dump.name(known.signature),
            source,
        ),
    )
    return Frame(cls, method, descriptor, source, known.line if known.line == NATIVE else max(known.line, 0))


def _threads_and_list(heap: Heap, found: Ties) -> tuple[int, list[int]] | None:
    """Notes the threads; returns the id of the list's first element, and the rows."""
    roots = heap.roots.tagged(THREAD_OBJECT)
    serials = dict(zip(roots.id.tolist(), roots.of.tolist(), strict=True))
    numbers = None
    for batch in batches(heap.dump):
        chosen = batch.where((batch.tag == INSTANCE) & np.isin(batch.id, roots.id))
        for id_, of, at in zip(chosen.id.tolist(), chosen.of.tolist(), chosen.at.tolist(), strict=True):
            place = _place(heap, of, "tid", "java.lang.Thread")
            if place is not None:
                number = int.from_bytes(heap.dump.data[at + place : at + place + LONG_BYTES], "big")
                found.threads[serials[id_]] = number
                found.objects[number] = id_
        longs = batch.where((batch.tag == PRIMITIVE_ARRAY) & (batch.of == LONG) & (batch.length >= HEAD))
        for id_, at, length in zip(longs.id.tolist(), longs.at.tolist(), longs.length.tolist(), strict=True):
            if heap.dump.data[at : at + len(LIST)] == LIST:
                values = np.frombuffer(heap.dump.data[at : at + length * LONG_BYTES], ">i8")[HEAD - 1 :].tolist()
                found.pid, numbers = values[0], (id_, values[1:])
    return numbers


def _find_list(heap: Heap, found: Ties, first: int, rows: list[int]) -> None:
    """The list, and the objects that its weak references lead to."""
    dump, size = heap.dump, heap.dump.id_size
    of_references, referents, references = _class_named(heap, "java.lang.ref.WeakReference"), [], np.zeros(0, np.uint64)
    place = _place(heap, of_references, "referent", "java.lang.ref.Reference") or 0
    for batch in batches(dump):
        for id_, at, length in _arrays(batch, len(rows) + 1):
            if dump.id_at(at) == first:
                found.list |= {id_, first}
                references = np.frombuffer(dump.data[at + size : at + length * size], f">u{size}").astype(np.uint64)
        referents.append(batch.where((batch.tag == INSTANCE) & (batch.of == of_references)))
    row_of = dict(zip(references.tolist(), rows, strict=False))
    row_of.pop(0, None)  # for those there was no room
    for some in referents:
        for id_, at in zip(some.id.tolist(), some.at.tolist(), strict=True):
            if id_ in row_of:
                found.list.add(id_)
                found.rows[dump.id_at(at + place)] = row_of[id_]
    found.rows.pop(0, None)  # collected meanwhile


def _arrays(batch: Batch, least: int) -> list[tuple[int, int, int]]:
    arrays = batch.where((batch.tag == OBJECT_ARRAY) & (batch.length >= least))
    return list(zip(arrays.id.tolist(), arrays.at.tolist(), arrays.length.tolist(), strict=True))


def _class_named(heap: Heap, name: str) -> int:
    number = heap.classes.by_name.get(name)
    return heap.classes.all[number].id if number is not None else 0


def _place(heap: Heap, of: int, name: str, declaring: str) -> int | None:
    """The place of a field in an instance of a class."""
    number = heap.classes.numbers.get(of)
    layout = heap.classes.layout(heap.classes.all[number]) if number is not None else ()
    return next((place for one, _, place, by in layout if one == name and by.name == declaring), None)

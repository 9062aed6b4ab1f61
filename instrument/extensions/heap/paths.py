"""Ways from the roots to an object: which field of what refers to it, and which thread, frame or class begins the
way."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from classhook.base.names import several
from classhook.extensions.heap import tags, values
from classhook.extensions.heap.graph import Graph
from classhook.extensions.heap.library import NOBODY
from classhook.extensions.heap.record_batches import Column

ROOTS = {
    tags.UNKNOWN_ROOT: "unknown root",
    tags.JNI_GLOBAL: "JNI global reference",
    tags.JNI_LOCAL: "JNI local reference",
    tags.JAVA_FRAME: "local variable",
    tags.NATIVE_STACK: "native stack",
    tags.STICKY_CLASS: "system class",
    tags.THREAD_BLOCK: "thread block",
    tags.MONITOR_USED: "monitor in use",
    tags.THREAD_OBJECT: "thread",
    tags.INTERNED_STRING: "interned string",
    tags.FINALIZING: "being finalized",
    tags.DEBUGGER: "debugger",
    tags.REFERENCE_CLEANUP: "reference cleanup",
    tags.VM_INTERNAL: "of the VM",
    tags.JNI_MONITOR: "JNI monitor",
}
OF_THREADS = (
    tags.JNI_LOCAL,
    tags.JAVA_FRAME,
    tags.NATIVE_STACK,
    tags.THREAD_BLOCK,
    tags.THREAD_OBJECT,
    tags.JNI_MONITOR,
)
MOST = 100  # ways to the objects of a class
SHOWN = 10  # steps at either end of a way


@dataclass(slots=True)
class Way:
    """`steps`: what refers to the object, innermost first, as `field of label`; `count`: how many objects have a way
    like it."""

    steps: list[str]
    root: str
    count: int = 1


@dataclass
class Roots:
    """Names of roots, and of the threads that they belong to."""

    graph: Graph

    def __post_init__(self) -> None:
        rows = self.graph.objects.heap.roots
        numbers = self.graph.of_roots
        known = np.flatnonzero(numbers != NOBODY)
        self.numbers, first = np.unique(numbers[known], return_index=True)
        self.rows = rows.where(known[first])  # of the object at the same position in `numbers`
        threads = rows.tag == tags.THREAD_OBJECT
        #: By serial number: the thread's object, the serial number of its stack trace.
        self.threads: dict[int, tuple[int, int]] = {
            serial: (number, trace)
            for number, serial, trace in zip(
                *(column[threads].tolist() for column in (numbers, rows.of, rows.length)), strict=True
            )
        }

    def thread_name(self, serial: int) -> str | None:
        """A thread's name; None if it is not known."""
        number, _ = self.threads.get(serial, (NOBODY, 0))
        all_ = self.graph.objects
        if number == NOBODY:
            return None
        name = values.field(all_, number, "name")
        named = all_.number(name) if isinstance(name, int) else None
        return values.string(all_, named) if named is not None else None

    def thread(self, serial: int) -> str:
        """A thread, in words."""
        text = self.thread_name(serial)
        return f"thread {text!r}" if text else f"thread {serial}"

    def label(self, number: int) -> str:
        """`local variable of thread 'main', at com.acme.Main.run(Main.java:17)`."""
        at = int(np.searchsorted(self.numbers, number))
        if at == len(self.numbers) or self.numbers[at] != number:
            return ROOTS[tags.UNKNOWN_ROOT]
        tag, serial, frame = (int(column[at]) for column in (self.rows.tag, self.rows.of, self.rows.length))
        name = ROOTS.get(tag, "unknown root")
        if tag not in OF_THREADS:
            return name
        who = self.thread(serial)
        if tag == tags.THREAD_OBJECT:
            return who
        place = ""
        frames = self.frames(serial)
        if tag in tags.WITH_FRAMES and frame < len(frames):
            place = f", at {self.graph.objects.heap.dump.frame_label(frames[frame])}"
        return f"{name} of {who}{place}"

    def frames(self, serial: int) -> list[int]:
        """The ids of a thread's frames."""
        _, trace = self.threads.get(serial, (NOBODY, 0))
        return self.graph.objects.heap.dump.traces.get(trace, (0, []))[1]


def way(graph: Graph, roots: Roots, number: int) -> Way | None:
    """A shortest way from a root to an object, None if it is out of reach. The middle of a long one is left out."""
    parent = graph.parent
    if parent[number] == NOBODY:
        return None
    chain = [number]
    while (above := int(parent[chain[-1]])) != chain[-1]:
        chain.append(above)
    pairs = [*pairwise(chain)]
    left = len(pairs) - 2 * SHOWN
    shown = pairs if left <= 1 else pairs[:SHOWN] + pairs[-SHOWN:]
    steps = [f"{referring(graph, above, below)} of {graph.objects.label(above)}" for below, above in shown]
    if left > 1:
        steps.insert(SHOWN, f"... {several(left, 'more step')} ...")
    return Way(steps, roots.label(chain[-1]))


def referring(graph: Graph, above: int, below: int) -> str:
    """The name of the field, element or relation by which an object refers to another one."""
    id_ = int(graph.objects.id[below])
    for name, _, value in values.fields(graph.objects, above):
        if value == id_:
            return name
    return "class"


def holding(graph: Graph, number: int, flattened: int) -> str:
    """The name of a field or element in which an object holds a flattened value of a class."""
    id_ = graph.objects.heap.classes.all[flattened].id
    return next(
        (name for name, type_, value in values.fields(graph.objects, number) if type_ == values.FLAT and value == id_),
        "part",
    )


def ways(graph: Graph, roots: Roots, numbers: Column, flattened: int | None = None) -> list[Way]:
    """Ways to many objects, those over the same classes put together; the most common first. `flattened`: the number of
    a class of which each of these objects holds a flattened value, to which the way leads.

    A way's key is that of the way to the object before, with the object's class if that is not in it yet; so a list is
    one step.
    """
    all_ = graph.objects
    numbers = numbers[graph.parent[numbers] != NOBODY]
    firsts, counts = graph.ways(numbers)
    found: list[Way] = []
    for i in np.lexsort((firsts, -counts))[:MOST].tolist():
        example = int(numbers[firsts[i]])
        if one := way(graph, roots, example):
            held = [] if flattened is None else [f"{holding(graph, example, flattened)} of {all_.label(example)}"]
            found.append(Way(held + one.steps, one.root, int(counts[i])))
    return found

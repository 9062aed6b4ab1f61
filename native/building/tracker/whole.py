"""The tracker class from its parts."""

from __future__ import annotations

from classhook.native.building.tracker import (
    comparisons,
    contexts,
    counting,
    coverage,
    events,
    fields,
    keys,
    mounting,
    moving,
    paths,
    starting,
    timing,
    waiting,
    watching,
)
from classhook.native.building.tracker.field_code import PLACE
from classhook.native.building.tracker.thread_slots import Tracker

#: In the order in which they initialise their fields and are linked.
PARTS = tuple(
    module.PART
    for module in (
        starting,
        counting,
        timing,
        paths,
        coverage,
        moving,
        mounting,
        contexts,
        keys,
        events,
        watching,
        waiting,
        fields,
        comparisons,
    )
)
NATIVES = {name: descriptor for part in PARTS for name, descriptor in part.natives.items()}


def made(carriers: bool, values: bool = False) -> bytes:
    """The class file. `carriers`: for JDKs that have Thread.currentCarrierThread (19 and later); `values`: for JVMs
    that have value objects."""
    public, package, not_inlined = (
        frozenset(name for part in PARTS for name in getattr(part, kind))
        for kind in ("public", "package", "not_inlined")
    )
    t = Tracker(NATIVES, public, package, not_inlined, carriers, values)
    for name, descriptor in NATIVES.items():
        t.method(name, descriptor)
    for part in PARTS:
        for name, descriptor in part.fields.items():
            t.declare(name, descriptor, stable=name in part.stable)
    elements(t)
    for part in PARTS:
        part.add(t)
    t.method("<clinit>", "()V", [*(one for part in PARTS for one in part.initialise(t)), ("return",)], stack=5)
    link(t)
    return t.bytes()


def elements(t: Tracker) -> None:
    """The fields of objects of the class, which are elements of KNOWN (keys.py) and FIELDS (fields.py)."""
    for name, descriptor in {"slot": "I", "key": "I", **PLACE}.items():
        t.declare(name, descriptor, static=False, final=descriptor == "I", stable=True)


def link(t: Tracker) -> None:
    """``link(int slot)`` calls each native once, with slots that belong to no probe: from `slot` on an allocation's,
    which serve as those of a counted and a profiled method, too; then a paced method's (ch_tracker_link in
    tracker_class.c takes them).

    The JVM looks up a native at its first call, partly with Java code. If that code were woven, its probes would call
    the native that is being looked up.
    """
    t.method("link", "(I)V", [*(one for part in PARTS for one in part.link(t)), ("return",)], stack=6, local=2)

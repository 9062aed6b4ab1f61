"""The tracker class from its parts, the classes of native/tracker/."""

from __future__ import annotations

from functools import cache
from io import BytesIO

from jawa.cf import ClassFile

from classhook.native.building.tracker import compiled, probes
from classhook.native.building.tracker.merged import Merged
from classhook.native.building.tracker.names import NAME, PACKAGE

#: In the order in which they initialise their fields and are linked; THREADS and ARRAYS stand for one of two.
PARTS = (
    "Starting", "THREADS", "Element", "Counting", "ARRAYS", "Timing", "Coverage", "Moving", "Mounting",
    "Contexts", "Keys", "Intervals", "Events", "Watching", "WatchingLines", "Waiting", "Faults", "Fields",
    "Comparisons",
)  # fmt: skip
THREADS = ("Threads", "Carriers")
ARRAYS = ("ReferenceArrays", "FlatArrays")


@cache
def made(carriers: bool, values: bool = False) -> bytes:
    """The class file. `carriers`: for JDKs that have Thread.currentCarrierThread (19 and later); `values`: for JVMs
    that have value objects (JDK 28 and later), whose arrays may be flat."""
    chosen = {"THREADS": THREADS[carriers], "ARRAYS": ARRAYS[values]}
    parts = [chosen.get(part, part) for part in PARTS]
    names = [f"{PACKAGE}/{part}" for part in (*parts, *THREADS)]
    merged = Merged(NAME, names, probes.with_carriers if carriers else probes.plain)
    for part in parts:
        merged.add(compiled.classes()[part])
    return merged.data()


def natives() -> dict[str, str]:
    """The descriptors of the native methods, by their names."""
    methods = ClassFile(BytesIO(made(False))).methods
    return {one.name.value: one.descriptor.value for one in methods if one.access_flags.acc_native}

"""Histograms of dumps, beside what the JVM says of its own heap."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from classhook.extensions.heap.class_histogram import histogram
from classhook.extensions.heap.heap import opened
from tools.corpus.machines import Machine
from tools.strangers.outcome import Difference, Row
from tools.strangers.suites.heaps import dumping
from tools.strangers.suites.heaps.dumping import COLLECTORS, EVERYWHERE, JCMD, JMAP, MOST_FORMS, OOPS, Dumped

COUNT = 1000
NOTHING = (0, 0)
ENLARGED = (
    "HotSpot adds fields that are not in the dump; this class has one instance, and with garbage between objects the"
    " distance to the next one does not tell the size"
)
FILLERS = "HotSpot dumps its filler arrays, which have a class of their own, as int[]"
UNDUMPED = "HotSpot counts its filler objects but does not dump them"
#: By class, why figures differ.
EXPLAINED = {
    "java.lang.Class": "the JVM also counts the mirrors of primitive types and of archived classes that are not loaded",
    **dict.fromkeys(("int[]", "jdk.internal.vm.FillerElement[]"), FILLERS),
    "jdk.internal.vm.FillerObject": UNDUMPED,
    "java.lang.InternalError": ENLARGED,
    "java.lang.ref.Finalizer$FinalizerThread": ENLARGED,
    "java.lang.ref.Reference$ReferenceHandler": ENLARGED,
    "jdk.internal.misc.InnocuousThread": ENLARGED,
    "jdk.internal.reflect.ConstantPool": ENLARGED,
    **{f"jdk.internal.loader.ClassLoaders${name}ClassLoader": ENLARGED for name in ("App", "Boot", "Platform")},
}


def differences(dump: Dumped, cell: str) -> list[Difference]:
    """Classes whose objects or bytes are not between what the JVM said before and after the dump; it allocates
    meanwhile."""
    ours = {name: (row.count, row.bytes) for name, row in histogram(opened(dump.file)).items()}
    found = []
    for name in sorted({*ours, *dump.before, *dump.after}):
        bounds = dump.before.get(name, NOTHING), dump.after.get(name, NOTHING)
        mine = ours.get(name, NOTHING)
        if not all(min(pair) <= figure <= max(pair) for figure, *pair in zip(mine, *bounds, strict=True)):
            what = f"JVM {bounds[0][0]:,} objects, {bounds[0][1]:,} bytes; classhook {mine[0]:,}, {mine[1]:,}"
            found.append(Difference(f"{name} ({cell})", what, EXPLAINED.get(name, "")))
    return found


def cells(java: Machine, short: bool) -> Iterator[tuple[str, str, list[str]]]:
    """Collectors that this JVM has, widths of references, and options."""
    for collector, options in COLLECTORS.items():
        for oops, option in OOPS.items():
            wide = collector in dumping.ALWAYS_WIDE
            if (wide and oops == "compressed") or (short and (collector, oops) != ("G1", "compressed")):
                continue
            chosen = options if wide else [*options, option]
            if dumping.has(java, chosen):
                yield collector, oops, chosen


def forms(java: Machine, collector: str, short: bool) -> Iterator[str]:
    for form in (*JCMD, *JMAP):
        new = form in JCMD and JCMD[form][2] > java.release
        if not new and (form in EVERYWHERE or (collector in MOST_FORMS and not short)):
            yield form


def rows(java: Machine, class_path: Path, folder: Path, short: bool) -> list[Row]:
    """A row for each way to write a dump."""
    found: dict[str, Row] = {}
    for collector, oops, options in cells(java, short):
        with dumping.waiting(java, options, class_path, COUNT) as pid:
            for form in forms(java, collector, short):
                dump = dumping.dumped(java, pid, form, folder)
                row = found.setdefault(form, Row(form, str(java.release), "histogram", 0))
                row.tests += 1
                row.differences += differences(dump, f"{collector}, {oops}")
                dump.file.unlink()
    return [*found.values()]

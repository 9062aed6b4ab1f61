"""Heap dumps of JVMs and made ones: classhook's figures beside the JVM's own and another reader's; what reading costs.

1. A program fills the JDK's collections; its dumps are written with each collector and in each way that the JDK has.
   The histogram must be the JVM's of the same moment (`histograms.py`).
2. Another reader must find the same objects and retained sizes (`readers.py`), also in the dump of a JVM whose memory
   ended.
3. Torn and damaged dumps are refused by a sentence (`damaged.py`).
4. Made dumps: shapes that are worst for a reader, and gigabytes (`made.py`, `measured.py`).
"""

from __future__ import annotations

import shutil
from pathlib import Path

from tools.corpus.machines import Machine
from tools.strangers.outcome import Outcome, Row
from tools.strangers.suite import Place, Suite
from tools.strangers.suites.heaps import damaged, dumping, histograms, measured, readers
from tools.strangers.suites.heaps.readers import Agreed

FEW = 200  # elements of each collection: the other reader takes minutes for many
#: The dumps that each of the other readers reads.
READ = {"jvmtool": ("compressed", "uncompressed"), "NetBeans": ("out of memory", "compressed")}
TRIES = 25  # torn dumps, and damaged ones


def run(place: Place) -> Outcome:
    """Raises Failed."""
    outcome = Outcome(", ".join(java.version() for java in place.jvms.values()))
    folder = place.folder / "dumps"
    shutil.rmtree(folder, ignore_errors=True)
    class_path = dumping.compiled(place.jvms[min(place.jvms)], folder / "classes")
    agreed: dict[str, Agreed] = {}
    for release, java in place.jvms.items():
        own = folder / str(release)
        own.mkdir(parents=True)
        outcome.rows += of_jvm(java, class_path, own, place.short, agreed)
    outcome.notes += readers.notes(agreed)
    outcome.rows.append(measured.growing(folder, outcome.notes.append, 1 if place.short else 3))
    if not place.short:
        outcome.rows.append(measured.large(folder, outcome.notes.append))
    shutil.rmtree(folder)
    return outcome


def of_jvm(java: Machine, class_path: Path, folder: Path, short: bool, agreed: dict[str, Agreed]) -> list[Row]:
    """Compares the dumps of a JVM; adds what each reader agrees on to `agreed`. Raises Failed."""
    rows = histograms.rows(java, class_path, folder, short)
    kept = {"out of memory": dumping.out_of_memory(java, class_path, folder, FEW)}
    for oops, option in dumping.OOPS.items():
        with dumping.waiting(java, ["-XX:+UseG1GC", option], class_path, FEW) as pid:
            dump = dumping.dumped(java, pid, "jcmd GC.heap_dump", folder).file
            kept[oops] = dump.rename(folder / f"{oops}.hprof")
    for reader, dumps in READ.items():
        row = Row(f"another reader: {reader}", str(java.release), "objects, retained sizes", 0)
        for name in dumps[: 1 if short else None]:
            jars = readers.jars(reader, folder.parents[1] / "jars")
            count, found = readers.differences(java, jars, kept[name], name)
            row.tests += 1
            row.differences += found
            dumps_before, objects, same = agreed.get(reader, Agreed())
            agreed[reader] = Agreed(dumps_before + 1, objects + count, same + count - len(found))
        rows.append(row)
    return rows + damaged.rows(kept["compressed"], folder, 5 if short else TRIES, str(java.release))


SUITE = Suite(
    "Heap dumps",
    "JDK's jcmd and jmap; org.gridkit.jvmtool:hprof-heap and org-netbeans-lib-profiler of Maven Central; made dumps",
    "dumps of each collector, read by classhook, by the JVM itself and by another reader; what gigabytes cost",
    run,
)

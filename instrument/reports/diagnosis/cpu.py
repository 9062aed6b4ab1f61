"""CPU time by kind of code, and by method."""

from __future__ import annotations

from classhook.base.names import printable, time_label
from classhook.measures.cpu.reader import CPU_SAMPLING, SAMPLED
from classhook.reports.diagnosis.part import SHARE, TEXT, TIME, Part, absent, first
from classhook.reports.diagnosis.seen import Seen
from classhook.tables.columns import share
from classhook.tables.sampling import where

NAME = "cpu"


def cpu(seen: Seen) -> Part:
    found = {
        key: row.sampled for key, row in seen.whole.tables[SAMPLED.name].items() if row.sampled and row.sampled.cpu_self
    }
    whole = sum(one.cpu_self for one in found.values())
    if not found:
        return absent(NAME, "hardly any CPU time was used")
    names = seen.whole.readable
    rows, more = first(
        (one.cpu_self, share(one.cpu_self, whole), one.cpu_total, printable(names.method(*key).text()))
        for key, one in sorted(found.items(), key=lambda one: (-one[1].cpu_self, one[0]))
    )
    processes = seen.whole.processes
    sampling = [one for process in processes if (one := CPU_SAMPLING.get(process)) is not None]
    used = sum(one.process_cpu_ns for one in sampling) or whole
    of_processors = used / (sum(process.duration_ns for process in processes) or 1)
    return Part(
        NAME,
        f"CPU: {time_label(used).strip()}, {of_processors:.2f} processors",
        [("self", TIME), ("share", SHARE), ("total", TIME), ("method", TEXT)],
        rows,
        [text for one in sampling if (text := where(one))],
        more,
    )

"""The costs of reading made dumps: processor seconds, seconds, and memory; and their growth with the dumps.

Memory is RssAnon, the pages of the process that are not those of the dump (RssFile), which the system may drop; it is
looked at each 50 ms.
"""

from __future__ import annotations

import json
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tests.conftest import ENVIRONMENT
from tools.compare.fetching import Failed
from tools.strangers.outcome import Difference, Row
from tools.strangers.suites.heaps import made

HISTOGRAM = ("--show", "histogram")
ALL = ("--show", "histogram,biggest,dominators", "--path")
#: The smallest of three sizes, each twice the one before: objects, and for `numbers` bytes.
SMALLEST = dict.fromkeys(made.SHAPES, 1_000_000) | {"orders": 52_000, "numbers": 100_000_000, "classes": 10_000}
#: The text that explains the figures of the shapes.
GROWN = "the shapes of made.py, each in three sizes (mostly 1, 2 and 4 million objects), seconds of CPU"
#: The class to whose objects paths are asked for; of `classes`, the last one.
SOUGHT = {"orders": "shop.Item", "linked": "java.util.LinkedList$Node", "nested": "java.lang.Object[]", "numbers": "byte[]",
    "colliding": "java.lang.Integer", "references": "java.lang.Integer", "star": "shop.Link", "rooted": "shop.Link",
    "tangled": "shop.Three", "classes": "many.C{last}"}  # fmt: skip
#: Shapes in which one object retains all others.
WHOLE = ("linked", "nested", "colliding", "references", "numbers", "star")
WORST = 1.6  # time grows with this power of the size at most: by the square it would be 2; machines are busy
SHORTEST = 0.3  # processor seconds; less says nothing of growth


class Large(NamedTuple):
    """A dump of gigabytes, its shape and size, and the bytes of memory that its graph needs."""

    name: str
    shape: str
    count: int
    needs: float


LARGE = (
    Large("program of 4 GB", "orders", 2_970_000, 2.2e9),
    Large("program of 8 GB", "orders", 5_940_000, 4.2e9),
    Large("list of 100 million nodes", "linked", 100_000_000, 5e9),
)


@dataclass(frozen=True, slots=True)
class Cost:
    """Processor seconds, seconds, and gigabytes of memory besides the dump's pages."""

    cpu: float
    wall: float
    memory: float

    def __str__(self) -> str:
        return f"{self.cpu:.1f} s of CPU ({self.wall:.0f} s), {self.memory:.2f} GB"


def read(dump: Path, *words: str) -> tuple[Cost, dict[str, Any]]:
    """Runs `classhook heap`. Raises Failed."""
    out = dump.with_suffix(".json")
    line = [sys.executable, "-m", "classhook.cli", "heap", str(dump), *words, "-f", "json", "-o", str(out)]
    start, most = time.monotonic(), 0
    pid = os.posix_spawn(line[0], line, ENVIRONMENT)
    ended = threading.Event()

    def look() -> None:
        nonlocal most
        while not ended.wait(0.05):
            try:
                status = Path(f"/proc/{pid}/status").read_text()
            except OSError:
                return
            most = max([most, *(int(one.split()[1]) for one in status.splitlines() if one.startswith("RssAnon"))])

    thread = threading.Thread(target=look)
    thread.start()
    _, status, used = os.wait4(pid, 0)
    ended.set()
    thread.join()
    if status:
        raise Failed(f"{' '.join(line)}: status {os.waitstatus_to_exitcode(status)}")
    cost = Cost(used.ru_utime + used.ru_stime, time.monotonic() - start, most / 1e6)
    return cost, json.loads(out.read_text())


def wrong(shape: str, objects: int, report: dict[str, Any]) -> Iterator[str]:
    """Finds what a report says differently from the made dump."""
    rows = {row["class"]: row for row in report["histogram"]}
    count = sum(row["count"] for name, row in rows.items() if name != "java.lang.Class")
    if count != (1 if shape == "numbers" else objects):
        yield f"{count:,} objects instead of {objects:,}"
    if "biggest" in report and shape in WHOLE:
        size = sum(row["bytes"] for name, row in rows.items() if name != "java.lang.Class")
        first = report["biggest"][0]["retained"]
        if first != size:
            yield f"{report['biggest'][0]['object']} retains {first:,} bytes instead of {size:,}"


def growing(folder: Path, note: Callable[[str], None], sizes: int) -> Row:
    """Reads each shape in `sizes` sizes (three of them tell the growth)."""
    row, grown, most = Row("made: worst shapes", "-", "all views", 0), list[str](), 0.0
    startup = min(_of(folder, "orders", 10)[0].cpu for _ in range(3))
    for shape, smallest in SMALLEST.items():
        times = []
        for size in (smallest << i for i in range(sizes)):
            cost, faults = _of(folder, shape, size)
            row.tests += 1
            row.differences += [Difference(f"{shape} of {size:,}", fault) for fault in faults]
            times.append(cost.cpu - startup)
        if sizes < 3:
            continue
        power = math.log2(max(times[2], 1e-3) / max(times[1], 1e-3))
        if power > WORST and times[2] > SHORTEST:
            row.differences.append(Difference(shape, f"time grows with the power {power:.2f} of the size"))
        grown.append(f"`{shape}` {'/'.join(f'{one:.2f}' for one in times)}")
        most = max(most, cost.memory)
    if grown:
        note(f"{GROWN}: {', '.join(grown)}; at most {most:.2f} GB")
    return row


def _of(folder: Path, shape: str, size: int) -> tuple[Cost, list[str]]:
    file = folder / "made.hprof"
    objects = made.write(file, shape, size)
    cost, report = read(file, *ALL, SOUGHT[shape].format(last=size - 1), "--top", "0" if shape == "classes" else "30")
    file.unlink()
    return cost, [*wrong(shape, objects, report)]


def large(folder: Path, note: Callable[[str], None]) -> Row:
    """Reads dumps of gigabytes."""
    row = Row("made: gigabytes", "-", "histogram; all views", 0)
    for one in LARGE:
        file = folder / "large.hprof"
        objects = made.write(file, one.shape, one.count)
        name = f"{one.name} ({objects:,} objects, {file.stat().st_size / 1e9:.1f} GB)"
        cost, report = read(file, *HISTOGRAM)
        row.tests += 1
        row.differences += [Difference(one.name, fault) for fault in wrong(one.shape, objects, report)]
        text = f"{name}: histogram {cost}"
        if available() > one.needs:
            cost, report = read(file, *ALL, SOUGHT[one.shape])
            row.differences += [Difference(one.name, fault) for fault in wrong(one.shape, objects, report)]
            text += f"; retained sizes and paths {cost}"
        else:
            text += f"; retained sizes not tried: they need {one.needs / 1e9:.0f} GB, of which {available() / 1e9:.0f} are free"
        note(text)
        file.unlink()
    return row


def available() -> int:
    """Bytes of memory."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable"):
            return int(line.split()[1]) * 1024
    return 0

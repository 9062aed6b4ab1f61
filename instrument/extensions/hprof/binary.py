"""HPROF's binary format 1.0.2: names, classes, frames and traces, then records of sites and samples that refer to them.

CPU SAMPLES are samples, or times in ms, as HPROF wrote those of cpu=times. Numbers that do not fit are the largest
that do.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from classhook.extensions.heap.dump import read
from classhook.extensions.heap.tags import (
    ALLOC_SITES,
    CONTROL_SETTINGS,
    CPU_SAMPLES,
    END_THREAD,
    HEAP_DUMP_END,
    LOAD_CLASS,
    STACK_FRAME,
    STACK_TRACE,
    START_THREAD,
    UTF8,
)
from classhook.extensions.hprof.from_snapshot import profile
from classhook.extensions.hprof.profile_data import NS_OF_MS, Frame, Profile
from classhook.model.snapshot import Snapshot
from classhook.model.stacks import NATIVE
from classhook.reports import Options

if TYPE_CHECKING:
    from classhook.extensions.heap.heap import Heap

HEADER = b"JAVA PROFILE 1.0.2\0"
ID_SIZE = 8
RECORD = struct.Struct(">BII")  # tag, time, and bytes that follow
ALLOCATION_TRACES, SAMPLING = 1, 2  # of CONTROL SETTINGS
ALLOCATED = 2  # of ALLOC SITES: sorted by allocation, not by what is live
UNKNOWN_LINE = -1
CLASSES, FRAMES, THREADS = 1 << 32, 1 << 33, 1 << 34  # where their ids begin; those of names begin with 1
NS_OF_US = 1000
BESIDE = 1 << 62  # added to ids in a file with a heap, whose ids are addresses
PIECE = 1 << 20
MOST = (1 << 32) - 1
MOST_SUM = (1 << 64) - 1
MOST_LINE = (1 << 31) - 1
ELEMENTS = {"boolean": 4, "char": 5, "float": 6, "double": 7, "byte": 8, "short": 9, "int": 10, "long": 11}


def report(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes all records to the bytes below `out`. Raises Failure if that is nothing."""
    out.buffer.write(Writer().written(profile(snapshot, options.measure)))


def pieces(found: Profile, dump: Path | None, heap: Heap | None) -> Iterator[bytes | memoryview]:
    """A file's bytes: the records of measurements; with a dump of the heap, after its records. `heap`: the same
    dump, looked through, whose objects have the traces that allocated them. Raises UsageError."""
    if dump is None:
        yield Writer().written(found)
        return
    base = heap.dump if heap is not None else read(dump)
    end = len(base.data) - RECORD.size if base.ended and base.data[-RECORD.size] == HEAP_DUMP_END else len(base.data)
    if heap is not None and found.heap is not None and found.heap.traces:
        from classhook.extensions.hprof.heap_traces import with_traces

        yield from with_traces(heap, found.heap, end)
    else:
        yield from (base.data[at : min(at + PIECE, end)] for at in range(0, end, PIECE))
    known = {base.class_name(id_): serial for serial, id_ in base.serials.items()}
    names = {base.name(id_): id_ for id_ in base.names}
    writer = Writer(names=names, classes=known, first_id=BESIDE, last_class=max(base.serials, default=0))
    writer.records(found)
    yield bytes(writer.out)
    yield RECORD.pack(HEAP_DUMP_END, 0, 0)


@dataclass(slots=True)
class Writer:
    """Numbers names, classes and frames as they come, each before the first record that refers to it. `classes`: serial
    numbers by name."""

    out: bytearray = field(default_factory=bytearray)
    names: dict[str, int] = field(default_factory=dict)
    classes: dict[str, int] = field(default_factory=dict)
    frames: dict[Frame, int] = field(default_factory=dict)
    first_id: int = 0
    last_class: int = 0
    micros: int = 0  # from the time in the header until the records were true

    def written(self, found: Profile) -> bytes:
        self.out += HEADER + struct.pack(">IQ", ID_SIZE, found.start_unix_ns // NS_OF_MS)
        self.records(found)
        return bytes(self.out)

    def records(self, found: Profile) -> None:
        self.micros = min(max(found.end_unix_ns - found.start_unix_ns, 0) // NS_OF_US, MOST)
        flags = ALLOCATION_TRACES * bool(found.sites) + SAMPLING * bool(found.samples)
        self.record(
            CONTROL_SETTINGS,
            struct.pack(">IH", flags, min(max((len(trace.frames) for trace in found.traces), default=0), 0xFFFF)),
        )
        serials = (
            {thread: serial for serial, thread in found.heap.threads.items()} if found.heap is not None else {}
        )  # as in the dump
        objects = found.heap.objects if found.heap is not None else {}
        for life in found.lives:
            names = (self.name(life.name), self.name(life.group), 0)
            ids = (
                serials.get(life.thread, life.thread),
                objects.get(life.thread, self.first_id + THREADS + life.thread),
            )
            self.record(START_THREAD, struct.pack(">IQI3Q", *ids, 0, *names))
        for life in found.lives:
            if life.ended:
                self.record(END_THREAD, struct.pack(">I", serials.get(life.thread, life.thread)))
        for trace, number in found.traces.items():
            frames = [self.frame(one) for one in trace.frames]
            thread = serials.get(trace.thread, trace.thread)
            self.record(STACK_TRACE, struct.pack(f">III{len(frames)}Q", number, thread, len(frames), *frames))
        if found.sites or "sites" in found.asked:
            self.sites(found)
        costs = [(one.trace, one.cost) for one in found.samples] or [
            (one.trace, round(one.cost / NS_OF_MS)) for one in found.times
        ]
        if costs or {"samples", "times"} & found.asked:
            pairs = b"".join(struct.pack(">II", fit(cost), trace) for trace, cost in costs)
            self.record(CPU_SAMPLES, struct.pack(">II", fit(sum(cost for _, cost in costs)), len(costs)) + pairs)

    def record(self, tag: int, body: bytes) -> None:
        self.out += RECORD.pack(tag, self.micros, len(body)) + body

    def name(self, text: str) -> int:
        if text not in self.names:
            self.names[text] = self.first_id + len(self.names) + 1
            self.record(UTF8, struct.pack(">Q", self.names[text]) + text.encode("utf-8", "backslashreplace"))
        return self.names[text]

    def cls(self, name: str) -> int:
        """The class's serial number."""
        if name not in self.classes:
            self.last_class += 1
            self.classes[name] = serial = self.last_class
            self.record(LOAD_CLASS, struct.pack(">IQIQ", serial, self.first_id + CLASSES + serial, 0, self.name(name)))
        return self.classes[name]

    def frame(self, frame: Frame) -> int:
        if frame not in self.frames:
            source = self.name(frame.source) if frame.source else 0
            ids = (
                self.first_id + FRAMES + len(self.frames),
                self.name(frame.method),
                self.name(frame.descriptor),
                source,
            )
            self.record(
                STACK_FRAME, struct.pack(">4QIi", *ids, self.cls(frame.cls or frame.method), fit_line(frame.line))
            )
            self.frames[frame] = ids[0]
        return self.frames[frame]

    def sites(self, found: Profile) -> None:
        entries = b"".join(
            struct.pack(">BII", array_kind(site.type), self.cls(site.type), site.trace)
            + struct.pack(">IIII", *map(fit, (site.live_bytes, site.live_objects, site.bytes, site.objects)))
            for site in found.sites
        )
        live = (fit(sum(site.live_bytes for site in found.sites)), fit(sum(site.live_objects for site in found.sites)))
        sums = (sum(site.bytes for site in found.sites), sum(site.objects for site in found.sites))
        flags = 0 if found.live else ALLOCATED
        self.record(
            ALLOC_SITES,
            struct.pack(">HfIIQQI", flags, 0.0, *live, *(min(one, MOST_SUM) for one in sums), len(found.sites))
            + entries,
        )


def array_kind(type_name: str) -> int:
    """0 for a class, 2 for an array of objects, an array's basic type otherwise."""
    element, brackets, _ = type_name.partition("[]")
    if not brackets:
        return 0
    return ELEMENTS.get(element, 2) if type_name.count("[]") == 1 else 2


def fit(number: int) -> int:
    return min(number, MOST)


def fit_line(line: int) -> int:
    """Damaged data may have any."""
    return line if 0 < line <= MOST_LINE or line == NATIVE else UNKNOWN_LINE

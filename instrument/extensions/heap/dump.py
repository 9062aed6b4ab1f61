"""A dump's records: names, classes, stack traces, threads; and where its segments of objects are.

1. The header says the version, the size of ids and the time.
2. Each record has a tag and a length; RECORDS says which are read, and how. Others are passed over.
3. HEAP DUMP and HEAP DUMP SEGMENT hold objects, which `record_batches.py` reads. Some writers give them a length that
   ends within their last object: what follows begins where the object does end, by its own length.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from classhook.base.names import PRIMITIVES
from classhook.extensions.heap import library
from classhook.extensions.heap.errors import BadDump
from classhook.extensions.heap.source import mapped
from classhook.extensions.heap.tags import (
    HEAP_DUMP,
    HEAP_DUMP_END,
    HEAP_DUMP_SEGMENT,
    LAST_TAG,
    LOAD_CLASS,
    STACK_FRAME,
    STACK_TRACE,
    UTF8,
)

VERSIONS = (b"JAVA PROFILE 1.0.1", b"JAVA PROFILE 1.0.2", b"JAVA PROFILE 1.0.3")
LONGEST_HEADER = 64


class Frame(NamedTuple):
    """A stack frame; ids of names, the class's serial number, and a line or -1: unknown, -2: compiled, -3: native."""

    method: int
    signature: int
    source: int
    class_serial: int
    line: int


@dataclass(slots=True)
class Dump:
    """A heap dump. `names`: by id, where the text is; `classes`: names' ids by the class's id; `segments`: of objects,
    from and to; `traces`: by serial number, the thread's serial number and the frames' ids."""

    path: Path
    data: memoryview
    id_size: int = 8
    millis: int = 0
    names: dict[int, tuple[int, int]] = field(default_factory=dict)
    classes: dict[int, int] = field(default_factory=dict)
    serials: dict[int, int] = field(default_factory=dict)
    frames: dict[int, Frame] = field(default_factory=dict)
    traces: dict[int, tuple[int, list[int]]] = field(default_factory=dict)
    segments: list[tuple[int, int]] = field(default_factory=list)
    ended: bool = False

    def id_at(self, at: int) -> int:
        return int.from_bytes(self.data[at : at + self.id_size], "big")

    def name(self, id_: int) -> str:
        """The text of a UTF8 record."""
        at, end = self.names.get(id_, (0, 0))
        return bytes(self.data[at:end]).decode("utf-8", "backslashreplace") if end else f"name-{id_:#x}"

    def class_name(self, id_: int) -> str:
        """The binary name of a class, with dots: `byte[]`, `java.lang.String`."""
        return readable(self.name(self.classes[id_])) if id_ in self.classes else f"class-{id_:#x}"

    def frame_label(self, id_: int) -> str:
        """`com.acme.Orders.place(Orders.java:17)`."""
        frame = self.frames.get(id_)
        if frame is None:
            return "unknown frame"
        source = self.name(frame.source) if frame.source in self.names else "unknown source"
        line = f":{frame.line}" if frame.line > 0 else ""
        return f"{self.class_name(self.serials.get(frame.class_serial, 0))}.{self.name(frame.method)}({source}{line})"


def readable(name: str) -> str:
    """A class's name as Java programs know it, from its internal form."""
    bare = name.lstrip("[")
    dimensions = len(name) - len(bare)
    if dimensions:
        bare = PRIMITIVES.get(bare, bare.removeprefix("L").removesuffix(";"))
    return bare.replace("/", ".").replace("+0x", "/0x") + "[]" * dimensions


def _utf8(dump: Dump, at: int, end: int) -> None:
    dump.names[dump.id_at(at)] = (at + dump.id_size, end)


def _load_class(dump: Dump, at: int, end: int) -> None:
    class_id = dump.id_at(at + 4)
    dump.classes[class_id] = dump.id_at(at + 8 + dump.id_size)
    dump.serials[int.from_bytes(dump.data[at : at + 4], "big")] = class_id


def _frame(dump: Dump, at: int, end: int) -> None:
    size = dump.id_size
    serial, line = struct.unpack_from(">Ii", dump.data, at + 4 * size)
    dump.frames[dump.id_at(at)] = Frame(
        dump.id_at(at + size), dump.id_at(at + 2 * size), dump.id_at(at + 3 * size), serial, line
    )


def _trace(dump: Dump, at: int, end: int) -> None:
    serial, thread, count = struct.unpack_from(">III", dump.data, at)
    if count * dump.id_size > end - at - 12:
        raise BadDump(dump.path, f"a STACK TRACE is shorter than its {count:,} frames", at)
    dump.traces[serial] = (thread, [dump.id_at(at + 12 + i * dump.id_size) for i in range(count)])


def _objects(dump: Dump, at: int, end: int) -> None:
    dump.segments.append((at, end))


def _end(dump: Dump, at: int, end: int) -> None:
    dump.ended = True


class Record(NamedTuple):
    """A kind of record: its name, its least length in ids and further bytes, and what reads it."""

    name: str
    ids: int
    more: int
    read: Callable[[Dump, int, int], None]


RECORDS = {
    UTF8: Record("UTF8", 1, 0, _utf8),
    LOAD_CLASS: Record("LOAD CLASS", 2, 8, _load_class),
    STACK_FRAME: Record("STACK FRAME", 4, 8, _frame),
    STACK_TRACE: Record("STACK TRACE", 0, 12, _trace),
    HEAP_DUMP: Record("HEAP DUMP", 0, 0, _objects),
    HEAP_DUMP_SEGMENT: Record("HEAP DUMP SEGMENT", 0, 0, _objects),
    HEAP_DUMP_END: Record("HEAP DUMP END", 0, 0, _end),
}


def read(path: Path) -> Dump:
    """The records of a dump. Raises UsageError; BadDump if it is damaged or no dump of a heap."""
    dump = Dump(path, memoryview(mapped(path)))
    at = _header(dump)
    data, size, bytes_ = dump.data, len(dump.data), library.data(dump.data)
    segmented = False
    while at < size:
        if size - at < 9:
            raise BadDump(path, "the file ends within a record: it is torn, or still being written", at)
        tag = data[at]
        end = at + 9 + int.from_bytes(data[at + 5 : at + 9], "big")
        record = RECORDS.get(tag)
        if end > size:
            name = record.name if record else f"{tag:#04x}"
            raise BadDump(
                path, f"a record {name} goes beyond the end of the file: it is torn, or still being written", at
            )
        if not 0 < tag <= LAST_TAG:
            raise BadDump(path, f"{tag:#04x} is not a tag of a record: the file is damaged", at)
        if record is not None:
            if end - at - 9 < record.ids * dump.id_size + record.more:
                raise BadDump(path, f"a record {record.name} is too short", at)
            if tag in (HEAP_DUMP, HEAP_DUMP_SEGMENT):
                end = library.lib.ch_heap_segment_end(bytes_, at + 9, end, size, dump.id_size)
            record.read(dump, at + 9, end)
        segmented |= tag == HEAP_DUMP_SEGMENT
        at = end
    if not dump.segments:
        raise BadDump(path, "it holds no heap: it has records of HPROF, but none of objects")
    if segmented and not dump.ended:
        raise BadDump(path, "the file ends before its HEAP DUMP END: it is torn, or still being written", at)
    return dump


def _header(dump: Dump) -> int:
    """Reads it; returns where it ends."""
    start = bytes(dump.data[:LONGEST_HEADER])
    version, zero, _ = start.partition(b"\0")
    if version not in VERSIONS or not zero:
        raise BadDump(
            dump.path,
            'not a heap dump: it does not begin with "JAVA PROFILE 1.0.2"; `jcmd PID GC.heap_dump FILE` writes one',
        )
    at = len(version) + 1
    if len(start) < at + 12:
        raise BadDump(dump.path, "the file ends within its header: it is torn", len(start))
    dump.id_size, dump.millis = struct.unpack_from(">IQ", start, at)
    if dump.id_size not in (4, 8):
        raise BadDump(dump.path, f"its ids have {dump.id_size:,} bytes; 4 and 8 are known", at)
    return at + 12

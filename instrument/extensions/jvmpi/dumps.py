"""Dumps: of an object, of all monitors, of the heap (heap_dumps.py)."""

from __future__ import annotations

from struct import calcsize

from classhook.base.embedded import jvmpi as native
from classhook.extensions.jvmpi import constants, raw
from classhook.extensions.jvmpi.constants import FAIL, NOT_AVAILABLE
from classhook.extensions.jvmpi.dump_records import (
    FORMATS,
    ClassDump,
    InstanceDump,
    MonitorJava,
    MonitorRaw,
    ObjArrayDump,
    PrimArrayDump,
    big_endian,
)
from classhook.extensions.jvmpi.event_records import Record
from classhook.extensions.jvmpi.structures import CallFrame, CallTrace, HeapDumpArg

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_FRAMES = 512


def object_dump(object_id: int) -> Record | int:
    found = native.object_dump(object_id)
    if found is None:
        return FAIL
    made = MADE[found[0]](*found[1:])
    data = made.pack()
    return Record(data_len=len(data), data=data, record=made)


def class_record(
    class_id: int,
    super_id: int,
    loader: int,
    signers: int,
    domain: int,
    name: int,
    instance_size: int,
    statics: list[tuple[str, int, Any]],
) -> ClassDump:
    (text,) = native.class_parts(class_id, "n") or ("",)
    made = ClassDump(class_id, super_id, loader, statics, text, name)
    made.signers_id, made.domain_id = signers, domain
    made.interfaces = native.interfaces(class_id)
    made.instance_size = instance_size
    return made


def instance_record(object_id: int, class_id: int, fields: list[tuple[str, int, Any]]) -> InstanceDump:
    return InstanceDump(object_id, class_id, [field[:2] for field in fields], [field[2] for field in fields])


def primitives_record(object_id: int, type_: int, data: bytes) -> PrimArrayDump:
    return PrimArrayDump(object_id, type_, len(data) // calcsize(">" + FORMATS[type_]), big_endian(type_, data))


MADE: dict[int, Any] = {
    constants.GC_CLASS_DUMP: class_record,
    constants.GC_INSTANCE_DUMP: instance_record,
    constants.GC_OBJ_ARRAY_DUMP: ObjArrayDump,
    constants.GC_PRIM_ARRAY_DUMP: primitives_record,
}


def monitor_dump(arg: object) -> Record | int:
    found = native.monitor_dump()
    if found is None:
        return NOT_AVAILABLE
    threads, monitors = found
    traces = [CallTrace(env_id, [CallFrame(*frame) for frame in frames]) for env_id, _, frames in threads]
    records = [MonitorJava(*row) for row in monitors]
    records += [MonitorRaw(m.name, m.number, m.owner, m.count, [*m.entering], [*m.waiting]) for m in raw.monitors]
    return Record(
        begin=iter(records),
        end=None,
        records=records,
        num_traces=len(traces),
        traces=traces,
        threads_status=[row[1] for row in threads],
    )


def heap_dump(arg: HeapDumpArg | int | None) -> Record | int:
    level = arg.heap_dump_level if isinstance(arg, HeapDumpArg) else constants.DUMP_LEVEL_2 if arg is None else arg
    if level not in (0, 1, 2):
        return FAIL
    try:
        from classhook.extensions.jvmpi.heap_dumps import HeapDump
    except ImportError:  # numpy
        return NOT_AVAILABLE
    traces = []
    for env_id in native.threads() if level else ():
        found = native.trace(env_id, MOST_FRAMES)
        traces.append(CallTrace(env_id, [CallFrame(*frame) for frame in found or ()]))
    dump = HeapDump.made(level)
    if dump is None:
        return FAIL
    return Record(dump_level=level, begin=iter(dump), end=None, records=dump, num_traces=len(traces), traces=traces)

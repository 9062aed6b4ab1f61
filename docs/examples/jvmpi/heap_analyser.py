"""Analyses the heap when somebody sends SIGQUIT, and at the end: objects by class (level 0), what refers to most
objects (1), bytes (2)."""

import sys
from collections import Counter

from classhook import jvmpi

names: dict[int, str] = {}


def objects(dump: jvmpi.HeapDump) -> None:
    count = Counter(names.get(o.class_id, "another class") for o in dump.records if o.type == jvmpi.NORMAL_OBJECT)
    print("level 0:", count.total(), "objects;", *(f"{name} {n};" for name, n in count.most_common(3)))


def references(dump: jvmpi.HeapDump) -> None:
    classes: dict[int, str] = {}
    fan_out: Counter[int] = Counter()
    roots = 0
    for record in dump.records:
        kind = record.record_type
        if kind == jvmpi.GC_CLASS_DUMP:
            classes[record.class_id] = record.class_name
        elif kind == jvmpi.GC_INSTANCE_DUMP:
            fan_out[record.class_id] += len(record.references)
        elif kind <= jvmpi.GC_ROOT_THREAD_OBJ:
            roots += 1
    print("level 1:", roots, "roots; references from", *(f"{classes[id_]} {n};" for id_, n in fan_out.most_common(3)))


def values(dump: jvmpi.HeapDump) -> None:
    text = sum(
        record.num_elements
        for record in dump.records
        if record.record_type == jvmpi.GC_PRIM_ARRAY_DUMP and record.type == jvmpi.BYTE
    )
    print("level 2:", text, "bytes in arrays of bytes")


LEVELS = {jvmpi.DUMP_LEVEL_0: objects, jvmpi.DUMP_LEVEL_1: references, jvmpi.DUMP_LEVEL_2: values}


def notify(event: jvmpi.Event) -> None:
    event_type = event.event_type & ~jvmpi.REQUESTED_EVENT
    if event_type == jvmpi.EVENT_CLASS_LOAD:
        names[event.u.class_load.class_id] = event.u.class_load.class_name
    elif event_type == jvmpi.EVENT_HEAP_DUMP:
        LEVELS[event.u.heap_dump.dump_level](event.u.heap_dump)
    else:
        for level in LEVELS:
            if jvmpi.RequestEvent(jvmpi.EVENT_HEAP_DUMP, jvmpi.HeapDumpArg(level)) != jvmpi.SUCCESS:
                print("no heap dump: is numpy there?")
        sys.stdout.flush()


jvmpi.NotifyEvent = notify
for wanted in jvmpi.EVENT_CLASS_LOAD, jvmpi.EVENT_DATA_DUMP_REQUEST, jvmpi.EVENT_JVM_SHUT_DOWN:
    assert jvmpi.EnableEvent(wanted, None) == jvmpi.SUCCESS

"""The specification's constants, by name without `JVMPI_`; those of events are in events.py. Both forms of each name are in the package."""

from __future__ import annotations

from typing import Final

from classhook.heap import tags

CONSTANTS: Final = {
    "VERSION_1": 0x10000001,
    "VERSION_1_1": 0x10000002,
    "VERSION_1_2": 0x10000003,
    # what functions answer
    "SUCCESS": 0,
    "NOT_AVAILABLE": 1,
    "FAIL": -1,
    # beside the type of an event that was asked for by RequestEvent
    "REQUESTED_EVENT": 0x10000000,
    "MAX_EVENT_TYPE_VAL": 61,
    # threads
    "THREAD_RUNNABLE": 1,
    "THREAD_MONITOR_WAIT": 2,
    "THREAD_CONDVAR_WAIT": 3,
    "THREAD_SUSPENDED": 0x8000,
    "THREAD_INTERRUPTED": 0x4000,
    "MINIMUM_PRIORITY": 1,
    "NORMAL_PRIORITY": 5,
    "MAXIMUM_PRIORITY": 10,
    # types of objects, and of values in dumps
    "NORMAL_OBJECT": 0,
    "CLASS": 2,
    "BOOLEAN": 4,
    "CHAR": 5,
    "FLOAT": 6,
    "DOUBLE": 7,
    "BYTE": 8,
    "SHORT": 9,
    "INT": 10,
    "LONG": 11,
    # records of dumps
    "MONITOR_JAVA": 1,
    "MONITOR_RAW": 2,
    "GC_ROOT_UNKNOWN": tags.UNKNOWN_ROOT,
    "GC_ROOT_JNI_GLOBAL": tags.JNI_GLOBAL,
    "GC_ROOT_JNI_LOCAL": tags.JNI_LOCAL,
    "GC_ROOT_JAVA_FRAME": tags.JAVA_FRAME,
    "GC_ROOT_NATIVE_STACK": tags.NATIVE_STACK,
    "GC_ROOT_STICKY_CLASS": tags.STICKY_CLASS,
    "GC_ROOT_THREAD_BLOCK": tags.THREAD_BLOCK,
    "GC_ROOT_MONITOR_USED": tags.MONITOR_USED,
    "GC_ROOT_THREAD_OBJ": tags.THREAD_OBJECT,
    "GC_CLASS_DUMP": tags.CLASS,
    "GC_INSTANCE_DUMP": tags.INSTANCE,
    "GC_OBJ_ARRAY_DUMP": tags.OBJECT_ARRAY,
    "GC_PRIM_ARRAY_DUMP": tags.PRIMITIVE_ARRAY,
    "DUMP_LEVEL_0": 0,
    "DUMP_LEVEL_1": 1,
    "DUMP_LEVEL_2": 2,
}

#: The argument of EnableEvent for THREAD_START and THREAD_END, beside None.
VIRTUAL: Final = "virtual"
SUCCESS: Final = CONSTANTS["SUCCESS"]
NOT_AVAILABLE: Final = CONSTANTS["NOT_AVAILABLE"]
FAIL: Final = CONSTANTS["FAIL"]
REQUESTED: Final = CONSTANTS["REQUESTED_EVENT"]

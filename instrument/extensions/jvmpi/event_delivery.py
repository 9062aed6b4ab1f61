"""Losses of each event, and results of functions inside NotifyEvent: the table of
docs/reference/jvmpi.md."""

from __future__ import annotations

from typing import Final, NamedTuple

from classhook.extensions.jvmpi.events import EVENTS, NEVER


class Delivery(NamedTuple):
    """`lost`: the events that NotifyEvent never gets; `inside`: what functions return in it."""

    lost: str
    inside: str


NOTHING: Final = "nothing"
OWN: Final = "own events"
MEMORY: Final = "overflow"
STACK: Final = "GetCallTrace: the stack that came with it (`stack=`), else NOT_AVAILABLE"
ALL: Final = "all functions"

DELIVERY: Final = {
    "METHOD_ENTRY": Delivery(
        OWN, f"{ALL}; GetCallTrace(env_id): the method is on top, at its first line (a native one: -3)"
    ),
    "METHOD_ENTRY2": Delivery(
        OWN,
        f"{ALL}; GetCallTrace as above; RequestEvent, jobjectID2jobject: the object, in a constructor if it has an id",
    ),
    "METHOD_EXIT": Delivery(OWN, f"{ALL}; GetCallTrace(env_id): the method is still on top"),
    "OBJECT_ALLOC": Delivery(
        MEMORY,
        f"{STACK}; RequestEvent, jobjectID2jobject: FAIL or None if the object is gone; the thread may have ended, and"
        " THREAD_END may have come",
    ),
    "OBJECT_FREE": Delivery(
        f"{MEMORY}; objects that are garbage at the JVM's end, and were not collected",
        "none with this id, which is no longer valid; other ids as usual",
    ),
    "COMPILED_METHOD_LOAD": Delivery(
        f"{MEMORY}; code that was discarded before the script ran",
        "GetMethodName, GetMethodClass; `inlined`, `lineno_table` while the class is loaded",
    ),
    "COMPILED_METHOD_UNLOAD": Delivery(MEMORY, "GetMethodName, GetMethodClass while the class is loaded"),
    "INSTRUCTION_START": Delivery(OWN, f"{ALL}; GetCallTrace(env_id): the instruction's method is on top"),
    "THREAD_START": Delivery(OWN, f"{ALL}; the thread has run nothing yet: GetCallTrace has no frames"),
    "THREAD_END": Delivery(
        OWN, f"{ALL}; the thread's id is not valid afterwards: GetThreadLocalStorage now, for the last time"
    ),
    "CLASS_LOAD_HOOK": Delivery(OWN, f"{ALL}; the class is not there yet: nothing has its id"),
    "HEAP_DUMP": Delivery(NOTHING, f"{ALL}; it runs on the thread that called RequestEvent"),
    "JNI_GLOBALREF_ALLOC": Delivery(MEMORY, f"{STACK}; RequestEvent, jobjectID2jobject while the object is there"),
    "JNI_GLOBALREF_FREE": Delivery(MEMORY, STACK),
    "JNI_WEAK_GLOBALREF_ALLOC": Delivery(MEMORY, f"{STACK}; RequestEvent, jobjectID2jobject while the object is there"),
    "JNI_WEAK_GLOBALREF_FREE": Delivery(MEMORY, STACK),
    "CLASS_LOAD": Delivery(
        "classes loaded on this thread while NotifyEvent runs on it, until another event has the class's id",
        f"{ALL}; GetCallTrace(env_id): the code that loads it",
    ),
    "CLASS_UNLOAD": Delivery(
        f"{MEMORY}; classes that are garbage at the JVM's end, and were not collected",
        "none with this id; GetMethodName of its methods: None",
    ),
    "DATA_DUMP_REQUEST": Delivery(NOTHING, f"{ALL}, without a limit of time; dumps are meant for here"),
    "DATA_RESET_REQUEST": Delivery(NOTHING, ALL),
    "JVM_INIT_DONE": Delivery(NOTHING, f"{ALL}; CreateSystemThread from here on"),
    "JVM_SHUT_DOWN": Delivery(
        "nothing: all queued events have been delivered",
        f"{ALL}, but no event comes any more: RunGC sends no OBJECT_FREE. "
        "Before JDK 26, RunGC and HEAP_DUMP FAIL after Runtime.halt with ZGC or Shenandoah",
    ),
    "OBJECT_DUMP": Delivery(NOTHING, f"{ALL}; it runs on the thread that called RequestEvent"),
    "RAW_MONITOR_CONTENDED_ENTER": Delivery(
        "those that NotifyEvent itself causes while it handles one", f"{ALL}; the thread does not own the monitor"
    ),
    "RAW_MONITOR_CONTENDED_ENTERED": Delivery(
        "as above", f"{ALL}; the thread owns the monitor: others wait for it meanwhile"
    ),
    "RAW_MONITOR_CONTENDED_EXIT": Delivery("as above", f"{ALL}; the thread does not own the monitor any more"),
    "MONITOR_CONTENDED_ENTER": Delivery(OWN, f"{ALL}; GetCallTrace(env_id): where it waits; GetThreadStatus of others"),
    "MONITOR_CONTENDED_ENTERED": Delivery(OWN, f"{ALL}; the thread owns the lock, so others wait meanwhile"),
    "MONITOR_CONTENDED_EXIT": Delivery(
        f"{OWN}; `env_id` is 0 if the JVM does not name the owner",
        "all functions, on the thread that enters: GetCallTrace(env_id), the owner's, is NOT_AVAILABLE",
    ),
    "MONITOR_WAIT": Delivery(OWN, f"{ALL}; the thread still owns the lock"),
    "MONITOR_WAITED": Delivery(OWN, f"{ALL}; the thread does not own the lock yet"),
    "MONITOR_DUMP": Delivery(NOTHING, f"{ALL}; threads run again: the records show the state before"),
    "GC_START": Delivery(
        f"{MEMORY}; collections before a heap dump or a histogram, which HotSpot does not report",
        "all functions, but it belongs to no thread: GetCallTrace(env_id) is FAIL. The collection may be over",
    ),
    "GC_FINISH": Delivery(
        MEMORY, "as above; the bytes of `gc_info` are those of the collection's end, `used_objects` is counted now"
    ),
}


def rows() -> list[tuple[str, str, str, str]]:
    """Event, how it is delivered, what can be lost, what functions answer."""
    return [(kind.name, kind.told, *DELIVERY[kind.name]) for kind in EVENTS if kind.comes != NEVER]

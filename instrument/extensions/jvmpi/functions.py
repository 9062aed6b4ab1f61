"""The tables of functions: the specification's 25, and how they come about over JVMTI; then those that it does not
have. interface.py and what it imports define them."""

from __future__ import annotations

from typing import Final, NamedTuple


class Function(NamedTuple):
    """A function. `returns`: what the specification says, and a code where that is `void`; `path`: as in events.py."""

    name: str
    parameters: tuple[str, ...]
    returns: str
    path: str
    how: str
    limits: str


CODE: Final = "code"

FUNCTIONS: Final = (
    Function(
        "NotifyEvent",
        ("event",),
        "-",
        "O",
        "an attribute of the module",
        "the script assigns it: `jvmpi.NotifyEvent = function`",
    ),
    Function(
        "EnableEvent",
        ("event_type", "arg", "stack", "lossy", "constructors", "natives"),
        CODE,
        "J/W",
        "SetEventNotificationMode; a rule for METHOD_*",
        "`arg` for METHOD_*: a pattern of methods, None: all of the program; for OBJECT_ALLOC: bytes between two"
        " delivered objects, None: all. `natives=True` for METHOD_*: native methods, too, until it is called again"
        " without. `stack=16`: queued events come with so many frames; `lossy=True`: they are lost rather than waited"
        " for. METHOD_*: NOT_AVAILABLE while a class waits for a loop that runs, which would become slow; its events"
        " come when the loop has ended",
    ),
    Function(
        "DisableEvent",
        ("event_type", "arg"),
        CODE,
        "J/W",
        "likewise; without the rule, the classes are as they were",
        "",
    ),
    Function(
        "RequestEvent",
        ("event_type", "arg"),
        CODE,
        "O",
        "the event is sent on the asking thread, with REQUESTED_EVENT in its type",
        "",
    ),
    Function(
        "GetCallTrace",
        ("trace", "depth"),
        CODE,
        "J",
        "GetStackTrace, and the methods' lines, kept",
        "lines: -1 unknown, -3 native. Of the thread of a queued event: the stack that came with it; NOT_AVAILABLE if"
        " none was asked for",
    ),
    Function(
        "ProfilerExit",
        ("err_code",),
        CODE,
        "O",
        "Runtime.exit on a thread of the agent",
        "returns at once; in JVM_SHUT_DOWN: the status with which the JVM ends anyway",
    ),
    Function(
        "RawMonitorCreate",
        ("lock_name",),
        "monitor",
        "O",
        "a lock and a condition of the agent's: JVMTI's monitors do not say that they are contended",
        "",
    ),
    Function(
        "RawMonitorEnter", ("lock_id",), CODE, "O", "waits without Python's lock", "not interrupted by Thread.interrupt"
    ),
    Function("RawMonitorExit", ("lock_id",), CODE, "O", "", ""),
    Function("RawMonitorWait", ("lock_id", "ms"), CODE, "O", "waits without Python's lock", "as RawMonitorEnter"),
    Function("RawMonitorNotifyAll", ("lock_id",), CODE, "O", "", ""),
    Function("RawMonitorDestroy", ("lock_id",), CODE, "O", "", "threads that wait for it go on, and fail"),
    Function("GetCurrentThreadCpuTime", (), "ns", "O", "CLOCK_THREAD_CPUTIME_ID", ""),
    Function(
        "SuspendThread",
        ("env_id",),
        CODE,
        "J",
        "SuspendThread",
        "native code runs on until it returns; the caller should hold no lock",
    ),
    Function("ResumeThread", ("env_id",), CODE, "J", "ResumeThread", ""),
    Function(
        "GetThreadStatus", ("env_id",), "status", "J", "GetThreadState", "parked and sleeping threads are CONDVAR_WAIT"
    ),
    Function(
        "ThreadHasRun",
        ("env_id",),
        "bool",
        "J",
        "GetThreadCpuTime, against what it was at SuspendThread",
        "a thread that ends: False",
    ),
    Function(
        "CreateSystemThread", ("name", "priority", "f"), CODE, "J", "RunAgentThread", "not before JVM_INIT_DONE: FAIL"
    ),
    Function("SetThreadLocalStorage", ("env_id", "ptr"), CODE, "O", "a dictionary", "any object of Python's"),
    Function("GetThreadLocalStorage", ("env_id",), "object", "O", "likewise", "None: nothing was set"),
    Function("DisableGC", (), CODE, "-", "", "NOT_AVAILABLE: no JVMTI; not needed, since ids never change"),
    Function("EnableGC", (), CODE, "-", "", "NOT_AVAILABLE, as above"),
    Function(
        "RunGC",
        (),
        CODE,
        "J",
        "ForceGarbageCollection",
        "also with -XX:+DisableExplicitGC. Delivers all queued events, with GC_START, GC_FINISH, OBJECT_FREE and"
        " CLASS_UNLOAD of this collection, before it returns. They come later in three cases: NotifyEvent cannot run"
        " for a second, or for 20 ms because it waits for a monitor of the caller; RunGC is called within a queued"
        " event; RunGC is called in JVM_INIT_DONE",
    ),
    Function(
        "GetThreadObject",
        ("env_id",),
        "id",
        "O",
        "the same number: a thread's environment and object have one id",
        "0: there is no such thread",
    ),
    Function(
        "GetMethodClass",
        ("method_id",),
        "id",
        "J",
        "GetMethodDeclaringClass",
        "0: unloaded, or no event has named the method",
    ),
)

#: Beside those of the specification.
MORE: Final = (
    Function(
        "jobjectID2jobject",
        ("obj_id",),
        "handle",
        "O",
        "the object of an id, as handlers have it: `o.field(...)`, `str(o)`",
        "None: it is gone",
    ),
    Function(
        "jobject2jobjectID",
        ("handle",),
        "id",
        "O",
        "the id of a handle's object, which is given if it has none",
        "0: not a handle, or no longer valid",
    ),
    Function(
        "SuspendThreadList",
        ("env_ids",),
        "codes",
        "J",
        "SuspendThread of each",
        "as SuspendThread; no Python runs between two of them",
    ),
    Function("ResumeThreadList", ("env_ids",), "codes", "J", "ResumeThread of each", ""),
    Function(
        "GetMethodName",
        ("method_id",),
        "name",
        "J",
        "GetMethodName: `class_name`, `method_name`, `method_signature`; as a text, class and method",
        "None: unloaded, or no event has named the method",
    ),
    Function(
        "LostEvents",
        ("event_type",),
        "number",
        "O",
        "",
        "queued events of this type that were lost; `event.missed`: since the one before",
    ),
)

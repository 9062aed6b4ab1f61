"""The table of functions: the specification's 25, and how they come about over JVMTI. interface.py and what it imports define them."""

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
    Function("NotifyEvent", ("event",), "-", "O", "the script assigns it: `jvmpi.NotifyEvent = function`", ""),
    Function("EnableEvent", ("event_type", "arg"), CODE, "J/W", "SetEventNotificationMode; a rule for METHOD_*",
             "`arg` for METHOD_*: a pattern of methods, None: all of the program; for OBJECT_ALLOC: bytes between two that are told, None: all"),
    Function("DisableEvent", ("event_type", "arg"), CODE, "J/W", "likewise", "the probes of METHOD_* stay, and count"),
    Function("RequestEvent", ("event_type", "arg"), CODE, "O", "the event is sent on the asking thread, with REQUESTED_EVENT in its type", ""),
    Function("GetCallTrace", ("trace", "depth"), CODE, "J", "GetStackTrace, and the methods' lines, kept", "lines: -1 unknown, -3 native"),
    Function("ProfilerExit", ("err_code",), CODE, "O", "Runtime.exit on a thread of the agent", "returns at once"),
    Function("RawMonitorCreate", ("lock_name",), "monitor", "J", "CreateRawMonitor", ""),
    Function("RawMonitorEnter", ("lock_id",), CODE, "J", "RawMonitorEnter, without Python's lock", ""),
    Function("RawMonitorExit", ("lock_id",), CODE, "J", "RawMonitorExit", ""),
    Function("RawMonitorWait", ("lock_id", "ms"), CODE, "J", "RawMonitorWait, without Python's lock", ""),
    Function("RawMonitorNotifyAll", ("lock_id",), CODE, "J", "RawMonitorNotifyAll", ""),
    Function("RawMonitorDestroy", ("lock_id",), CODE, "J", "DestroyRawMonitor", ""),
    Function("GetCurrentThreadCpuTime", (), "ns", "O", "CLOCK_THREAD_CPUTIME_ID", ""),
    Function("SuspendThread", ("env_id",), CODE, "J", "SuspendThread", "native code runs on until it returns; whoever suspends should hold no lock"),
    Function("ResumeThread", ("env_id",), CODE, "J", "ResumeThread", ""),
    Function("GetThreadStatus", ("env_id",), "status", "J", "GetThreadState", "parked and sleeping threads are CONDVAR_WAIT"),
    Function("ThreadHasRun", ("env_id",), "bool", "J", "GetThreadCpuTime, against what it was at SuspendThread", "a thread that ends: False"),
    Function("CreateSystemThread", ("name", "priority", "f"), CODE, "J", "RunAgentThread", "not before JVM_INIT_DONE: FAIL"),
    Function("SetThreadLocalStorage", ("env_id", "ptr"), CODE, "O", "a dictionary", "any object of Python's"),
    Function("GetThreadLocalStorage", ("env_id",), "object", "O", "likewise", "None: nothing was set"),
    Function("DisableGC", (), CODE, "-", "", "NOT_AVAILABLE: no JVMTI; ids never change, so nobody needs it"),
    Function("EnableGC", (), CODE, "-", "", "NOT_AVAILABLE, as above"),
    Function("RunGC", (), CODE, "J", "ForceGarbageCollection", "also with -XX:+DisableExplicitGC"),
    Function("GetThreadObject", ("env_id",), "id", "O", "the same number: a thread's environment and object have one id",
         "0: there is no such thread"),
    Function("GetMethodClass", ("method_id",), "id", "J", "GetMethodDeclaringClass", "0: unloaded, or nobody was told of the method"),
)  # fmt: skip

"""Functions about threads, by the numbers of their environments; and GetMethodClass."""

from __future__ import annotations

from time import thread_time_ns

import classhook_jvmpi as native

from instrument.jvmpi.constants import FAIL, SUCCESS
from instrument.jvmpi.records import CallFrame, CallTrace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

storage: dict[int, Any] = {}
ROOM = 256  # entries, until those of threads that have ended are looked for
room = ROOM


def GetCallTrace(trace: CallTrace, depth: int) -> int:
    """Fills in the trace for its thread; of one that has ended it has no frames."""
    found = native.trace(trace.env_id, depth)
    trace.frames = [CallFrame(line, method) for line, method in found or ()]
    trace.num_frames = len(trace.frames)
    return FAIL if found is None else SUCCESS


def GetCurrentThreadCpuTime() -> int:
    """In ns."""
    return thread_time_ns()


def GetThreadStatus(env_id: int) -> int:
    """THREAD_RUNNABLE, THREAD_MONITOR_WAIT or THREAD_CONDVAR_WAIT, with THREAD_SUSPENDED and THREAD_INTERRUPTED; 0: it has ended."""
    status: int = native.thread_status(env_id)
    return status


def SuspendThread(env_id: int) -> int:
    return SUCCESS if native.suspend(env_id) else FAIL


def ResumeThread(env_id: int) -> int:
    return SUCCESS if native.resume(env_id) else FAIL


def ThreadHasRun(env_id: int) -> bool:
    """Whether it has used CPU time since it was suspended last; of a suspended one, since it was suspended before."""
    run: bool = native.has_run(env_id)
    return run


def SetThreadLocalStorage(env_id: int, ptr: Any) -> int:
    global room
    if len(storage) >= room:
        alive = set(native.threads())
        for number in [number for number in storage if number not in alive]:
            del storage[number]
        room = max(ROOM, len(storage) * 2)
    storage[env_id] = ptr
    return SUCCESS


def GetThreadLocalStorage(env_id: int) -> Any:
    return storage.get(env_id)


def GetThreadObject(env_id: int) -> int:
    """The id of the thread's object; 0: it has ended."""
    return env_id if native.thread_status(env_id) else 0


def GetMethodClass(method_id: int) -> int:
    """The id of the method's class."""
    found: int = native.class_of_method(method_id)
    return found

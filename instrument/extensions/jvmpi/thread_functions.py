"""Functions about threads, by the numbers of their environments; GetMethodClass, GetMethodName."""

from __future__ import annotations

from time import thread_time_ns

from classhook.base.embedded import jvmpi as native
from classhook.extensions.jvmpi.constants import FAIL, NOT_AVAILABLE, SUCCESS
from classhook.extensions.jvmpi.structures import CallFrame, CallTrace, MethodName

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

storage: dict[int, Any] = {}
ROOM = 256  # entries, until those of threads that are gone are looked for
room = ROOM


def GetCallTrace(trace: CallTrace, depth: int) -> int:
    """Fills in the trace for its thread; a thread that has ended has no frames. For the thread of the present event:
    the stack of its moment."""
    found = native.trace(trace.env_id, depth)
    trace.frames = [CallFrame(line, method) for line, method in found or ()]
    trace.num_frames = len(trace.frames)
    return FAIL if found is None else NOT_AVAILABLE if found is False else SUCCESS


def GetCurrentThreadCpuTime() -> int:
    """The CPU time of the current thread, in ns."""
    return thread_time_ns()


def GetThreadStatus(env_id: int) -> int:
    """THREAD_RUNNABLE, THREAD_MONITOR_WAIT or THREAD_CONDVAR_WAIT, with THREAD_SUSPENDED and THREAD_INTERRUPTED; 0: it
    has ended."""
    status: int = native.thread_status(env_id)
    return status


def SuspendThread(env_id: int) -> int:
    """Suspends a thread, which stops when it next runs Java code. FAIL: it has ended, or runs a handler."""
    return SuspendThreadList([env_id])[0]


def ResumeThread(env_id: int) -> int:
    """FAIL: it was not suspended."""
    return ResumeThreadList([env_id])[0]


def SuspendThreadList(env_ids: Iterable[int]) -> list[int]:
    """A code for each thread. Between two of them, no Python runs."""
    return [SUCCESS if well else FAIL for well in native.suspend([*env_ids])]


def ResumeThreadList(env_ids: Iterable[int]) -> list[int]:
    """A code for each thread."""
    return [SUCCESS if well else FAIL for well in native.resume([*env_ids])]


def ThreadHasRun(env_id: int) -> bool:
    """True if it has used CPU time since it was suspended last; of a suspended one, since it was suspended before."""
    run: bool = native.has_run(env_id)
    return run


def SetThreadLocalStorage(env_id: int, ptr: Any) -> int:
    """Keeps any object for a thread."""
    global room
    if len(storage) >= room:
        known = [*storage]  # while other threads add theirs
        for number in {*known} - {*native.those_there(known)}:
            storage.pop(number, None)
        room = max(ROOM, len(storage) * 2)
    storage[env_id] = ptr
    return SUCCESS


def GetThreadLocalStorage(env_id: int) -> Any:
    """The object that was kept for the thread; None: nothing."""
    return storage.get(env_id)


def GetThreadObject(env_id: int) -> int:
    """The id of the thread's object; 0: it has ended."""
    return env_id if native.thread_status(env_id) else 0


def GetMethodClass(method_id: int) -> int:
    """The id of the method's class."""
    found: int = native.class_of_method(method_id)
    return found


def GetMethodName(method_id: int) -> MethodName | None:
    """The method's class, name and signature; None: it is unloaded, or no event has named it."""
    found = native.method_name(method_id)
    return MethodName(*found) if found else None

"""JVMPI's names over JVMTI, for scripts of `classhook run --agent`: `from classhook import jvmpi`.
docs/reference/jvmpi.md has the tables.

Each constant has two names: `jvmpi.JVMPI_EVENT_CLASS_LOAD` and `jvmpi.EVENT_CLASS_LOAD`. Outside a JVM, functions raise
OutsideJvm.
"""

from __future__ import annotations

from classhook.base.embedded import IN_JVM as _IN_JVM
from classhook.base.embedded import outside as _outside
from classhook.extensions.jvmpi import dispatch
from classhook.extensions.jvmpi.constants import *  # noqa: F403
from classhook.extensions.jvmpi.event_fields import ClassUnload as ClassUnload
from classhook.extensions.jvmpi.event_fields import GlobalReferenceAlloc as GlobalReferenceAlloc
from classhook.extensions.jvmpi.event_fields import GlobalReferenceFree as GlobalReferenceFree
from classhook.extensions.jvmpi.event_fields import HeapDump as HeapDump
from classhook.extensions.jvmpi.event_fields import Instruction as Instruction
from classhook.extensions.jvmpi.event_fields import MethodCall as MethodCall
from classhook.extensions.jvmpi.event_fields import MethodEntry2 as MethodEntry2
from classhook.extensions.jvmpi.event_fields import Monitor as Monitor
from classhook.extensions.jvmpi.event_fields import MonitorDump as MonitorDump
from classhook.extensions.jvmpi.event_fields import MonitorWait as MonitorWait
from classhook.extensions.jvmpi.event_fields import ObjectAlloc as ObjectAlloc
from classhook.extensions.jvmpi.event_fields import ObjectDump as ObjectDump
from classhook.extensions.jvmpi.event_fields import ObjectFree as ObjectFree
from classhook.extensions.jvmpi.event_fields import RawMonitorContended as RawMonitorContended
from classhook.extensions.jvmpi.event_fields import ThreadStart as ThreadStart
from classhook.extensions.jvmpi.event_records import ClassLoad as ClassLoad
from classhook.extensions.jvmpi.event_records import ClassLoadHook as ClassLoadHook
from classhook.extensions.jvmpi.event_records import CompiledMethodLoad as CompiledMethodLoad
from classhook.extensions.jvmpi.event_records import Event as Event
from classhook.extensions.jvmpi.event_records import GcInfo as GcInfo
from classhook.extensions.jvmpi.functions import FUNCTIONS as _FUNCTIONS
from classhook.extensions.jvmpi.functions import MORE as _MORE
from classhook.extensions.jvmpi.handles import jobject2jobjectID as jobject2jobjectID
from classhook.extensions.jvmpi.handles import jobjectID2jobject as jobjectID2jobject
from classhook.extensions.jvmpi.interface import DisableEvent as DisableEvent
from classhook.extensions.jvmpi.interface import EnableEvent as EnableEvent
from classhook.extensions.jvmpi.interface import LostEvents as LostEvents
from classhook.extensions.jvmpi.interface import RequestEvent as RequestEvent
from classhook.extensions.jvmpi.jvm_functions import CreateSystemThread as CreateSystemThread
from classhook.extensions.jvmpi.jvm_functions import DisableGC as DisableGC
from classhook.extensions.jvmpi.jvm_functions import EnableGC as EnableGC
from classhook.extensions.jvmpi.jvm_functions import ProfilerExit as ProfilerExit
from classhook.extensions.jvmpi.jvm_functions import RunGC as RunGC
from classhook.extensions.jvmpi.raw import RawMonitorCreate as RawMonitorCreate
from classhook.extensions.jvmpi.raw import RawMonitorDestroy as RawMonitorDestroy
from classhook.extensions.jvmpi.raw import RawMonitorEnter as RawMonitorEnter
from classhook.extensions.jvmpi.raw import RawMonitorExit as RawMonitorExit
from classhook.extensions.jvmpi.raw import RawMonitorNotifyAll as RawMonitorNotifyAll
from classhook.extensions.jvmpi.raw import RawMonitorWait as RawMonitorWait
from classhook.extensions.jvmpi.structures import CallFrame as CallFrame
from classhook.extensions.jvmpi.structures import CallTrace as CallTrace
from classhook.extensions.jvmpi.structures import Field as Field
from classhook.extensions.jvmpi.structures import HeapDumpArg as HeapDumpArg
from classhook.extensions.jvmpi.structures import Inlined as Inlined
from classhook.extensions.jvmpi.structures import InlinedFrame as InlinedFrame
from classhook.extensions.jvmpi.structures import Lineno as Lineno
from classhook.extensions.jvmpi.structures import Method as Method
from classhook.extensions.jvmpi.structures import MethodName as MethodName
from classhook.extensions.jvmpi.structures import RawMonitor as RawMonitor
from classhook.extensions.jvmpi.thread_functions import GetCallTrace as GetCallTrace
from classhook.extensions.jvmpi.thread_functions import GetCurrentThreadCpuTime as GetCurrentThreadCpuTime
from classhook.extensions.jvmpi.thread_functions import GetMethodClass as GetMethodClass
from classhook.extensions.jvmpi.thread_functions import GetMethodName as GetMethodName
from classhook.extensions.jvmpi.thread_functions import GetThreadLocalStorage as GetThreadLocalStorage
from classhook.extensions.jvmpi.thread_functions import GetThreadObject as GetThreadObject
from classhook.extensions.jvmpi.thread_functions import GetThreadStatus as GetThreadStatus
from classhook.extensions.jvmpi.thread_functions import ResumeThread as ResumeThread
from classhook.extensions.jvmpi.thread_functions import ResumeThreadList as ResumeThreadList
from classhook.extensions.jvmpi.thread_functions import SetThreadLocalStorage as SetThreadLocalStorage
from classhook.extensions.jvmpi.thread_functions import SuspendThread as SuspendThread
from classhook.extensions.jvmpi.thread_functions import SuspendThreadList as SuspendThreadList
from classhook.extensions.jvmpi.thread_functions import ThreadHasRun as ThreadHasRun

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

#: The function that gets each event; the script assigns it.
NotifyEvent: Callable[[Event], object] | None = None

if _IN_JVM:
    dispatch.start()
else:
    for _one in (*_FUNCTIONS, *_MORE):
        if _one.name in globals() and _one.name != "NotifyEvent":
            globals()[_one.name] = _outside("jvmpi", globals()[_one.name])

if not TYPE_CHECKING:  # a type checker says itself what is not there

    def __getattr__(name: str) -> NoReturn:
        raise AttributeError(f"JVMPI has no `{name}`")

"""Raw monitors, and the events of those that are contended (native/extensions/jvmpi/raw_monitors.c). Each contention
has three: ENTER, the owner's EXIT, ENTERED.
"""

from __future__ import annotations

from threading import local

from classhook.base.embedded import jvmpi as native
from classhook.extensions.jvmpi.constants import FAIL, SUCCESS
from classhook.extensions.jvmpi.dispatch import send
from classhook.extensions.jvmpi.event_records import Record
from classhook.extensions.jvmpi.structures import RawMonitor

ENTER, ENTER_AT_LAST, EXIT, NOTIFY_ALL, DESTROY = range(5)
NOT_DONE, DONE, CONTENDED = -1, 0, 1
monitors: list[RawMonitor] = []


class Telling(local):
    """True if this thread is telling of a contention: NotifyEvent may use the same monitor."""

    now = False


telling = Telling()


def tell(event: str, monitor: RawMonitor, thread: int) -> None:
    if telling.now:
        return
    telling.now = True
    try:
        send(f"RAW_MONITOR_CONTENDED_{event}", thread, Record(name=monitor.name, id=monitor))
    finally:
        telling.now = False


def RawMonitorCreate(lock_name: str) -> RawMonitor | None:
    """None: there is no memory, or this thread is none of Java's."""
    found = native.raw_create()
    if found is None:
        return None
    made = RawMonitor(lock_name, found)
    monitors.append(made)
    return made


def monitor_of(given: object) -> object:
    """The agent's monitor; None: it is not a monitor."""
    return given.monitor if isinstance(given, RawMonitor) else None


def RawMonitorEnter(lock_id: RawMonitor) -> int:
    """Waits until no other thread has it."""
    answer = native.raw_act(monitor_of(lock_id), ENTER)
    if answer == CONTENDED:
        self = native.own_thread()
        lock_id.entering.append(self)
        try:
            tell("ENTER", lock_id, self)
        except BaseException:
            native.raw_act(monitor_of(lock_id), ENTER_AT_LAST)
            native.raw_act(monitor_of(lock_id), EXIT)
            raise
        else:
            answer = native.raw_act(monitor_of(lock_id), ENTER_AT_LAST)
        finally:
            lock_id.entering.remove(self)
        if answer != NOT_DONE:
            tell("ENTERED", lock_id, self)
    return FAIL if answer == NOT_DONE else SUCCESS


def RawMonitorExit(lock_id: RawMonitor) -> int:
    """FAIL: this thread does not have it."""
    answer = native.raw_act(monitor_of(lock_id), EXIT)
    if answer == CONTENDED:
        tell("EXIT", lock_id, native.own_thread())
    return FAIL if answer == NOT_DONE else SUCCESS


def RawMonitorWait(lock_id: RawMonitor, ms: int = 0) -> int:
    """Waits until RawMonitorNotifyAll, at most so many ms; 0: without a limit."""
    answer, *entered = native.raw_wait(monitor_of(lock_id))
    if answer == NOT_DONE:
        return FAIL
    self = native.own_thread()
    lock_id.waiting.append(self)
    try:
        if answer == CONTENDED:
            tell("EXIT", lock_id, self)
    finally:
        answer = native.raw_wait_on(monitor_of(lock_id), *entered, ms)
        lock_id.waiting.remove(self)
    return FAIL if answer == NOT_DONE else SUCCESS


def RawMonitorNotifyAll(lock_id: RawMonitor) -> int:
    """Threads in RawMonitorWait go on."""
    return FAIL if native.raw_act(monitor_of(lock_id), NOTIFY_ALL) == NOT_DONE else SUCCESS


def RawMonitorDestroy(lock_id: RawMonitor) -> int:
    """Threads that wait for it, or to be notified, go on, and fail."""
    if native.raw_act(monitor_of(lock_id), DESTROY) == NOT_DONE:
        return FAIL
    monitors.remove(lock_id)
    return SUCCESS

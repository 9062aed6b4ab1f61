"""Raw monitors, and the events of those that are contended: who has a monitor and who waits for it is known here.

Python's lock is held wherever the numbers change, and given up while the JVM lets somebody wait.
"""

from __future__ import annotations

import classhook_jvmpi as native

from instrument.jvmpi.constants import FAIL, SUCCESS
from instrument.jvmpi.dispatch import send
from instrument.jvmpi.records import RawMonitor, Record

ENTER, EXIT, WAIT, NOTIFY_ALL, DESTROY = range(5)
monitors: list[RawMonitor] = []


def RawMonitorCreate(lock_name: str) -> RawMonitor | None:
    """None: there are too many."""
    number = native.raw_create(lock_name)
    if number is None:
        return None
    made = RawMonitor(lock_name, number)
    monitors.append(made)
    return made


def RawMonitorEnter(lock_id: RawMonitor) -> int:
    self = native.own_thread()
    contended = lock_id.owner not in (0, self)
    lock_id.entering.append(self)
    if contended:
        send("RAW_MONITOR_CONTENDED_ENTER", self, Record(name=lock_id.name, id=lock_id))
    well = native.raw_act(lock_id.number, ENTER, 0)
    lock_id.entering.remove(self)
    if not well:
        return FAIL
    lock_id.owner = self
    lock_id.count += 1
    if contended:
        send("RAW_MONITOR_CONTENDED_ENTERED", self, Record(name=lock_id.name, id=lock_id))
    return SUCCESS


def RawMonitorExit(lock_id: RawMonitor) -> int:
    self = native.own_thread()
    if lock_id.owner != self or not lock_id.count:
        return FAIL
    lock_id.count -= 1
    last = not lock_id.count
    if last:
        lock_id.owner = 0
    contended = last and bool(lock_id.entering)
    if not native.raw_act(lock_id.number, EXIT, 0):
        return FAIL
    if contended:
        send("RAW_MONITOR_CONTENDED_EXIT", self, Record(name=lock_id.name, id=lock_id))
    return SUCCESS


def RawMonitorWait(lock_id: RawMonitor, ms: int = 0) -> int:
    """Until RawMonitorNotifyAll, at most so many ms; 0: without a limit."""
    self = native.own_thread()
    if lock_id.owner != self:
        return FAIL
    count = lock_id.count
    lock_id.owner = lock_id.count = 0
    lock_id.waiting.append(self)
    well = native.raw_act(lock_id.number, WAIT, ms)
    lock_id.waiting.remove(self)
    lock_id.owner, lock_id.count = self, count
    return SUCCESS if well else FAIL


def RawMonitorNotifyAll(lock_id: RawMonitor) -> int:
    return SUCCESS if lock_id.owner == native.own_thread() and native.raw_act(lock_id.number, NOTIFY_ALL, 0) else FAIL


def RawMonitorDestroy(lock_id: RawMonitor) -> int:
    if not native.raw_act(lock_id.number, DESTROY, 0):
        return FAIL
    monitors.remove(lock_id)
    return SUCCESS

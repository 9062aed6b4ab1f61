"""Functions about the JVM as a whole: threads of the agent's own, collections, the end."""

from __future__ import annotations

from classhook.base.embedded import jvmpi as native
from classhook.extensions.jvmpi import constants
from classhook.extensions.jvmpi.constants import FAIL, NOT_AVAILABLE, SUCCESS
from classhook.extensions.jvmpi.dispatch import State, beginning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LOWEST, HIGHEST = constants.MINIMUM_PRIORITY, constants.MAXIMUM_PRIORITY
last = 0


def CreateSystemThread(name: str, priority: int, f: Callable[[], Any]) -> int:
    """A daemon thread of the JVM that calls the function, and is hidden from the program."""
    global last
    if not State.is_up or not LOWEST <= priority <= HIGHEST:
        return FAIL
    last += 1
    number = last
    beginning[number] = f
    if native.system_thread(name, priority, number):
        return SUCCESS
    del beginning[number]
    return FAIL


def ProfilerExit(err_code: int) -> int:
    """The JVM ends with this exit status, as by System.exit; soon, not at once. In JVM_SHUT_DOWN, when it ends anyway:
    with this status."""
    return SUCCESS if State.is_up and native.exit(err_code, State.is_ending) else FAIL


def DisableGC() -> int:
    """NOT_AVAILABLE: it is not needed, since ids never change."""
    return NOT_AVAILABLE


def EnableGC() -> int:
    """NOT_AVAILABLE, as DisableGC."""
    return NOT_AVAILABLE


def RunGC() -> int:
    """A garbage collection; it has ended when this returns, and NotifyEvent has got its events."""
    return SUCCESS if State.is_up and native.collect() else FAIL

"""The functions that have to do with events: EnableEvent, DisableEvent, RequestEvent. The others are in threads.py, monitors.py and control.py."""

from __future__ import annotations

import classhook_jvmpi as native

from instrument.agent.agent import COMMANDS, Agent, handler
from instrument.agent.handlers import TIMEOUT, Handler
from instrument.jvmpi import dispatch, dumps, records
from instrument.jvmpi.constants import FAIL, NOT_AVAILABLE, REQUESTED, SUCCESS
from instrument.jvmpi.dispatch import State, enabled, notify
from instrument.jvmpi.events import BY_NUMBER, NEVER, NUMBER
from instrument.jvmpi.events import REQUESTED as REQUEST_ONLY
from instrument.jvmpi.records import Event, Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

EVERY_METHOD = "**::*"
#: Handlers of METHOD_*, by number and pattern.
methods: dict[tuple[int, str], Handler] = {}
CALLS = {NUMBER["METHOD_ENTRY"]: "method_entry", NUMBER["METHOD_ENTRY2"]: "method_entry", NUMBER["METHOD_EXIT"]: "method_exit"}
ASKED_FOR = (NUMBER["DATA_DUMP_REQUEST"], NUMBER["DATA_RESET_REQUEST"])
REFERENCES = frozenset(range(NUMBER["JNI_GLOBALREF_ALLOC"], NUMBER["JNI_WEAK_GLOBALREF_FREE"] + 1))
#: Enabled when the JVM is up, or again.
AGAIN = REFERENCES | {NUMBER[name] for name in ("OBJECT_ALLOC", "COMPILED_METHOD_LOAD", "CLASS_UNLOAD")}


def is_foreign() -> bool:
    """Whether the script started this thread, so that the JVM does not know it."""
    return State.is_up and not native.own_thread()


def EnableEvent(event_type: int, arg: Any = None) -> int:
    """From now on, NotifyEvent is told of it. Raises RuleError for a pattern that is none."""
    kind = BY_NUMBER.get(event_type)
    if kind is None or State.has_ended or is_foreign():
        return FAIL
    if kind.comes in (NEVER, REQUEST_ONLY):
        return NOT_AVAILABLE
    if event_type in CALLS:
        return enable_calls(event_type, arg)
    enabled.add(event_type)
    if event_type in ASKED_FOR and not State.is_up:
        take_commands()
    if event_type in AGAIN and not State.is_up:
        dispatch.waiting_for_jvm[event_type] = arg or 0
        if event_type in REFERENCES:
            return SUCCESS
    if native.enable(event_type, True, arg or 0) is False:
        enabled.discard(event_type)
        return NOT_AVAILABLE
    return SUCCESS


def DisableEvent(event_type: int, arg: Any = None) -> int:
    """NotifyEvent is not told of it any more."""
    kind = BY_NUMBER.get(event_type)
    if kind is None or is_foreign():
        return FAIL
    if kind.comes in (NEVER, REQUEST_ONLY):
        return NOT_AVAILABLE
    for (number, pattern), made in methods.items():
        if number == event_type and arg in (None, pattern):
            made.disable()
    enabled.discard(event_type)
    dispatch.waiting_for_jvm.pop(event_type, None)
    native.enable(event_type, False, 0)
    return SUCCESS


def take_commands() -> None:
    """`classhook ctl PID jvmpi dump` and `... reset`."""
    if "jvmpi" not in COMMANDS.functions:
        Agent().command("jvmpi", help="JVMPI's DATA_DUMP_REQUEST and DATA_RESET_REQUEST: `jvmpi dump`, `jvmpi reset`")(asked)


def asked(what: str) -> None:
    if what not in ("dump", "reset"):
        raise ValueError(f"{what}: `jvmpi dump` and `jvmpi reset` are what there is")
    dispatch.send(f"DATA_{what.upper()}_REQUEST", native.own_thread())


def enable_calls(event_type: int, pattern: str | None) -> int:
    """A rule for the calls: of the script's own, or added to those in force; then the classes that it concerns are changed at once."""
    known = methods.get((event_type, pattern or EVERY_METHOD))
    if known is None:
        called = TELLS[event_type]
        try:
            made = handler(CALLS[event_type], called, pattern or EVERY_METHOD, True, TIMEOUT, "", {})
        except RuntimeError:  # the rules cannot be changed just now
            return FAIL
        methods[event_type, pattern or EVERY_METHOD] = made
        dispatch.handlers.append(made)
    else:
        known.enable()
    return SUCCESS


def entry(event: Any) -> None:
    env_id, method, _ = native.method_called(event)
    notify(Event(NUMBER["METHOD_ENTRY"], env_id, Record(method_id=method)))


def entry2(event: Any) -> None:
    env_id, method, object_id = native.method_called(event)
    notify(Event(NUMBER["METHOD_ENTRY2"], env_id, Record(method_id=method, obj_id=object_id)))


def left(event: Any) -> None:
    env_id, method, _ = native.method_called(event)
    notify(Event(NUMBER["METHOD_EXIT"], env_id, Record(method_id=method)))


TELLS = {NUMBER["METHOD_ENTRY"]: entry, NUMBER["METHOD_ENTRY2"]: entry2, NUMBER["METHOD_EXIT"]: left}


def RequestEvent(event_type: int, arg: Any = None) -> int:
    """Sends the event at once, on this thread."""
    kind = BY_NUMBER.get(event_type)
    if kind is None or not State.is_up or is_foreign():
        return FAIL
    answer = REQUESTS.get(event_type)
    if answer is None:
        return NOT_AVAILABLE
    made = answer(arg)
    if isinstance(made, int):
        return made
    notify(Event(event_type | REQUESTED, native.own_thread(), made))
    return SUCCESS


def class_load(class_id: int) -> Record | int:
    return records.ClassLoad(class_id) if native.class_parts(class_id, "n") else FAIL


def thread_start(env_id: int) -> Record | int:
    return dispatch.thread_start(env_id) if native.thread_facts(env_id) else FAIL


def object_alloc(object_id: int) -> Record | int:
    found = native.object_facts(object_id)
    return dispatch.object_alloc(object_id, *found) if found else FAIL


#: By the number of an event: its record, or why there is none.
REQUESTS: dict[int, Callable[[Any], Record | int]] = {
    NUMBER["CLASS_LOAD"]: class_load,
    NUMBER["THREAD_START"]: thread_start,
    NUMBER["OBJECT_ALLOC"]: object_alloc,
    NUMBER["OBJECT_DUMP"]: dumps.object_dump,
    NUMBER["MONITOR_DUMP"]: dumps.monitor_dump,
    NUMBER["HEAP_DUMP"]: dumps.heap_dump,
}

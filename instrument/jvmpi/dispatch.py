"""From the hub to NotifyEvent: makes the specification's event of what the JVM's callback noted (native/jvmpi/events.c).

1. Handlers of the hub are added when the script imports the package: one that is called on the event's thread, one for queued events,
   one without a limit of time, and those for the JVM's start and end.
2. What NotifyEvent raises is dealt with as of any handler.
"""

from __future__ import annotations

import sys

import classhook_jvmpi as native

from instrument.agent.handlers import TIMEOUT, Handler
from instrument.jvmpi import records
from instrument.jvmpi.events import NUMBER
from instrument.jvmpi.records import Event, Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

package = sys.modules["instrument.jvmpi"]
SYSTEM_THREAD = 0  # not an event, but the function of a thread
enabled: set[int] = set()
#: Functions of threads that begin, by number.
beginning: dict[int, Callable[[], Any]] = {}


class State:
    is_up = False  # the JVM, since JVM_INIT_DONE
    has_ended = False
    function: Callable[[Event], Any] | None = None  # NotifyEvent, as it was last


#: Of the hub, by ways.
handlers: list[Handler] = []


def notify(event: Event) -> None:
    function = package.NotifyEvent
    if function is None:
        return
    if function is not State.function:  # the report names it
        State.function = function
        for handler in handlers:
            handler.describe(function)
    function(event)


def send(event: str, env_id: int, record: Record | None = None) -> None:
    """An event of our own, if it is enabled."""
    if NUMBER[event] in enabled:
        notify(Event(NUMBER[event], env_id, record or Record()))


def called(event: Any) -> tuple[bytes, bool] | None:
    """The handler: whatever comes."""
    number, a, b, env_id, took = native.unpack(event)
    if number == SYSTEM_THREAD:
        beginning.pop(a)()
        return None
    if number not in enabled:
        if number == NUMBER["COMPILED_METHOD_LOAD"]:
            native.code_lines(a)  # frees them
        return None  # it was queued when it was disabled
    if number == NUMBER["CLASS_LOAD_HOOK"]:
        hook = records.ClassLoadHook(event.data)
        notify(Event(number, env_id, hook))
        changed = hook.changed()
        return (changed, False) if changed is not None else None
    make = MAKE.get(number)
    notify(Event(number, env_id, make(a, b, took) if make else Record()))
    return None


def thread_start(env_id: int) -> Record:
    name, group, parent = native.thread_facts(env_id) or ("", "", "")
    return Record(thread_name=name, group_name=group, parent_name=parent, thread_id=env_id, thread_env_id=env_id)


def object_alloc(object_id: int, class_id: int, size: int) -> Record:
    return Record(arena_id=1, class_id=class_id, is_array=native.array_type(class_id), size=size, obj_id=object_id)


def code(place: int, unused: int, size: int) -> Record:
    method, address, lines = native.code_lines(place)
    table = [records.Lineno(*line) for line in lines]
    return Record(method_id=method, code_addr=address, code_size=size, lineno_table_size=len(table), lineno_table=table)


#: By the number of an event: from its two numbers, and what took.
MAKE: dict[int, Callable[[int, int, int], Record]] = {
    NUMBER["OBJECT_ALLOC"]: object_alloc,
    NUMBER["OBJECT_FREE"]: lambda a, b, took: Record(obj_id=a),
    NUMBER["COMPILED_METHOD_LOAD"]: code,
    NUMBER["COMPILED_METHOD_UNLOAD"]: lambda a, b, took: Record(method_id=a),
    NUMBER["THREAD_START"]: lambda a, b, took: thread_start(a),
    NUMBER["JNI_GLOBALREF_ALLOC"]: lambda a, b, took: Record(obj_id=a, ref_id=b),
    NUMBER["JNI_GLOBALREF_FREE"]: lambda a, b, took: Record(ref_id=b),
    NUMBER["JNI_WEAK_GLOBALREF_ALLOC"]: lambda a, b, took: Record(obj_id=a, ref_id=b),
    NUMBER["JNI_WEAK_GLOBALREF_FREE"]: lambda a, b, took: Record(ref_id=b),
    NUMBER["CLASS_LOAD"]: lambda a, b, took: records.ClassLoad(a),
    NUMBER["CLASS_UNLOAD"]: lambda a, b, took: Record(class_id=a),
    NUMBER["MONITOR_CONTENDED_ENTER"]: lambda a, b, took: Record(object=a),
    NUMBER["MONITOR_CONTENDED_ENTERED"]: lambda a, b, took: Record(object=a),
    NUMBER["MONITOR_CONTENDED_EXIT"]: lambda a, b, took: Record(object=a),
    NUMBER["MONITOR_WAIT"]: lambda a, b, took: Record(object=a, timeout=b),
    NUMBER["MONITOR_WAITED"]: lambda a, b, took: Record(object=a, timeout=b),
    NUMBER["GC_FINISH"]: lambda a, b, took: records.GcInfo(),
}


def begin(event: Any) -> None:
    """The JVM is up."""
    native.prepare()
    State.is_up = True
    for number, argument in waiting_for_jvm.items():
        native.enable(number, True, argument)
    send("JVM_INIT_DONE", native.own_thread())


def end(event: Any) -> None:
    """The JVM ends, or the agent is detached."""
    send("JVM_SHUT_DOWN", native.own_thread())
    State.has_ended = True
    for number in enabled:
        native.enable(number, False, 0)


#: What the JVM cannot enable before it is up, or not all of it, with the argument.
waiting_for_jvm: dict[int, int] = {}


def start() -> bool:
    """False: this JVM has no JVMTI of that kind."""
    ways = [Handler("jvmpi", called, sync, None, limit) for sync, limit in ((True, TIMEOUT), (False, TIMEOUT), (True, 0))]
    handlers.extend([*ways, Handler("start", begin, True, None, 0), Handler("end", end, True, None, 0)])
    started: bool = native.start(*(handler.number for handler in ways))
    return started

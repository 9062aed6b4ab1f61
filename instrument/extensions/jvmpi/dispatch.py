"""Dispatches from the hub to NotifyEvent: makes the specification's event of the notes of the JVM's callback
(native/extensions/jvmpi/jvmpi_events.c).

1. One script of a JVM can have JVMPI. If it takes the place of another one, nothing is asked of the JVM until the other
   one is gone.
2. Handlers of the hub are added when the script imports the package: one that is called on the event's thread, one
   without a limit of time, and those for the JVM's start and end; and one for each queued event when it is enabled
   first.
3. What NotifyEvent raises is dealt with as of any handler.
"""

from __future__ import annotations

import sys

from classhook.agent.handlers import TIMEOUT, Handler
from classhook.agent.loaded import SCRIPTS, Script, others
from classhook.base.embedded import jvmpi as native
from classhook.extensions.jvmpi import event_records as records
from classhook.extensions.jvmpi import native_methods
from classhook.extensions.jvmpi.event_records import Event, Record
from classhook.extensions.jvmpi.events import BY_NUMBER, NUMBER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

package = sys.modules["classhook.extensions.jvmpi"]
script = SCRIPTS[-1] if SCRIPTS else Script("")  # none: outside a JVM
SYSTEM_THREAD = 0  # not an event, but the function of a thread
enabled: set[int] = set()
CLASS_LOAD, CLASS_UNLOAD, THREAD_START, THREAD_END = (
    NUMBER[name] for name in ("CLASS_LOAD", "CLASS_UNLOAD", "THREAD_START", "THREAD_END")
)
#: Ids of classes and threads that NotifyEvent has been told of.
defined: set[int] = set()
#: By the id of a class: the type of its objects, and the class that OBJECT_ALLOC names, an array's elements'.
types: dict[int, tuple[int, int]] = {}
#: Functions of threads that begin, by number.
beginning: dict[int, Callable[[], Any]] = {}


class State:
    is_up = False  # the JVM, since JVM_INIT_DONE
    is_ending = False  # JVM_SHUT_DOWN is told
    has_ended = False
    function: Callable[[Event], Any] | None = None  # NotifyEvent, as it was last


#: The hub's handler for all that calls NotifyEvent.
handlers: list[Handler] = []
#: The handlers of queued events, by number.
queued: dict[int, Handler] = {}


def must_wait() -> bool:
    """True if another script may still be in force."""
    return script.late and not State.is_up


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


def define_class(class_id: int) -> None:
    """Tells of a class that was there before, or is an array's, if no event has: an id is defined before it is used.
    There are arrays of classes that are not linked yet: these are linked now, and so have their members."""
    if CLASS_LOAD in enabled and class_id not in defined and (linked := native.class_parts(class_id, "l")) is not None:
        defined.add(class_id)
        if linked == [False]:
            native.link(class_id)
        notify(Event(CLASS_LOAD, native.own_thread(), records.ClassLoad(class_id)))


def define_thread(env_id: int) -> None:
    if THREAD_START in enabled and env_id not in defined:
        defined.add(env_id)
        notify(Event(THREAD_START, env_id, thread_start(env_id)))


def define_those_there(number: int) -> None:
    """Sends earlier definitions of ids, when an event that defines ids is enabled."""
    if number == CLASS_LOAD:
        for class_id in native.classes():
            define_class(class_id)
    elif number == THREAD_START:
        for env_id in native.threads():
            define_thread(env_id)


def is_new(number: int, id_: int) -> bool:
    """True if an event is the first one of its class or thread."""
    if number in (CLASS_LOAD, THREAD_START):
        if id_ in defined:
            return False
        defined.add(id_)
    elif number in (CLASS_UNLOAD, THREAD_END):
        defined.discard(id_)
    return True


def called(event: Any) -> tuple[bytes, bool] | None:
    """The handler: whatever comes."""
    number, a, b, env_id, took, missed = native.unpack(event)
    if number == SYSTEM_THREAD:
        beginning.pop(a)()
        return None
    if number == native_methods.QUESTION:
        native_methods.answer(a, b, took)
        return None
    if number not in enabled:
        if number == NUMBER["COMPILED_METHOD_LOAD"]:
            native.code(a)  # frees it
        return None  # it was queued when it was disabled
    if not is_new(number, env_id if number == THREAD_END else a):
        return None
    if number == NUMBER["CLASS_LOAD_HOOK"]:
        hook = records.ClassLoadHook(event.data)
        notify(Event(number, env_id, hook))
        changed = hook.changed()
        return (changed, False) if changed is not None else None
    make = MAKE.get(number)
    notify(Event(number, env_id, make(a, b, took) if make else Record(), missed))
    return None


def queue(number: int, lossy: bool, frames: int) -> None:
    """The handler of a queued event, with these options."""
    handler = queued.get(number)
    if handler is None:
        handler = queued[number] = Handler("jvmpi", called, False, None, TIMEOUT, script=script, counts_for=handlers[0])
        handler.what = f"{BY_NUMBER[number].name} event"
        if State.function:
            handler.describe(State.function)
        handlers.append(handler)
        if not must_wait():
            native.queue_to(number, handler.number)
    handler.choose(lossy, frames)


def thread_start(env_id: int) -> Record:
    name, group, parent = native.thread_facts(env_id) or ("", "", "")
    return Record(thread_name=name, group_name=group, parent_name=parent, thread_id=env_id, thread_env_id=env_id)


def object_alloc(object_id: int, class_id: int, size: int) -> Record:
    found = types.get(class_id)
    if found is None:
        found = types[class_id] = native.array_type(class_id)
    type_, of = found
    define_class(of)
    return Record(arena_id=1, class_id=of, is_array=type_, size=size, obj_id=object_id)


def code(place: int, unused: int, size: int) -> Record:
    method, address, held = native.code(place)
    define_class(native.class_of_method(method))
    return records.CompiledMethodLoad(method, address, size, held)


#: By the number of an event: from its two numbers, and what took.
MAKE: dict[int, Callable[[int, int, int], Record]] = {
    NUMBER["METHOD_ENTRY"]: lambda a, b, took: Record(method_id=a),
    NUMBER["METHOD_ENTRY2"]: lambda a, b, took: Record(method_id=a, obj_id=b),
    NUMBER["METHOD_EXIT"]: lambda a, b, took: Record(method_id=a),
    NUMBER["OBJECT_ALLOC"]: object_alloc,
    NUMBER["OBJECT_FREE"]: lambda a, b, took: Record(obj_id=a),
    NUMBER["COMPILED_METHOD_LOAD"]: code,
    NUMBER["COMPILED_METHOD_UNLOAD"]: lambda a, b, took: Record(method_id=a),
    NUMBER["INSTRUCTION_START"]: lambda a, b, took: Record(method_id=a, offset=b),
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
    NUMBER["MONITOR_WAITED"]: lambda a, b, took: Record(object=a, timeout=b >> 1, timed_out=bool(b & 1)),
    NUMBER["GC_FINISH"]: lambda a, b, took: records.GcInfo(a, b),
}


def begin(event: Any) -> None:
    """The JVM is up."""
    native.start(*[handler.number for handler in handlers[:2]])
    for number, handler in queued.items():
        native.queue_to(number, handler.number)
    native.prepare()
    native.natives_changed()  # a script before this one may have answered
    State.is_up = True
    for number, argument in waiting_for_jvm.items():
        native.enable(number, True, argument)
    define_those_there(CLASS_LOAD)
    define_those_there(THREAD_START)
    send("JVM_INIT_DONE", native.own_thread())


def end(event: Any) -> None:
    """The JVM ends, or the agent is detached."""
    State.is_ending = True
    send("JVM_SHUT_DOWN", native.own_thread())
    State.has_ended = True
    for number in enabled:
        native.enable(number, False, 0)


#: The events that the JVM cannot enable before it is up, or only in part, with the argument.
waiting_for_jvm: dict[int, int] = {}


def start() -> bool:
    """False: this JVM has no JVMTI of that kind. Raises RuntimeError if another script has JVMPI."""
    for other in others(script):
        if __name__ in other.modules:
            raise RuntimeError(f"{other.path} uses JVMPI already, and only one script of a JVM can use it")
    limited = Handler("jvmpi", called, True, None, TIMEOUT)
    unlimited = Handler("jvmpi", called, True, None, 0, counts_for=limited)
    handlers.extend([limited, unlimited, Handler("start", begin, True, None, 0), Handler("end", end, True, None, 0)])
    started: bool = native.start() if must_wait() else native.start(limited.number, unlimited.number)
    return started

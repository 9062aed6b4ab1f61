"""The functions for events: EnableEvent, DisableEvent, RequestEvent. The others are in thread_functions.py, raw.py and
jvm_functions.py."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from classhook.agent.event_requests import MOST_FRAMES, handler, put_in, take_out
from classhook.agent.handlers import TIMEOUT, Handler
from classhook.agent.own_commands import add_command
from classhook.base.embedded import jvmpi as native
from classhook.extensions.jvmpi import dispatch, dumps, native_methods
from classhook.extensions.jvmpi import event_records as records
from classhook.extensions.jvmpi.constants import FAIL, NOT_AVAILABLE, REQUESTED_EVENT, SUCCESS, VIRTUAL
from classhook.extensions.jvmpi.dispatch import State, enabled, notify
from classhook.extensions.jvmpi.event_records import Event, Record
from classhook.extensions.jvmpi.events import BY_NUMBER, NEVER, NUMBER, QUEUED
from classhook.extensions.jvmpi.events import REQUESTED as REQUEST_ONLY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


EVERY_METHOD = "**::*"
#: Handlers of METHOD_*, by number and pattern; and those whose probes are not there.
methods: dict[tuple[int, str], Handler] = {}
bare: set[int] = set()
#: Patterns of METHOD_ENTRY2 for which constructors come with their objects.
with_objects: set[str] = set()
ENTRY2 = NUMBER["METHOD_ENTRY2"]
CALLS = {
    NUMBER["METHOD_ENTRY"]: "method_entry",
    NUMBER["METHOD_ENTRY2"]: "method_entry",
    NUMBER["METHOD_EXIT"]: "method_exit",
}
ASKED_FOR = (NUMBER["DATA_DUMP_REQUEST"], NUMBER["DATA_RESET_REQUEST"])
REFERENCES = frozenset(range(NUMBER["JNI_GLOBALREF_ALLOC"], NUMBER["JNI_WEAK_GLOBALREF_FREE"] + 1))
#: Queued, on a thread of the program.
WITH_STACK = REFERENCES | {NUMBER["OBJECT_ALLOC"]}
#: Enabled when the JVM is up, or again.
AGAIN = REFERENCES | {
    NUMBER[name]
    for name in (
        "OBJECT_ALLOC",
        "COMPILED_METHOD_LOAD",
        "CLASS_UNLOAD",
        "INSTRUCTION_START",
        "GC_FINISH",
        "MONITOR_WAIT",
        "MONITOR_WAITED",
    )
}
STEPS = NUMBER["INSTRUCTION_START"]
OF_THREADS = (NUMBER["THREAD_START"], NUMBER["THREAD_END"])


def is_foreign() -> bool:
    """True if the script started this thread, so that the JVM does not know it."""
    return State.is_up and not native.own_thread()


def EnableEvent(
    event_type: int,
    arg: Any = None,
    *,
    stack: int = 0,
    lossy: bool = False,
    constructors: bool = False,
    natives: bool = False,
) -> int:
    """Enables an event: NotifyEvent gets it from now on. A queued event comes with so many frames of its stack, for
    GetCallTrace; `lossy`: events that come too fast are lost, instead of waited for. Of METHOD_ENTRY2: `constructors`
    come with the object that they make. Of METHOD_*: `natives`, native methods that the JVM binds from now on, too.
    Raises RuleError for a pattern that is none."""
    kind = BY_NUMBER.get(event_type)
    if kind is None or State.has_ended or is_foreign() or not 0 <= stack <= MOST_FRAMES:
        return FAIL
    if kind.comes in (NEVER, REQUEST_ONLY) or (stack and kind.told == QUEUED and event_type not in WITH_STACK):
        return NOT_AVAILABLE
    if event_type in OF_THREADS:
        if arg not in (None, VIRTUAL):
            return FAIL
        arg = int(arg == VIRTUAL)
    if kind.told == QUEUED:
        dispatch.queue(event_type, lossy, stack)
    if event_type in CALLS:
        try:
            code = enable_calls(event_type, arg, constructors)
        except RuntimeError:  # the rules cannot be changed just now
            return FAIL
        return enable_natives(event_type, arg or EVERY_METHOD, natives) or code
    if natives:
        return NOT_AVAILABLE
    enabled.add(event_type)
    if event_type in ASKED_FOR and not State.is_up:
        take_commands()
    if (event_type in AGAIN and not State.is_up) or dispatch.must_wait():
        dispatch.waiting_for_jvm[event_type] = arg or 0
        if event_type in REFERENCES or dispatch.must_wait():
            return SUCCESS
    if native.enable(event_type, True, arg or 0) is False:
        enabled.discard(event_type)
        return NOT_AVAILABLE
    if State.is_up:
        dispatch.define_those_there(event_type)
    return SUCCESS


def LostEvents(event_type: int) -> int:
    """The number of queued events of this type that were lost."""
    handler = dispatch.queued.get(event_type)
    return handler.lost if handler is not None else 0


def DisableEvent(event_type: int, arg: Any = None) -> int:
    """Disables an event: NotifyEvent does not get it any more."""
    kind = BY_NUMBER.get(event_type)
    if kind is None or is_foreign():
        return FAIL
    if kind.comes in (NEVER, REQUEST_ONLY):
        return NOT_AVAILABLE
    for (number, pattern), made in methods.items():
        if number == event_type and arg in (None, pattern):
            disable_calls(made)
    if event_type == STEPS and arg:
        return SUCCESS if native.enable(event_type, False, arg) else FAIL
    if event_type in CALLS and native_methods.forget(event_type, arg):
        return SUCCESS
    enabled.discard(event_type)
    dispatch.waiting_for_jvm.pop(event_type, None)
    if not dispatch.must_wait():
        native.enable(event_type, False, 0)
    return SUCCESS


def take_commands() -> None:
    """`classhook ctl PID jvmpi dump` and `... reset`."""
    if "jvmpi" not in dispatch.script.commands:
        add_command(
            dispatch.script,
            "jvmpi",
            asked,
            "JVMPI's DATA_DUMP_REQUEST and DATA_RESET_REQUEST: `jvmpi dump`, `jvmpi reset`",
        )


def asked(what: str) -> None:
    if what not in ("dump", "reset"):
        raise ValueError(f"{what}: `jvmpi dump` and `jvmpi reset` are what there is")
    dispatch.send(f"DATA_{what.upper()}_REQUEST", native.own_thread())


def enable_calls(event_type: int, pattern: str | None, constructors: bool) -> int:
    """A rule for the calls: of the script's own, or added to those in force; then the classes that it concerns are
    changed at once, unless they wait for a loop that runs: NOT_AVAILABLE."""
    if constructors and (event_type != ENTRY2 or not native.sees_receivers()):
        return NOT_AVAILABLE
    methods_of = pattern or EVERY_METHOD
    if event_type == ENTRY2:
        (with_objects.add if constructors else with_objects.discard)(methods_of)
    known = methods.get((event_type, methods_of))
    if known is None:
        called = partial(TELLS[event_type], methods_of)
        made = handler(dispatch.script, CALLS[event_type], called, methods_of, True, TIMEOUT, "", {})
        methods[event_type, methods_of] = made
        dispatch.handlers.append(made)
        return NOT_AVAILABLE if made.waiting else SUCCESS
    known.enable()
    if known.number not in bare:
        return SUCCESS
    put_in(known)
    bare.discard(known.number)
    return NOT_AVAILABLE if known.waiting else SUCCESS


def enable_natives(event_type: int, pattern: str, wanted: bool) -> int:
    """Enables the event for native methods, too, or disables it for them."""
    if not wanted:
        native_methods.forget(event_type, pattern)
        return SUCCESS
    native_methods.ask(event_type, pattern)
    enabled.add(event_type)
    if dispatch.must_wait():
        dispatch.waiting_for_jvm[event_type] = 0
        return SUCCESS
    return SUCCESS if native.enable(event_type, True, 0) else NOT_AVAILABLE


def disable_calls(made: Handler) -> None:
    """Removes the event's rule, so that the classes are as before; when the rules cannot be changed, the probes stay,
    and do nothing."""
    made.disable()
    if made.number not in bare and not State.is_ending:
        with suppress(RuntimeError):
            take_out(made)
            bare.add(made.number)


def entry(pattern: str, event: Any) -> None:
    env_id, method, _ = native.method_called(event, False)
    notify(Event(NUMBER["METHOD_ENTRY"], env_id, Record(method_id=method)))


def entry2(pattern: str, event: Any) -> None:
    env_id, method, object_id = native.method_called(event, pattern in with_objects)
    notify(Event(NUMBER["METHOD_ENTRY2"], env_id, Record(method_id=method, obj_id=object_id)))


def left(pattern: str, event: Any) -> None:
    env_id, method, _ = native.method_called(event, False)
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
    notify(Event(event_type | REQUESTED_EVENT, native.own_thread(), made))
    return SUCCESS


def class_load(class_id: int) -> Record | int:
    return records.ClassLoad(class_id) if native.class_parts(class_id, "n") else FAIL


def class_load_hook(class_id: int) -> Record | int:
    """Tells it here: what NotifyEvent makes of it is put in the class's place. FAIL: the JVM does not take it, or lets
    nobody change the class."""
    data = native.class_file(class_id)
    if data is None:
        return FAIL
    hook = records.ClassLoadHook(data)
    notify(Event(NUMBER["CLASS_LOAD_HOOK"] | REQUESTED_EVENT, native.own_thread(), hook))
    changed = hook.changed()
    return SUCCESS if changed is None or native.change_class(class_id, changed) else FAIL


def thread_start(env_id: int) -> Record | int:
    return dispatch.thread_start(env_id) if native.thread_facts(env_id) else FAIL


def object_alloc(object_id: int) -> Record | int:
    found = native.object_facts(object_id)
    return dispatch.object_alloc(object_id, *found) if found else FAIL


#: By the number of an event: its record, or why there is none.
REQUESTS: dict[int, Callable[[Any], Record | int]] = {
    NUMBER["CLASS_LOAD"]: class_load,
    NUMBER["CLASS_LOAD_HOOK"]: class_load_hook,
    NUMBER["THREAD_START"]: thread_start,
    NUMBER["OBJECT_ALLOC"]: object_alloc,
    NUMBER["OBJECT_DUMP"]: dumps.object_dump,
    NUMBER["MONITOR_DUMP"]: dumps.monitor_dump,
    NUMBER["HEAP_DUMP"]: dumps.heap_dump,
}

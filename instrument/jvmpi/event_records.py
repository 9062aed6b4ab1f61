"""The specification's records: events, what they carry, call traces. Those of dumps are in dump_records.py.

What is costly to find and seldom asked for (a class's members) is found when it is asked for, by the id.
"""

from __future__ import annotations

import classhook_events as hub
import classhook_jvmpi as native

from classhook.jvmpi.constants import REQUESTED
from classhook.jvmpi.events import BY_NUMBER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


LONGEST = 80  # of a value, where an event is shown


class Record:
    """What an event carries: its fields are those of the table of events."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def __repr__(self) -> str:
        return f"<{' '.join(f'{name}={shown(value)}' for name, value in self.__dict__.items())}>"


def shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST else text[:LONGEST] + "..."


class Union:
    """`event.u`: it has one member, by the type of the event."""

    def __init__(self, member: str, record: Record) -> None:
        if member:
            self.__dict__[member] = record

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"this event has no `u.{name}`" + "".join(f", but `u.{member}`" for member in self.__dict__))

    def __repr__(self) -> str:
        return "".join(f"{member}={record!r}" for member, record in self.__dict__.items())


class Event:
    """An event. `event_type`: its number, with REQUESTED_EVENT if it was requested; `env_id`: of its thread, 0: none of Java's; `missed`: how many
    events of its type were lost since the one before."""

    __slots__ = ("_record", "env_id", "event_type", "missed")

    def __init__(self, event_type: int, env_id: int, record: Record, missed: int = 0) -> None:
        self.event_type = event_type
        self.env_id = env_id
        self.missed = missed
        self._record = record

    @property
    def u(self) -> Union:
        """What it carries, under the name of its kind."""
        return Union(BY_NUMBER[self.event_type & ~REQUESTED].member, self._record)

    @property
    def name(self) -> str:
        """The name of its type, without `JVMPI_EVENT_`."""
        return BY_NUMBER[self.event_type & ~REQUESTED].name

    def __repr__(self) -> str:
        return f"<{self.name} {self.u!r}>"


class Method:
    """A method of a class; lines are -1 if it has none."""

    __slots__ = ("end_lineno", "method_id", "method_name", "method_signature", "start_lineno")

    def __init__(self, name: str, signature: str, start: int, end: int, method_id: int) -> None:
        self.method_name = name
        self.method_signature = signature
        self.start_lineno = start
        self.end_lineno = end
        self.method_id = method_id


class Field:
    __slots__ = ("field_name", "field_signature")

    def __init__(self, name: str, signature: str) -> None:
        self.field_name = name
        self.field_signature = signature


class Lineno:
    """A line of compiled code."""

    __slots__ = ("lineno", "offset")

    def __init__(self, offset: int, lineno: int) -> None:
        self.offset = offset
        self.lineno = lineno


class CallFrame:
    __slots__ = ("lineno", "method_id")

    def __init__(self, lineno: int, method_id: int) -> None:
        self.lineno = lineno
        self.method_id = method_id

    def __repr__(self) -> str:
        return f"<CallFrame {self.method_id:x}:{self.lineno}>"


class CallTrace:
    """A stack, innermost first, which GetCallTrace fills in for the thread `env_id`."""

    __slots__ = ("env_id", "frames", "num_frames")

    def __init__(self, env_id: int, frames: list[CallFrame] | None = None) -> None:
        self.env_id = env_id
        self.frames = frames or []
        self.num_frames = len(self.frames)


class HeapDumpArg:
    """The argument of RequestEvent for HEAP_DUMP."""

    __slots__ = ("heap_dump_level",)

    def __init__(self, heap_dump_level: int) -> None:
        self.heap_dump_level = heap_dump_level


class RawMonitor:
    """What RawMonitorCreate makes. `entering` and `waiting`: threads; `number`: no other monitor has it."""

    __slots__ = ("entering", "monitor", "name", "number", "waiting")
    last = 0

    def __init__(self, name: str, monitor: object) -> None:
        self.name = name
        self.monitor = monitor
        self.number = RawMonitor.last = RawMonitor.last + 1
        self.entering: list[int] = []
        self.waiting: list[int] = []

    @property
    def owner(self) -> int:
        """The thread that has it; 0: none."""
        thread: int = native.raw_state(self.monitor)[0]
        return thread

    @property
    def count(self) -> int:
        """How often the owner has entered."""
        times: int = native.raw_state(self.monitor)[1]
        return times

    def __repr__(self) -> str:
        return f"<RawMonitor {self.name}>"


class ClassLoad(Record):
    """`class_load`: what is known of a class, while it is loaded; its name is always known."""

    def __init__(self, class_id: int) -> None:
        (name,) = native.class_parts(class_id, "n") or ("",)
        super().__init__(class_name=name, class_id=class_id)

    def __getattr__(self, field: str) -> Any:
        if field not in PARTS:
            raise AttributeError(f"class_load has no `{field}`")
        letter, make = PARTS[field]
        (found,) = native.class_parts(self.class_id, letter) or ([],)
        value = make(found)
        self.__dict__[field] = value
        return value


#: By field: the letter by which it is asked for, and what makes it.
PARTS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "source_name": ("s", lambda text: text or ""),
    "num_interfaces": ("i", lambda number: number or 0),
    "methods": ("m", lambda rows: [Method(*row) for row in rows]),
    "num_methods": ("m", len),
    "statics": ("f", lambda rows: [Field(*row) for row in rows]),
    "num_static_fields": ("f", len),
    "instances": ("F", lambda rows: [Field(*row) for row in rows]),
    "num_instance_fields": ("F", len),
}


class ClassLoadHook(Record):
    """`class_load_hook`: assign `new_class_data` to change the class."""

    new_class_data: bytes | bytearray | None
    new_class_data_len: int

    def __init__(self, data: bytes) -> None:
        super().__init__(class_data=data, class_data_len=len(data), new_class_data=None, new_class_data_len=0)

    @staticmethod
    def malloc_f(size: int) -> bytearray:
        """Memory for the new class."""
        return bytearray(size)

    def changed(self) -> bytes | None:
        new = self.new_class_data
        return bytes(new[: self.new_class_data_len or None]) if new is not None else None


class GcInfo(Record):
    """`gc_info`: bytes when the collection ended, if the JVM says them; what it does not say is found when it is asked for."""

    def __init__(self, used: int = 0, total: int = 0) -> None:
        super().__init__(**{"used_object_space": used, "total_object_space": total} if used else {})

    def __getattr__(self, field: str) -> int:
        if field == "used_objects":
            self.used_objects = native.count_objects()
        elif field in ("used_object_space", "total_object_space"):
            self.used_object_space, self.total_object_space = hub.memory()
        else:
            raise AttributeError(f"gc_info has no `{field}`")
        value: int = self.__dict__[field]
        return value

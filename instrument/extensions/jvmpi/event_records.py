"""The specification's records: events, what they carry, call traces. The records of dumps are in dump_records.py.

Data that is costly to find and seldom needed (a class's members) is found on request, by the id.
"""

from __future__ import annotations

from classhook.base.embedded import events as hub
from classhook.base.embedded import jvmpi as native
from classhook.extensions.jvmpi.constants import REQUESTED_EVENT
from classhook.extensions.jvmpi.events import BY_NUMBER
from classhook.extensions.jvmpi.structures import Field, Inlined, InlinedFrame, Lineno, Method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from classhook.extensions.jvmpi import event_fields as fields

LONGEST = 80  # of a value, where an event is shown


class Record:
    """The data of an event: its fields are those of the table of events."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def __repr__(self) -> str:
        return f"<{' '.join(f'{name}={shown(value)}' for name, value in self.__dict__.items())}>"


def shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST else text[:LONGEST] + "..."


class Union:
    """`event.u`: it has one member, by the type of the event."""

    class_load: ClassLoad
    class_load_hook: ClassLoadHook
    class_unload: fields.ClassUnload
    compiled_method_load: CompiledMethodLoad
    compiled_method_unload: fields.MethodCall
    gc_info: GcInfo
    heap_dump: fields.HeapDump
    instruction: fields.Instruction
    jni_globalref_alloc: fields.GlobalReferenceAlloc
    jni_globalref_free: fields.GlobalReferenceFree
    method: fields.MethodCall
    method_entry2: fields.MethodEntry2
    monitor: fields.Monitor
    monitor_dump: fields.MonitorDump
    monitor_wait: fields.MonitorWait
    obj_alloc: fields.ObjectAlloc
    obj_free: fields.ObjectFree
    object_dump: fields.ObjectDump
    raw_monitor: fields.RawMonitorContended
    thread_start: fields.ThreadStart

    def __init__(self, member: str, record: Record) -> None:
        if member:
            self.__dict__[member] = record

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(
                f"this event has no `u.{name}`" + "".join(f", but `u.{member}`" for member in self.__dict__)
            )

    def __repr__(self) -> str:
        return "".join(f"{member}={record!r}" for member, record in self.__dict__.items())


class Event:
    """An event. `event_type`: its number, with REQUESTED_EVENT if it was requested; `env_id`: of its thread, 0: none of
    Java's; `missed`: how many events of its type were lost since the one before."""

    __slots__ = ("_record", "env_id", "event_type", "missed")

    def __init__(self, event_type: int, env_id: int, record: Record, missed: int = 0) -> None:
        self.event_type = event_type
        self.env_id = env_id
        self.missed = missed
        self._record = record

    @property
    def u(self) -> Union:
        """The data, under the name of its kind."""
        return Union(BY_NUMBER[self.event_type & ~REQUESTED_EVENT].member, self._record)

    @property
    def name(self) -> str:
        """The name of its type, without `JVMPI_EVENT_`."""
        return BY_NUMBER[self.event_type & ~REQUESTED_EVENT].name

    def __repr__(self) -> str:
        return f"<{self.name} {self.u!r}>"


class ClassLoad(Record):
    """`class_load`: what is known of a class, while it is loaded; its name is always known."""

    class_name: str
    class_id: int
    source_name: str
    num_interfaces: int
    methods: list[Method]
    num_methods: int
    statics: list[Field]
    num_static_fields: int
    instances: list[Field]
    num_instance_fields: int

    def __init__(self, class_id: int) -> None:
        (name,) = native.class_parts(class_id, "n") or ("",)
        super().__init__(class_name=name, class_id=class_id)

    if not TYPE_CHECKING:

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


class CompiledMethodLoad(Record):
    """`compiled_method_load`. The JVM's tables are read when they are first asked for; lines need the method's class to
    be loaded."""

    __slots__ = ("_held",)  # is not shown
    method_id: int
    code_addr: int
    code_size: int
    lineno_table: list[Lineno]
    lineno_table_size: int
    inlined: list[Inlined]

    def __init__(self, method_id: int, address: int, size: int, held: object) -> None:
        super().__init__(method_id=method_id, code_addr=address, code_size=size)
        self._held = held

    if not TYPE_CHECKING:

        def __getattr__(self, field: str) -> Any:
            if field in ("lineno_table", "lineno_table_size"):
                self.lineno_table = [Lineno(*line) for line in native.code_lines(self._held)]
                self.lineno_table_size = len(self.lineno_table)
            elif field == "inlined":
                self.inlined = [
                    Inlined(offset, [InlinedFrame(*frame) for frame in frames])
                    for offset, frames in native.code_inlined(self._held)
                ]
            else:
                raise AttributeError(f"compiled_method_load has no `{field}`")
            return self.__dict__[field]


class ClassLoadHook(Record):
    """`class_load_hook`: assign `new_class_data` to change the class."""

    class_data: bytes
    class_data_len: int
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
    """`gc_info`: bytes when the collection ended, if the JVM says them; what it does not say is found when it is asked
    for. Objects are counted."""

    used_objects: int
    used_object_space: int
    total_object_space: int

    def __init__(self, used: int = 0, total: int = 0) -> None:
        super().__init__(**{"used_object_space": used, "total_object_space": total} if used else {})

    if not TYPE_CHECKING:

        def __getattr__(self, field: str) -> int:
            if field == "used_objects":
                self.used_objects = native.count_objects()
            elif field in ("used_object_space", "total_object_space"):
                self.used_object_space, self.total_object_space = hub.memory()
            else:
                raise AttributeError(f"gc_info has no `{field}`")
            value: int = self.__dict__[field]
            return value

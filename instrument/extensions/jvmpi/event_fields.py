"""The data of events, by the members of `event.u`: fields and types, for editors and type checkers. A test compares
them with the table of events.

At run time these are `Record`s (event_records.py), which also has those that find their fields when they are asked for.
"""

from __future__ import annotations

from typing import Any, Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from classhook.extensions.jvmpi.structures import CallTrace, RawMonitor


class MethodCall(Protocol):
    """METHOD_ENTRY, METHOD_EXIT, COMPILED_METHOD_UNLOAD."""

    method_id: int


class MethodEntry2(Protocol):
    """`obj_id`: 0 in static methods and constructors."""

    method_id: int
    obj_id: int


class Instruction(Protocol):
    """INSTRUCTION_START. `offset`: of the bytecode in its method."""

    method_id: int
    offset: int


class ObjectAlloc(Protocol):
    """`class_id`: of an array of objects that of its elements, of an array of numbers 0; `is_array`: NORMAL_OBJECT or
    what the array is of; `size`: in bytes."""

    arena_id: int
    class_id: int
    is_array: int
    size: int
    obj_id: int


class ObjectFree(Protocol):
    obj_id: int


class ThreadStart(Protocol):
    thread_name: str
    group_name: str
    parent_name: str
    thread_id: int
    thread_env_id: int


class ClassUnload(Protocol):
    class_id: int


class GlobalReferenceAlloc(Protocol):
    obj_id: int
    ref_id: int


class GlobalReferenceFree(Protocol):
    ref_id: int


class Monitor(Protocol):
    """`object`: its id."""

    object: int


class MonitorWait(Protocol):
    """`object`: its id, 0: Thread.sleep; `timeout`: ms, 0: none; in MONITOR_WAITED the ms that it took, and whether it
    `timed_out`."""

    object: int
    timeout: int
    timed_out: bool


class RawMonitorContended(Protocol):
    name: str
    id: RawMonitor


class ObjectDump(Protocol):
    """`record`: the same as `data`, as a record of a heap dump."""

    data_len: int
    data: bytes
    record: Any


class HeapDump(Protocol):
    """`records` can be read again and again; `begin` is an iterator over them."""

    dump_level: int
    begin: Iterator[Any]
    end: None
    num_traces: int
    traces: list[CallTrace]
    records: Iterable[Any]


class MonitorDump(Protocol):
    """`records`: the monitors; `threads_status`: of the thread of each trace."""

    begin: Iterator[Any]
    end: None
    num_traces: int
    traces: list[CallTrace]
    threads_status: list[int]
    records: Iterable[Any]

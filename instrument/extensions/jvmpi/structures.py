"""The specification's structures: methods, fields, lines and stacks; raw monitors."""

from __future__ import annotations

from classhook.base.embedded import jvmpi as native


class Method:
    """A method of a class; lines are -1 if it has none."""

    __slots__ = ("end_lineno", "method_id", "method_name", "method_signature", "start_lineno")

    def __init__(self, name: str, signature: str, start: int, end: int, method_id: int) -> None:
        self.method_name = name
        self.method_signature = signature
        self.start_lineno = start
        self.end_lineno = end
        self.method_id = method_id


class MethodName:
    """The result of GetMethodName; as a text: `com.acme.Orders.place`."""

    __slots__ = ("class_name", "method_name", "method_signature")

    def __init__(self, class_name: str, name: str, signature: str) -> None:
        self.class_name = class_name
        self.method_name = name
        self.method_signature = signature

    def __str__(self) -> str:
        return f"{self.class_name}.{self.method_name}"

    def __repr__(self) -> str:
        return f"<MethodName {self}{self.method_signature}>"


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


class InlinedFrame(CallFrame):
    """A method in compiled code. `bci`: an index of its bytecode, that of the call in methods that inline another
    one."""

    __slots__ = ("bci",)

    def __init__(self, lineno: int, method_id: int, bci: int) -> None:
        super().__init__(lineno, method_id)
        self.bci = bci


class Inlined:
    """A place in compiled code, `offset` bytes from its start. `frames`: the stack that the JVM knows there: methods
    that are inlined, the innermost first, and at last the compiled method itself."""

    __slots__ = ("frames", "offset")

    def __init__(self, offset: int, frames: list[InlinedFrame]) -> None:
        self.offset = offset
        self.frames = frames

    def __repr__(self) -> str:
        return f"<Inlined at {self.offset}: {self.frames}>"


class HeapDumpArg:
    """The argument of RequestEvent for HEAP_DUMP."""

    __slots__ = ("heap_dump_level",)

    def __init__(self, heap_dump_level: int) -> None:
        self.heap_dump_level = heap_dump_level


class RawMonitor:
    """A monitor of RawMonitorCreate. `entering` and `waiting`: threads; `number`: no other monitor has it."""

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
        """The number of times that the owner has entered."""
        times: int = native.raw_state(self.monitor)[1]
        return times

    def __repr__(self) -> str:
        return f"<RawMonitor {self.name}>"

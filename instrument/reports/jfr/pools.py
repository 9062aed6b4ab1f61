"""Pools of what the events of a chunk refer to by numbers: symbols, classes, methods, stacks, threads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from classhook.reports.jfr.encoding import array, number, text
from classhook.reports.jfr.types import CLASS, FRAME_TYPE, METHOD, NUMBERS, PACKAGE, STATE, SYMBOL, THREAD, TRACE

JAVA, NATIVE = "Interpreted", "Native"  # types of frames, as the JDK names them
RUNNABLE = "STATE_RUNNABLE"
FLUSHED = b"\1"
NO_ARGUMENTS = "()V"  # of functions that are no methods: readers expect a descriptor
PRIMITIVES = dict(zip(("boolean", "byte", "char", "double", "float", "int", "long", "short"), "ZBCDFIJS", strict=True))


class Place(NamedTuple):
    """A frame of a stack. `cls`: empty for a function that is no method; `line`: 0 if it is unknown."""

    cls: str
    method: str
    descriptor: str
    line: int = 0


class Pools:
    def __init__(self) -> None:
        self._pools: dict[str, dict[bytes, int]] = {}
        self._threads: dict[str, int] = {}

    def _of(self, kind: str, value: bytes) -> int:
        known = self._pools.setdefault(kind, {})
        return known.setdefault(value, len(known) + 1)

    def symbol(self, name: str) -> int:
        return self._of(SYMBOL, text(name))

    def class_(self, name: str) -> int:
        """A class, by its name in Java: `com.acme.Order`, `int[]`; 0: none."""
        if not name:
            return 0
        internal = class_name(name)
        package = self._of(PACKAGE, number(self.symbol(name.rpartition(".")[0].replace(".", "/"))))
        return self._of(CLASS, number(0) + number(self.symbol(internal)) + number(package) + number(0))

    def thread(self, name: str) -> int:
        """A thread, by its name: those of one name are one."""
        at = number(self._threads.setdefault(name, len(self._threads) + 1))
        return self._of(THREAD, text(name) + at + text(name) + at)

    def state(self) -> int:
        return self._of(STATE, text(RUNNABLE))

    def stack(self, places: Iterable[Place]) -> int:
        """A stack, the innermost frame first; 0: none."""
        frames = [self._frame(one) for one in places]
        return self._of(TRACE, b"\0" + array(frames)) if frames else 0

    def _frame(self, one: Place) -> bytes:
        name, descriptor = number(self.symbol(one.method)), number(self.symbol(one.descriptor or NO_ARGUMENTS))
        method = self._of(METHOD, number(self.class_(one.cls or "native")) + name + descriptor + number(0) + b"\0")
        kind = self._of(FRAME_TYPE, text(JAVA if one.cls else NATIVE))
        return number(method) + number(max(one.line, 0)) + number(0) + number(kind)

    def written(self) -> bytes:
        """The body of the event that has them."""
        pools = [
            number(NUMBERS[kind]) + array(number(key) + value for value, key in known.items())
            for kind, known in self._pools.items()
        ]
        return number(0) + FLUSHED + array(pools)


def class_name(name: str) -> str:
    """The internal form of a type: `com/acme/Order`, `[I`, `[Lcom/acme/Order;`."""
    element = name.replace("[]", "")
    dimensions = (len(name) - len(element)) // 2
    internal = element.replace(".", "/")
    return "[" * dimensions + PRIMITIVES.get(element, f"L{internal};") if dimensions else internal


def places(path: Sequence[tuple[str, str, str]]) -> list[Place]:
    """The frames of a path of calls, which begins with the outermost one."""
    return [Place(*method) for method in reversed(path)]

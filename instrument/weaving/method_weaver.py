"""One method of a class that is being woven; measures insert their probes."""

from __future__ import annotations

from classfile.errors import Unsupported
from classfile.frames import INTEGER
from classfile.inits import initialised_ranges
from classfile.insertions import NO_LABELS, Handler, Insertion
from classfile.intervals import without
from classfile.monitors import locked_pcs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classfile.code import Code
    from classfile.insertions import Label
    from classfile.splice import Context
    from instrument.weaving.class_weaver import Weaver


ATHROW: Final = b"\xbf"


class MethodWeaver:
    """What measures add to the method: `insertions`, and perhaps a `handler` and a new `local`, given as its verification type. Of these
    there is one each: two measures that want it cannot share a method.
    """

    __slots__ = ("_class", "code", "context", "handler", "insertions", "local")

    def __init__(self, weaver: Weaver, code: Code, context: Context) -> None:
        self._class = weaver
        self.code = code
        self.context = context
        self.insertions: list[Insertion] = []
        self.handler: Handler | None = None
        self.local: bytes | None = None

    def number(self, slot: int) -> bytes:
        """Pushes the number of a slot of the class."""
        index = self._class.first_integer + slot
        return b"\x12" + index.to_bytes(1, "big") if index < 256 else b"\x13" + index.to_bytes(2, "big")

    def call(self, method: str, descriptor: bytes) -> bytes:
        """Calls a method of the tracker."""
        return self._class.call(method, descriptor)

    def new_local(self, value: bytes, stack: int, labels: list[Label] = NO_LABELS) -> bytes:
        """Sets a new local to an int first of all; `value` pushes it, `stack` and `labels` are as in an insertion. Returns code that loads it.

        Raises Unsupported.
        """
        if self.local is not None:
            raise Unsupported("two measures need a new local in the same method")
        self.local = INTEGER
        local = self.code.max_locals
        self.insertions.insert(0, Insertion(0, value + local_op(0x36, 0x3B, local), stack=stack, labels=labels))
        return local_op(0x15, 0x1A, local)

    def handle(self, code: bytes, ranges: list[tuple[int, int]], stack: int, labels: list[Label] = NO_LABELS) -> None:
        """Runs `code` for what is thrown in these ranges, then throws it on; the rest is as in a Handler. Raises Unsupported."""
        if self.handler is not None:
            raise Unsupported("two measures need a handler in the same method")
        self.handler = Handler(code + ATHROW, ranges, stack, labels)

    def handled(self) -> list[tuple[int, int]]:
        """The code ranges in which an exception counts as the method's exceptional exit."""
        code = self.code
        scan = code.scan()
        ranges = initialised_ranges(code, self._class.cf.pool, self.context) if self.context.is_init else [(0, len(code.code))]
        # After an exit probe the activation has ended. A return may still throw, if the method's monitors are unbalanced. And if a handler
        # covers the return of Object.<init>, which registers finalizable objects, C2 crashes (JDK 17 to 25).
        ranges = without(ranges, [(pc, pc + 1) for pc in scan.returns])
        if scan.monitors:
            ranges = without(ranges, locked_pcs(code.code, scan, code.exception_table))
        return ranges


def local_op(op: int, short_op: int, local: int) -> bytes:
    """A load or store of a local in its shortest form: `op` and its one-byte forms from `short_op` on (JVMS 6.5)."""
    if local < 256:
        return (short_op + local).to_bytes(1, "big") if local < 4 else (op << 8 | local).to_bytes(2, "big")
    return b"\xc4" + bytes((op,)) + local.to_bytes(2, "big")

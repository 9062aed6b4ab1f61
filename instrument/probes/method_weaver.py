"""One method of a class that is being woven; measures insert their probes."""

from __future__ import annotations

from classhook.classfile.errors import Unsupported
from classhook.classfile.frames import INTEGER, LONG, OBJECT, TOP, added
from classhook.classfile.inits import may_throw, phases
from classhook.classfile.insertions import BEFORE, BEHIND, NO_LABELS, NO_RANGES, Handler, Insertion, Label
from classhook.classfile.intervals import without
from classhook.classfile.monitors import locked_pcs
from classhook.classfile.opcodes import (
    ACONST_NULL_CODE,
    ALOAD,
    ALOAD_0,
    ASTORE,
    ASTORE_0,
    ATHROW_CODE,
    ICONST_0,
    IFEQ_CODE,
    ILOAD,
    ILOAD_0,
    INVOKESTATIC_CODE,
    ISTORE,
    ISTORE_0,
    LCONST_0_CODE,
    LDC_CODE,
    LDC_W_CODE,
    LLOAD,
    LLOAD_0,
    LSTORE,
    LSTORE_0,
    WIDE_CODE,
)
from classhook.classfile.splice import MOST_LOCALS, TOO_MANY_LOCALS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.classfile.pool import ConstantPool
    from classhook.classfile.splice import Context
    from classhook.probes.resumptions import Resumable


#: By the verification type of a local: its store and load, in full and from their short forms on (JVMS 6.5).
OPS: Final = {
    INTEGER: (ISTORE, ISTORE_0, ILOAD, ILOAD_0),
    LONG: (LSTORE, LSTORE_0, LLOAD, LLOAD_0),
    OBJECT: (ASTORE, ASTORE_0, ALOAD, ALOAD_0),
}
#: ... and what pushes one that is not set.
UNSET: Final = {INTEGER: bytes((ICONST_0,)), LONG: LCONST_0_CODE, OBJECT: ACONST_NULL_CODE}

TRACKER: Final = b"java/lang/ClasshookTracker"


class ClassConstants:
    """The constants of the class that probes need: numbers of its slots, from the Integer at `first_integer` on, and
    calls of the tracker."""

    __slots__ = ("_calls", "first_integer", "pool")

    def __init__(self, pool: ConstantPool, first_integer: int) -> None:
        self.pool = pool
        self.first_integer = first_integer
        self._calls: dict[str, bytes] = {}

    def number(self, slot: int) -> bytes:
        """Pushes the number of a slot of the class."""
        index = self.first_integer + slot
        return LDC_CODE + index.to_bytes(1, "big") if index < 256 else LDC_W_CODE + index.to_bytes(2, "big")

    def call(self, method: str, descriptor: bytes) -> bytes:
        """Calls a method of the tracker."""
        found = self._calls.get(method)
        if found is None:
            index = self.pool.add_method_ref(TRACKER, method.encode(), descriptor)
            found = self._calls[method] = INVOKESTATIC_CODE + index.to_bytes(2, "big")
        return found


class Local:
    """A new local: code that loads it, and that stores what is on the stack in it."""

    __slots__ = ("load", "store")

    def __init__(self, load: bytes, store: bytes) -> None:
        self.load = load
        self.store = store


class MethodWeaver:
    """The additions of measures to the method: `insertions`, and perhaps a `handler` and new locals (`local`: their
    verification types). Measures share the handler. `kept`: by measure, what its first probe in the method leaves to
    the others. `resumable`: of a suspend function, where calls begin and go on; None: each activation is a call.
    `first_slot`: of the method's probes.
    """

    __slots__ = (
        "_constants",
        "_early",
        "_pushed",
        "_scratch",
        "_stores",
        "code",
        "context",
        "first_slot",
        "handler",
        "insertions",
        "kept",
        "local",
        "resumable",
    )

    def __init__(
        self,
        constants: ClassConstants,
        code: Code,
        context: Context,
        resumable: Resumable | None = None,
        first_slot: int = 0,
    ) -> None:
        self._constants = constants
        self.code = code
        self.context = context
        self.resumable = resumable
        self.first_slot = first_slot
        self.insertions: list[Insertion] = []
        self.handler: Handler | None = None
        self.local: bytes | None = None
        self.kept: dict[str, object] = {}
        self._pushed: list[bytes] = []  # their verification types, without what no frame knows
        self._scratch = -1
        self._early = NO_RANGES  # the first ones of handled(): before super()
        self._stores = b""  # those of the new locals

    @property
    def pool(self) -> ConstantPool:
        """The class's constants."""
        return self._constants.pool

    def number(self, slot: int) -> bytes:
        """Pushes the number of a slot of the class."""
        return self._constants.number(slot)

    def call(self, method: str, descriptor: bytes) -> bytes:
        """Calls a method of the tracker."""
        return self._constants.call(method, descriptor)

    def object_type(self, class_name: bytes) -> bytes:
        """The verification type of a class's objects, or of an array's."""
        return OBJECT + self._constants.pool.add_class(class_name).to_bytes(2, "big")

    def at_entry(self, code: bytes, stack: int, labels: list[Label] = NO_LABELS) -> None:
        """Puts code where each activation begins."""
        self._begin(0 if self.resumable is None else self.resumable.both_pc, code, stack, labels)

    def at_call(self, code: bytes, stack: int, labels: list[Label] = NO_LABELS) -> None:
        """Puts code where a call begins, and not where it goes on."""
        self._begin(0 if self.resumable is None else self.resumable.called_pc, code, stack, labels)

    def _begin(self, pc: int, code: bytes, stack: int, labels: list[Label]) -> None:
        rank = BEHIND if self.resumable is None else BEFORE
        self.insertions.append(Insertion(pc, code, rank, stack=stack, labels=labels))

    def at_resumption(self, code: bytes, stack: int) -> None:
        """Puts code where a call goes on after it has waited."""
        if self.resumable is not None:
            self.insertions.append(Insertion(self.resumable.resumed_pc, code, BEFORE, stack=stack))

    def new_local(
        self, value: bytes, stack: int, labels: list[Label] = NO_LABELS, local_type: bytes = INTEGER, unset: bytes = b""
    ) -> bytes:
        """Sets a new local where each activation begins; the rest is as for `local_at_start`. Returns code that loads
        it. `unset`: pushes what it has before that, if that is not 0 or null."""
        if self.resumable is None:
            return self.local_at_start(value, stack, labels, local_type).load
        local = self.local_at_start(unset or UNSET[local_type[:1]], 2, NO_LABELS, local_type)
        self.at_entry(value + local.store, stack, labels)
        return local.load

    def local_at_start(
        self, value: bytes, stack: int, labels: list[Label] = NO_LABELS, local_type: bytes = INTEGER
    ) -> Local:
        """Sets a new local first of all; `value` pushes it, `stack` and `labels` are as in an insertion.

        `local_type`: its verification type, of those in OPS; Object: with a pool index.

        All values are pushed before any is stored: where they have labels, no new local is set yet, and those pushed
        before are on the stack.
        """
        store, short_store, load, short_load = OPS[local_type[:1]]
        local = self.code.max_locals + added(self.local)[1]
        if local >= MOST_LOCALS:
            raise Unsupported(TOO_MANY_LOCALS)
        values, most, before, below = b"", 0, list(NO_LABELS), list(self._pushed)
        if not below:
            self.insertions.insert(0, Insertion(0, b""))
        else:
            first = self.insertions[0]
            values, most, before = first.code[: len(first.code) - len(self._stores)], first.stack, first.labels
        stored = local_op(store, short_store, local)
        self._stores = stored + self._stores
        moved = [Label(len(values) + label.offset, below + label.stack) for label in labels]
        self.insertions[0] = Insertion(
            0, values + value + self._stores, stack=max(most, added(b"".join(below))[1] + stack), labels=before + moved
        )
        self.local = local_type if self.local is None else self.local + local_type
        self._pushed.append(local_type)
        return Local(local_op(load, short_load, local), stored)

    def scratch(self) -> int:
        """The first of two locals that all measures share. They hold something between two instructions without jumps,
        so no frame knows them."""
        if self._scratch < 0:
            local = self.code.max_locals + added(self.local)[1]
            if local + 1 >= MOST_LOCALS:
                raise Unsupported(TOO_MANY_LOCALS)
            self._scratch = local
            self.local = (self.local or b"") + TOP + TOP
        return self._scratch

    def handle(self, code: bytes, ranges: list[tuple[int, int]], stack: int, labels: list[Label] = NO_LABELS) -> None:
        """Runs `code` for what is thrown in these ranges, then throws it on; the rest is as in a Handler. Raises
        Unsupported."""
        before = self.handler
        early, late = ranges[: len(self._early)], ranges[len(self._early) :]
        if before is None:
            self.handler = Handler(code + ATHROW_CODE, late, stack, labels, early)
        elif labels or before.ranges != late or before.early != early:
            raise Unsupported("two measures need a handler in the same method")
        else:
            self.handler = Handler(
                before.code[:-1] + code + ATHROW_CODE, late, max(before.stack, stack), before.labels, early
            )

    def handled(self) -> list[tuple[int, int]]:
        """The code ranges in which an exception counts as the method's exceptional exit. Before super() they have a
        handler of their own, only where fields must be set there: other constructors seldom throw there, and the
        handler would cost them room."""
        code = self.code
        scan = code.scan()
        early, ranges = phases(code, self._constants.pool, self.context)
        early = early if self.context.strict and may_throw(code, early) else []
        # After an exit probe the activation has ended. A return may still throw, if the method's monitors are
        # unbalanced. And if a handler covers the return of Object.<init>, which registers finalizable objects, C2
        # crashes (JDK 17 to 25).
        ranges = without(ranges, [(pc, pc + 1) for pc in scan.returns])
        if scan.monitors:
            locked = locked_pcs(code.code, scan, code.exception_table)
            early, ranges = without(early, locked), without(ranges, locked)
        self._early = early
        return early + ranges


def unless_zero(skipped: int) -> bytes:
    """Jumps over so many bytes if 0 is on the stack."""
    return IFEQ_CODE + (3 + skipped).to_bytes(2, "big")


def local_op(op: int, short_op: int, local: int) -> bytes:
    """A load or store of a local in its shortest form: `op` and its one-byte forms from `short_op` on (JVMS 6.5)."""
    if local < 256:
        return (short_op + local).to_bytes(1, "big") if local < 4 else (op << 8 | local).to_bytes(2, "big")
    return WIDE_CODE + bytes((op,)) + local.to_bytes(2, "big")

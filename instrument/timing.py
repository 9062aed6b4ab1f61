"""What is woven into a timed method: code at the entry, before each return, and in a handler of all that is thrown.

A new local keeps what the entry was told, the activation's depth or 0, for the others to give back.

    plain    number, enter, store            load, exit         load, thrown, athrow
    paced    number, due, dup, ifeq A,       load, exitPaced    load, ifeq B, load, thrown,
             enterDue, A: store                                 B: athrow

The jumps of a paced method are its own, and not the tracker's, so that the JIT sees of each method whether it is ever timed
(docs/decisions.md).
"""

from __future__ import annotations

from classfile.frames import INTEGER
from classfile.insertions import NO_LABELS, Label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

DUP, IFEQ, ATHROW = b"\x59", b"\x99", b"\xbf"


class Timing:
    """The three pieces of code, with the labels in them; `stack`: the slots that the entry takes. The others take one."""

    __slots__ = ("entry", "entry_labels", "handler", "handler_labels", "leave", "stack")

    def __init__(self, entry: bytes, leave: bytes, handler: bytes, stack: int, entry_labels: list[Label] = NO_LABELS,
                 handler_labels: list[Label] = NO_LABELS) -> None:  # fmt: skip
        self.entry = entry
        self.leave = leave
        self.handler = handler
        self.stack = stack
        self.entry_labels = entry_labels
        self.handler_labels = handler_labels


def plain(number: bytes, call: Callable[[str], bytes], local: int) -> Timing:
    """Times each activation. `number` pushes the number of the method's slot, `call` calls a method of the tracker."""
    store, load = local_op(0x36, 0x3B, local), local_op(0x15, 0x1A, local)
    return Timing(number + call("enter") + store, load + call("exit"), load + call("thrown") + ATHROW, 1)


def paced(number: bytes, call: Callable[[str], bytes], local: int) -> Timing:
    """Counts each activation, and times those that are due. `number` pushes that of the slot of calls."""
    store, load = local_op(0x36, 0x3B, local), local_op(0x15, 0x1A, local)
    asked = number + call("due") + DUP
    begun = call("enterDue")
    told = load + call("thrown")
    return Timing(
        asked + jump_over(begun) + begun + store,
        load + call("exitPaced"),
        load + jump_over(told) + told + ATHROW,
        2,
        [Label(len(asked) + 3 + len(begun), [INTEGER], local_set=False)],
        [Label(len(load) + 3 + len(told), [])],
    )


def jump_over(code: bytes) -> bytes:
    """Goes behind `code`, which follows, if there is a 0 on the stack."""
    return IFEQ + (3 + len(code)).to_bytes(2, "big")


def local_op(op: int, short_op: int, local: int) -> bytes:
    """A load or store of a local in its shortest form: `op` and its one-byte forms from `short_op` on (JVMS 6.5)."""
    if local < 256:
        return (short_op + local).to_bytes(1, "big") if local < 4 else (op << 8 | local).to_bytes(2, "big")
    return b"\xc4" + bytes((op,)) + local.to_bytes(2, "big")

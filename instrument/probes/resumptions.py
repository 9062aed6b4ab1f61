"""Kotlin's suspend functions: the JVM enters them again when they go on after they have waited.

The compiler gives such a function a last parameter, the continuation. If that is the function's own, marked by the sign
of its `label`, the function is resumed: it takes the mark off, and jumps to where calls arrive, too.

    ..., ifeq called            what was passed is no continuation of this function, or has no mark
    aload own, dup, getfield label, ldc -2147483648, isub, putfield label
    resumed: goto both
    called:  new, dup, ..., invokespecial, astore own
    both:    ..., invokestatic getCOROUTINE_SUSPENDED, astore waiting, ..., tableswitch

    aload waiting, areturn      the call has not ended: it waits

So a probe at `called` runs once for a call, one at `resumed` once for each time that it goes on, and one at `both` at
each entry. Functions that never wait, or only at their end, have no such code: the JVM enters them once for a call.
"""

from __future__ import annotations

from classhook.classfile.errors import ClassFormatError
from classhook.classfile.opcodes import (
    ALOAD,
    ALOAD_0,
    ARETURN,
    ASTORE,
    ASTORE_0,
    DUP,
    GETFIELD,
    GOTO,
    IFEQ,
    INVOKESTATIC,
    ISUB,
    LDC,
    LDC_W,
    LENGTHS,
    PUTFIELD,
    WIDE_PREFIX,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.classfile.pool import ConstantPool

CONTINUATION: Final = "Lkotlin/coroutines/Continuation;)Ljava/lang/Object;"
WAITING: Final = b"getCOROUTINE_SUSPENDED"
MARK: Final = b"\x03\x80\x00\x00\x00"  # CONSTANT_Integer: the sign
MOST_BEFORE: Final = 12  # instructions from `both` to the invokestatic; compilers need up to 4


class Resumable:
    """The places in the code of a suspend function that are described above. `own`: the local of its continuation;
    `waits`: the pcs of the returns by which a call does not end; `ends`: those of all others."""

    __slots__ = ("both_pc", "called_pc", "ends", "own", "resumed_pc", "waits")

    def __init__(
        self, called_pc: int, resumed_pc: int, both_pc: int, own: int, waits: list[int], ends: list[int]
    ) -> None:
        self.called_pc = called_pc
        self.resumed_pc = resumed_pc
        self.both_pc = both_pc
        self.own = own
        self.waits = waits
        self.ends = ends


def resumable(code: Code, pool: ConstantPool, descriptor: str) -> Resumable | None:
    """None: each entry is a call."""
    if not descriptor.endswith(CONTINUATION):
        return None
    text = code.code
    resumed_pc, before = _resumed(text, pool)
    if resumed_pc < 0:
        return None
    scan = code.scan()
    (both_pc,), called_pc = scan.targets(resumed_pc), scan.targets(before[0])[0]
    waiting = _waiting(text, pool, both_pc)
    if called_pc != resumed_pc + LENGTHS[GOTO] or waiting < 0:
        return None
    waits: list[int] = []
    for pc in scan.returns:
        length = 2 if waiting > 3 else 1
        if text[pc] == ARETURN and scan.bounds[pc - length] and _local(text, pc - length, ALOAD, ALOAD_0) == waiting:
            waits.append(pc)
    own = _local(text, before[1], ALOAD, ALOAD_0)
    if own < 0 or not waits:
        return None
    return Resumable(called_pc, resumed_pc, both_pc, own, waits, [pc for pc in scan.returns if pc not in waits])


def _resumed(text: bytes, pool: ConstantPool) -> tuple[int, list[int]]:
    """The pc that a resumed function reaches, and one that is called does not, or -1; those of the instructions before
    it, from the ifeq on."""
    pc = 0
    ops: list[int] = []
    while pc < len(text):
        op = text[pc]
        length = LENGTHS[op]
        if not length:  # a switch: the code that we look for comes before it
            return -1, []
        ops.append(pc)
        pc += length
        if op == PUTFIELD and pc < len(text) and text[pc] == GOTO and _is_mark(text, pool, ops[-7:]):
            return pc, ops[-7:]
    return -1, []


def _is_mark(text: bytes, pool: ConstantPool, ops: list[int]) -> bool:
    """True if these instructions take the mark off."""
    if len(ops) < 7 or text[ops[0]] != IFEQ or [text[pc] for pc in ops[2:4]] != [DUP, GETFIELD]:
        return False
    at = ops[4]
    if text[at] not in (LDC, LDC_W) or text[ops[5]] != ISUB:
        return False
    constant = text[at + 1] if text[at] == LDC else text[at + 1] << 8 | text[at + 2]
    try:
        return pool.entry(constant) == MARK
    except ClassFormatError:
        return False


def _waiting(text: bytes, pool: ConstantPool, both_pc: int) -> int:
    """The local with the result of a call that waits; -1 if there is none."""
    pc = both_pc
    for _ in range(MOST_BEFORE):
        op = text[pc] if pc < len(text) else WIDE_PREFIX
        length = LENGTHS[op]
        if not length or op == WIDE_PREFIX:
            return -1
        pc += length
        if op == INVOKESTATIC:
            name, _ = pool.name_and_type(text[pc - 2] << 8 | text[pc - 1])
            return _local(text, pc, ASTORE, ASTORE_0) if name == WAITING else -1
    return -1


def _local(text: bytes, pc: int, op: int, short_op: int) -> int:
    """The local of a load or store; -1: it is another instruction."""
    if pc + 1 >= len(text):
        return -1
    if text[pc] == op:
        return text[pc + 1]
    return text[pc] - short_op if short_op <= text[pc] < short_op + 4 else -1

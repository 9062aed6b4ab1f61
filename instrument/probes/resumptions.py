"""Kotlin's suspend functions: the JVM enters them again when they go on after they have waited.

The compiler gives such a function a last parameter, the continuation. If that is the function's own, marked by the sign of its `label`, the
function is resumed: it takes the mark off, and jumps to where it waited.

    aload, dup, getfield label, ldc -2147483648, isub, putfield label, goto

So a count behind that putfield tells how many of the entries were no calls. Functions that never wait, or only at their end, have no such code.
"""

from __future__ import annotations

from classhook.classfile.errors import ClassFormatError
from classhook.classfile.opcodes import DUP, GETFIELD, ISUB, LDC, LDC_W, LENGTHS, PUTFIELD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.pool import ConstantPool

CONTINUATION: Final = "Lkotlin/coroutines/Continuation;)Ljava/lang/Object;"
MARK: Final = b"\x03\x80\x00\x00\x00"  # CONSTANT_Integer: the sign


def resumed_pc(code: bytes, pool: ConstantPool, descriptor: str) -> int:
    """The pc that a resumed function reaches, and one that is called does not; -1 if there is none."""
    if not descriptor.endswith(CONTINUATION):
        return -1
    pc = 0
    ops: list[int] = []  # the pcs of the last instructions
    while pc < len(code):
        op = code[pc]
        length = LENGTHS[op]
        if not length:  # a switch: the code that we look for comes before it
            return -1
        ops.append(pc)
        pc += length
        if op == PUTFIELD and pc < len(code) and is_mark(code, pool, ops[-5:]):
            return pc
    return -1


def is_mark(code: bytes, pool: ConstantPool, ops: list[int]) -> bool:
    """Whether these instructions take the mark off."""
    if len(ops) < 5 or [code[pc] for pc in ops[:2]] != [DUP, GETFIELD] or code[ops[2]] not in (LDC, LDC_W) or code[ops[3]] != ISUB:
        return False
    at = ops[2]
    constant = code[at + 1] if code[at] == LDC else code[at + 1] << 8 | code[at + 2]
    try:
        return pool.entry(constant) == MARK
    except ClassFormatError:
        return False

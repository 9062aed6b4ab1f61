"""The effect of instructions on the operand stack, in slots, and their successors; shared by the analyses."""

from __future__ import annotations

from classhook.classfile.errors import ClassFormatError
from classhook.classfile.opcodes import (
    GETFIELD,
    GETSTATIC,
    INVOKEDYNAMIC,
    INVOKESTATIC,
    MULTIANEWARRAY,
    PUTFIELD,
    PUTSTATIC,
    UNCONDITIONAL,
    WIDE_PREFIX,
)
from classhook.classfile.pool import ConstantPool
from classhook.classfile.scan import Scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from mypy_extensions import i64

# (first, last, pattern): slots popped * 10 + slots pushed, the pattern repeated over the opcodes (JVMS 6.5). Opcodes
# that depend on a descriptor (178-186, 197) are 0 here; the pops of the dup family are the slots that must be there.
_EFFECTS: Final = (
    (1, 8, (1,)),
    (9, 10, (2,)),
    (11, 13, (1,)),
    (14, 15, (2,)),
    (16, 19, (1,)),
    (20, 20, (2,)),
    (21, 25, (1, 2)),
    (26, 29, (1,)),
    (30, 33, (2,)),
    (34, 37, (1,)),
    (38, 41, (2,)),
    (42, 45, (1,)),
    (46, 49, (21, 22)),
    (50, 53, (21,)),
    (54, 58, (10, 20)),
    (59, 62, (10,)),
    (63, 66, (20,)),
    (67, 70, (10,)),
    (71, 74, (20,)),
    (75, 78, (10,)),
    (79, 82, (30, 40)),
    (83, 86, (30,)),
    (87, 95, (10, 20, 12, 23, 34, 24, 35, 46, 22)),
    (96, 115, (21, 42)),
    (116, 119, (11, 22)),
    (120, 125, (21, 32)),
    (126, 131, (21, 42)),
    (133, 135, (12, 11, 12)),
    (136, 138, (21, 21, 22)),
    (139, 141, (11, 12, 12)),
    (142, 144, (21, 22, 21)),
    (145, 147, (11,)),
    (148, 152, (41, 21, 21, 41, 41)),
    (153, 158, (10,)),
    (159, 166, (20,)),
    (168, 168, (1,)),
    (170, 171, (10,)),
    (172, 176, (10, 20)),
    (187, 187, (1,)),
    (188, 190, (11,)),
    (191, 191, (10,)),
    (192, 193, (11,)),
    (194, 195, (10,)),
    (198, 199, (10,)),
    (201, 201, (1,)),
)


def _table(divide: bool) -> bytes:
    table = bytearray(256)
    for first, last, pattern in _EFFECTS:
        for op in range(first, last + 1):
            both = pattern[(op - first) % len(pattern)]
            table[op] = both // 10 if divide else both % 10
    return bytes(table)


POPS: Final = _table(True)
PUSHES: Final = _table(False)


SIMPLE: Final = b"BCDFIJSZ"  # types (JVMS 4.3.2)
SIMPLE_OR_VOID: Final = b"BCDFIJSVZ"


def slots_of(data: bytes, at: i64, end: i64) -> i64:
    """Parameters << 2 | result, in slots, of the descriptor in `data` from `at` to `end`; of a field: its own.

    Raises ClassFormatError if it is none (JVMS 4.3).
    """
    slots: i64 = 0
    words = SIMPLE
    if at < end and data[at] == 0x28:  # (
        at += 1
        while at < end and data[at] != 0x29:
            simple: i64 = data[at]
            slots += 2 if simple == 0x4A or simple == 0x44 else 1  # J, D
            while at < end and data[at] == 0x5B:  # [
                at += 1
            if at < end and data[at] == 0x4C:  # L
                while at < end and data[at] != 0x3B:  # ;
                    at += 1
            elif at < end and data[at] not in words:
                raise ClassFormatError("bad method descriptor", 0)
            at += 1
        if at >= end:
            raise ClassFormatError("bad method descriptor", 0)
        at += 1
        words = SIMPLE_OR_VOID
    result: i64 = data[at] if at < end else 0
    if result == 0x5B:
        words = SIMPLE
        while at < end and data[at] == 0x5B:
            at += 1
    if at >= end or (data[end - 1] != 0x3B if data[at] == 0x4C else at + 1 < end or data[at] not in words):
        raise ClassFormatError("bad descriptor", 0)
    return slots << 2 | (0 if result == 0x56 else 2 if result == 0x4A or result == 0x44 else 1)  # V, J, D


def known_slots(pool: ConstantPool) -> list[int]:
    """The results of `slots_at` so far, by index; -1 if unknown."""
    if not pool.slots:
        pool.slots = [-1] * pool.count
    return pool.slots


def slots_at(pool: ConstantPool, index: i64) -> i64:
    """Parameters << 2 | result, in slots, of the field, method or descriptor at this index of the class's own pool.

    Raises ClassFormatError.
    """
    known = known_slots(pool)
    found: i64 = known[index]
    if found < 0:
        data = pool.data
        at: i64 = pool.offsets[index]
        tag: i64 = data[at]
        if 9 <= tag <= 11 or 17 <= tag <= 18:
            at = pool.offsets[data[at + 3] << 8 | data[at + 4]]
            if data[at] == 12:
                at = pool.offsets[data[at + 3] << 8 | data[at + 4]]
        if data[at] != 1:
            raise ClassFormatError(f"constant pool index {index} has no descriptor", pool.at)
        found = known[index] = slots_of(data, at + 3, at + 3 + (data[at + 1] << 8 | data[at + 2]))
    return found


def effect(code: bytes, pc: int, pool: ConstantPool) -> tuple[int, int]:
    """Slots popped and pushed by the instruction at `pc`, `wide` or not."""
    op = code[pc]
    if op == WIDE_PREFIX:
        op = code[pc + 1]
    if op == MULTIANEWARRAY:
        return code[pc + 3], 1
    if GETSTATIC <= op <= INVOKEDYNAMIC:
        slots = slots_at(pool, code[pc + 1] << 8 | code[pc + 2])
        arguments = slots >> 2
        result = slots & 3
        if op == GETSTATIC:
            return 0, result
        if op == PUTSTATIC:
            return result, 0
        if op == GETFIELD:
            return 1, result
        if op == PUTFIELD:
            return 1 + result, 0
        return (arguments if op in (INVOKESTATIC, INVOKEDYNAMIC) else arguments + 1), result  # these have no receiver
    return POPS[op], PUSHES[op]


def jump_targets(scan: Scan) -> dict[int, list[int]]:
    """The targets of each jump or switch, by its pc, without falling through."""
    found: dict[int, list[int]] = {}
    for i in range(len(scan.jumps16)):
        found[scan.jumps16[i]] = [scan.targets16[i]]
    for pc, target in zip(scan.jumps32, scan.targets32, strict=True):
        found[pc] = [target]
    for pc in scan.switches:
        found[pc] = scan.switch_targets(pc)
    return found


def falls_through(code: bytes, pc: int) -> bool:
    """True if the instruction after the one at `pc` may run next."""
    return not UNCONDITIONAL[code[pc]] and not (code[pc] == 196 and code[pc + 1] == 169)

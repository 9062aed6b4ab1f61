"""One pass over a method's instructions, which finds those that matter to the weaver.

1. `SCAN` gives an instruction's length and category in one lookup; those without a category are skipped.
2. Short jumps are recorded with their targets; the operands of others are read later.
3. Each instruction's start is marked, so that all jump targets can be checked at the end.
"""

from __future__ import annotations

from classhook.classfile.errors import ClassFormatError
from classhook.classfile.opcodes import (
    ALLOCATION,
    CONSTANT,
    JSR,
    JSR_W,
    JUMP16,
    JUMP32,
    LOOKUPSWITCH,
    MONITOR,
    NEWARRAY,
    RETURNS,
    SCAN,
    SHORT_CONSTANT,
    SWITCH_LOOKUP,
    SWITCH_TABLE,
    TABLESWITCH,
    WIDE_PREFIX,
    WIDENABLE,
    WIDENED,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from mypy_extensions import i64

NONE: Final[list[int]] = []  # shared, since it is cheaper than many empty lists


class Scan:
    """Old code offsets by category, each list ascending, of the code array `code`.

    bounds[pc] says whether an instruction begins at pc. targets16[i] is the target of jumps16[i]. `largest_index` is
    the largest constant pool index of an instruction. Switches and 32-bit jumps are rare, so their operands are read
    when needed.
    """

    __slots__ = (
        "allocations",
        "bounds",
        "code",
        "has_jsr",
        "jumps16",
        "jumps32",
        "largest_index",
        "monitors",
        "returns",
        "switches",
        "targets16",
    )

    def __init__(self, code: bytes) -> None:
        self.code: bytes = code
        self.bounds: list[bool] = [False] * len(code)
        self.returns: list[int] = []
        self.jumps16: list[int] = []
        self.targets16: list[int] = []
        self.jumps32: list[int] = NONE
        self.switches: list[int] = NONE
        self.allocations: list[int] = NONE
        self.monitors: list[int] = NONE
        self.has_jsr: bool = False
        self.largest_index: int = 0

    @property
    def targets32(self) -> list[int]:
        """The targets of `jumps32`, in order."""
        return [pc + _s4(self.code, pc + 1) for pc in self.jumps32]

    def targets(self, pc: int) -> list[int]:
        """The jump targets of the instruction at `pc`."""
        category = SCAN[self.code[pc]] >> 3
        if category == JUMP16:
            offset = self.code[pc + 1] << 8 | self.code[pc + 2]
            return [pc + offset if offset < 0x8000 else pc + offset - 0x10000]
        if category == JUMP32:
            return [pc + _s4(self.code, pc + 1)]
        return self.switch_targets(pc) if category in (SWITCH_TABLE, SWITCH_LOOKUP) else []

    def switch_targets(self, pc: int) -> list[int]:
        """The targets of the switch at `pc`: default first, then in order."""
        return [pc + _s4(self.code, at) for at in self.switch_offsets_at(pc)]

    def switch_offsets_at(self, pc: int) -> list[int]:
        """The positions in the code array of the switch's 32-bit offsets, default first."""
        at = (pc & ~3) + 4
        table = SCAN[self.code[pc]] >> 3 == SWITCH_TABLE
        return [at, *range(at + 12, pc + _switch_length(self.code, pc, table), 4 if table else 8)]

    def next_pc(self, pc: int) -> int:
        """The pc of the instruction after the one at `pc`; the code's length after the last."""
        bounds = self.bounds
        size = len(bounds)
        pc += 1
        while pc < size and not bounds[pc]:
            pc += 1
        return pc


def scan(code: bytes) -> Scan:
    """Sorts the instructions of a method's code array; raises ClassFormatError if it does not consist of
    instructions."""
    size: i64 = len(code)
    found = Scan(code)
    bounds = found.bounds
    table = SCAN
    returns = found.returns
    jumps16 = found.jumps16
    targets16 = found.targets16
    pc: i64 = 0
    largest: i64 = 0
    try:
        while pc < size:
            bounds[pc] = True
            op: i64 = code[pc]
            kind: i64 = table[op]
            if kind < 8:
                pc += kind
                continue
            category: i64 = kind >> 3
            if category == CONSTANT:
                index: i64 = code[pc + 1] << 8 | code[pc + 2]
                if index > largest:
                    largest = index
            elif category == JUMP16:
                jumps16.append(pc)
                offset: i64 = code[pc + 1] << 8 | code[pc + 2]
                targets16.append(pc + offset if offset < 0x8000 else pc + offset - 0x10000)
                if op == JSR:
                    found.has_jsr = True
            elif category == RETURNS:
                returns.append(pc)
            elif category == ALLOCATION:
                found.allocations = _with(found.allocations, pc)
                index = 0 if op == NEWARRAY else code[pc + 1] << 8 | code[pc + 2]
                if index > largest:
                    largest = index
            elif category == SHORT_CONSTANT:
                index = code[pc + 1]
                if index > largest:
                    largest = index
            elif category == MONITOR:
                found.monitors = _with(found.monitors, pc)
            elif category == JUMP32:
                found.jumps32 = _with(found.jumps32, pc)
                if op == JSR_W:
                    found.has_jsr = True
            elif category in (SWITCH_TABLE, SWITCH_LOOKUP):
                length: i64 = _switch_length(code, pc, category == SWITCH_TABLE)
                found.switches = _with(found.switches, pc)
                pc += length
                continue
            elif category == WIDENED:
                length = WIDENABLE[code[pc + 1]]
                if length == 0:
                    raise ClassFormatError(f"wide before opcode {code[pc + 1]}, code offset", pc)
                pc += length
                continue
            else:
                raise ClassFormatError(f"unknown opcode {op}, code offset", pc)
            pc += kind & 7
    except IndexError:
        raise ClassFormatError("instruction beyond the code's end, code offset", pc) from None
    if pc != size:
        raise ClassFormatError("instruction beyond the code's end, code offset", pc)
    found.largest_index = largest
    _check(bounds, targets16, jumps16)
    if found.jumps32:
        _check(bounds, found.targets32, found.jumps32)
    for pc in found.switches:
        for target in found.switch_targets(pc):
            if not 0 <= target < size or not bounds[target]:
                raise ClassFormatError(f"switch to {target}, no instruction, code offset", pc)
    return found


def _with(pcs: list[int], pc: int) -> list[int]:
    if pcs is NONE:
        return [pc]
    pcs.append(pc)
    return pcs


def _check(bounds: list[bool], targets: list[int], pcs: list[int]) -> None:
    size = len(bounds)
    for i in range(len(targets)):
        target = targets[i]
        if target < 0 or target >= size or not bounds[target]:
            raise ClassFormatError(f"jump to {target}, no instruction, code offset", pcs[i])


def _s4(data: bytes, at: int) -> int:
    """The signed 32-bit number at `at`; IndexError beyond the end."""
    number = data[at] << 24 | data[at + 1] << 16 | data[at + 2] << 8 | data[at + 3]
    return number if number < 0x80000000 else number - 0x100000000


def varying_length(code: bytes, pc: int) -> int:
    """The length of a switch or a `wide` instruction; 0 if it is not an instruction."""
    op = code[pc]
    if op == WIDE_PREFIX:
        return WIDENABLE[code[pc + 1]]
    try:
        return _switch_length(code, pc, op == TABLESWITCH) if op in (TABLESWITCH, LOOKUPSWITCH) else 0
    except ClassFormatError:
        return 0


def _switch_length(code: bytes, pc: int, table: bool) -> int:
    """The length of the tableswitch (else lookupswitch) at `pc`, including padding (JVMS 6.5.tableswitch)."""
    at = (pc & ~3) + 4
    if table:
        low = _s4(code, at + 4)
        high = _s4(code, at + 8)
        if low > high:
            raise ClassFormatError("tableswitch with low above high, code offset", pc)
        length = at + 12 + 4 * (high - low + 1) - pc
    else:
        pairs = _s4(code, at + 4)
        if pairs < 0:
            raise ClassFormatError("lookupswitch with a negative count, code offset", pc)
        length = at + 8 + 8 * pairs - pc
    if pc + length > len(code):
        raise ClassFormatError("switch beyond the code's end, code offset", pc)
    return length

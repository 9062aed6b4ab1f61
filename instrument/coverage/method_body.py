"""A method as the analysis sees it: its instructions by index, with what lies between them.

In front of an instruction there may be a label, lines and a frame, in this order (`marks`, see code_marks.py); the
"raw" neighbour of an instruction is one of these if it is there. A label is named by the index of the instruction
behind it. Opcodes are in their general form: `aload_0` is `aload`, `ldc_w` and `ldc2_w` are `ldc`, `goto_w` is `goto`,
and `wide` belongs to its instruction.
"""

from __future__ import annotations

from classhook.classfile.code import Code
from classhook.classfile.opcodes import (
    ALOAD_3,
    GOTO,
    ILOAD_0,
    INDEX_SHIFTS,
    JSR,
    LOOKUPSWITCH,
    TABLESWITCH,
    WIDE_PREFIX,
)
from classhook.coverage.class_info import ClassInfo, MethodInfo
from classhook.coverage.code_marks import FRAME, LABEL, LINE, CodeMarks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from mypy_extensions import i64

UNKNOWN: Final = -1  # the line of instructions in front of the first line
ANY: Final = b""  # the type of an exception handler of `finally`


def _general() -> bytes:
    table = bytearray(range(256))
    for op in range(26, 46):
        table[op] = 21 + (op - 26) // 4
    for op in range(59, 79):
        table[op] = 54 + (op - 59) // 4
    table[19] = table[20] = 18
    table[200], table[201] = GOTO, JSR
    return bytes(table)


GENERAL: Final = _general()


class Switch:
    """A switch's targets as indices: `default`, and `cases` in the table's order with their `keys`; `distinct`: each
    once, default first."""

    __slots__ = ("cases", "default", "distinct", "keys")

    def __init__(self, targets: list[int], keys: list[int]) -> None:
        self.default: int = targets[0]
        self.cases: list[int] = targets[1:]
        self.keys: list[int] = keys
        self.distinct: list[int] = list(dict.fromkeys(targets))


class Entry:
    """An exception table entry, as indices (`end` excluded); `type`: the class's internal name, ANY for all."""

    __slots__ = ("end", "handler", "start", "type")

    def __init__(self, start: int, end: int, handler: int, type_: bytes) -> None:
        self.start: int = start
        self.end: int = end
        self.handler: int = handler
        self.type: bytes = type_


class Body:
    """Instruction i: ops[i] (general form), pcs[i] its code offset, lines[i] its line or UNKNOWN, marks[i] what is in
    front of it (there is one more, for the code's end), targets[i] where a jump leads, else -1. `index_at`: by code
    offset, -1 within an instruction.
    """

    __slots__ = (
        "cls",
        "code",
        "count",
        "entries",
        "index_at",
        "line_marks",
        "lines",
        "marks",
        "method",
        "ops",
        "pcs",
        "switches",
        "targets",
        "text",
    )

    def __init__(self, code: Code, method: MethodInfo) -> None:
        """Raises ClassFormatError."""
        self.code: Code = code
        self.method: MethodInfo = method
        self.cls: ClassInfo = method.cls
        self.text: bytes = code.code
        scan = code.scan()
        code_marks = CodeMarks(code)
        text = code.code
        size: i64 = len(text)
        bounds = scan.bounds
        mark_at = code_marks.marks
        index_at = [-1] * (len(text) + 1)
        pcs: list[int] = []
        ops: list[int] = []
        lines: list[int] = []
        marks: list[int] = []
        line = UNKNOWN
        line_marks: dict[int, list[int]] = {}
        pc: i64 = 0
        count: i64 = 0
        while pc < size:
            if bounds[pc]:
                index_at[pc] = count
                pcs.append(pc)
                op: i64 = text[pc]
                ops.append(text[pc + 1] if op == WIDE_PREFIX else op)
                mark: i64 = mark_at[pc]
                marks.append(mark)
                if mark & LINE:
                    here = code_marks.lines[pc]
                    line_marks[count] = here
                    line = here[-1]
                lines.append(line)
                count += 1
            pc += 1
        index_at[size] = count
        marks.append(mark_at[size])
        self.pcs: list[int] = pcs
        self.count: int = len(pcs)
        self.line_marks: dict[int, list[int]] = line_marks
        self.ops: bytes = bytes(ops).translate(GENERAL)
        self.marks: bytes = bytes(marks)
        self.lines: list[int] = lines
        self.index_at: list[int] = index_at
        targets = [-1] * len(pcs)
        jumps16 = scan.jumps16
        targets16 = scan.targets16
        for i in range(len(jumps16)):
            targets[index_at[jumps16[i]]] = index_at[targets16[i]]
        for jump in scan.jumps32:
            targets[index_at[jump]] = index_at[scan.targets(jump)[0]]
        self.targets: list[int] = targets
        self.switches: dict[int, Switch] = {}
        for jump in scan.switches:
            self.switches[index_at[jump]] = Switch(
                [index_at[to] for to in scan.switch_targets(jump)], _keys(text, jump)
            )
        self.entries: list[Entry] = []
        for start, end, handler, type_index in code.exception_table:
            name = method.cls.pool.class_name_bytes(type_index) if type_index else ANY
            self.entries.append(Entry(index_at[start], index_at[end], index_at[handler], name))

    # ---- operands

    def slot(self, i: int) -> int:
        """The local variable of instruction i, which loads, stores or increments one."""
        pc = self.pcs[i]
        op = self.text[pc]
        if op == WIDE_PREFIX:
            return self.text[pc + 2] << 8 | self.text[pc + 3]
        if ILOAD_0 <= op <= ALOAD_3:
            return (op - 26) & 3
        return (op - 59) & 3 if 59 <= op <= 78 else self.text[pc + 1]

    def index(self, i: int) -> int:
        """The constant pool index in instruction i; 0 if it has none."""
        pc = self.pcs[i]
        shift = INDEX_SHIFTS[self.text[pc]]
        return 0 if shift == 16 else (self.text[pc + 1] << 8 | self.text[pc + 2] if shift == 0 else self.text[pc + 1])

    def member(self, i: int) -> tuple[bytes, bytes, bytes]:
        """Owner, name and descriptor of the member that instruction i names; an invokedynamic's owner is empty."""
        return self.cls.member(self.index(i))

    # ---- looking around

    def each(self, op: int) -> list[int]:
        """The instructions with this opcode, in order."""
        found: list[int] = []
        ops = self.ops
        i = ops.find(op)
        while i >= 0:
            found.append(i)
            i = ops.find(op, i + 1)
        return found

    def first_line_mark(self) -> int:
        """The instruction with the first line in front of it; `count` if there is none."""
        return min(self.line_marks, default=self.count)


def _keys(text: bytes, pc: int) -> list[int]:
    """The keys of a switch's cases, in the table's order (JVMS 6.5.tableswitch, lookupswitch)."""
    at = (pc & ~3) + 4
    low = _s4(text, at + 4)
    if text[pc] == TABLESWITCH:
        return list(range(low, _s4(text, at + 8) + 1))
    return [_s4(text, at + 8 + 8 * i) for i in range(low)]


def _s4(text: bytes, at: int) -> int:
    return int.from_bytes(text[at : at + 4], "big", signed=True)


__all__ = ["ANY", "FRAME", "GENERAL", "LABEL", "LINE", "LOOKUPSWITCH", "UNKNOWN", "Body", "Entry", "Switch"]

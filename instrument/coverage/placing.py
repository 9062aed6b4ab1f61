"""The places of a method's probes: the edges and positions from which the coverage of every instruction and branch
follows.

1. For each code offset: how many ways lead there (jumps, switches, exception handlers, starts of exception ranges, the
   method's entry, falling in), and whether a line begins there that calls methods.
2. Where two ways meet, each of them has a probe. A line with calls has one where control falls into it, since a call
   that throws ends the line before. Returns and throws have one in front of them.
3. Probes are numbered in code order; a switch's by target, default first, then in the table's order.

Places and numbers are JaCoCo's, so that data can be written in its form. EXACT adds probes of the kind ENTER, numbered
behind the others: those of exact_probes.py. Nothing here depends on what reports leave out. Runs in the JVM.
"""

from __future__ import annotations

from classhook.classfile.code import Code
from classhook.classfile.opcodes import GOTO_W, SCAN
from classhook.classfile.scan import NONE, Scan, varying_length
from classhook.coverage.placement import (
    BLOCKS,
    CALL,
    CALLS,
    CASE,
    ENTER,
    ENTRY,
    EXACT,
    EXIT,
    EXIT_ROLE,
    FALL,
    FULL,
    GOTO,
    GOTO_ROLE,
    JUMP,
    LINE,
    OPEN,
    OUT,
    ROLES,
    START,
    STARTS,
    SWITCH,
    TAKEN,
    WAYS,
    Placement,
    s2,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mypy_extensions import i64


def place(code: Code, level: int = FULL) -> Placement:
    """The probes of a method (`level`: see above). The same for the same bytes, always.

    A method with jsr is to be given without its subroutines (subroutines.py), or with ENTRY. Raises ClassFormatError.
    """
    scan = code.scan()
    found = Placement()
    if level == OUT:
        return found
    if level == ENTRY:
        found.add(ENTER, 0, 0)
        found.begun.append((0, 0))
        return found
    marks = _marks(code, scan)
    if level == STARTS:
        from classhook.coverage.block_probes import add_block_probes

        add_block_probes(code, scan, marks, found)
        return found
    _place(code.code, scan, marks, found, level != BLOCKS)
    found.standard = found.count
    if level == EXACT:
        from classhook.coverage.exact_probes import add_exact_probes

        add_exact_probes(code.code, marks, found)
    return found


def _marks(code: Code, scan: Scan) -> list[int]:
    """Marks each code offset (see above); falling in is a way, too."""
    text = code.code
    marks = [0] * (len(text) + 1)
    marks[0] = OPEN | START | 1
    for start_pc, _, handler_pc, _ in code.exception_table:
        marks[start_pc] += 1
        marks[handler_pc] = (marks[handler_pc] | OPEN | START) + 1
    for target in scan.targets16:
        marks[target] = (marks[target] | START) + 1
    for target in scan.targets32 if scan.jumps32 else NONE:
        marks[target] = (marks[target] | START) + 1
    for pc in scan.switches:
        for target in set(scan.switch_targets(pc)):
            marks[target] = (marks[target] | START) + 1
    data = code.data
    for name, at, end_at in code.attributes:
        if name == b"LineNumberTable":
            for entry in range(at + 8, end_at - 3, 4):
                if data[entry + 2] or data[entry + 3]:
                    pc = data[entry] << 8 | data[entry + 1]
                    if pc < len(text):
                        marks[pc] |= LINE
    _mark_ways_in(text, marks)
    return marks


def _mark_ways_in(text: bytes, marks: list[int]) -> None:
    """Counts falling in as a way, and finds the lines with calls."""
    size: i64 = len(text)
    line: i64 = -1
    pc: i64 = 0
    flows = False
    while pc < size:
        mark: i64 = marks[pc]
        if flows:
            marks[pc] = mark + 1
        if mark & LINE:
            line = pc
        op: i64 = text[pc]
        role: i64 = ROLES[op]
        flows = True
        if role:
            if role == CALL:
                if line >= 0:
                    marks[line] |= CALLS
            elif role != JUMP:
                flows = False
        length: i64 = SCAN[op] & 7
        pc += length if length else varying_length(text, pc)


def _place(text: bytes, scan: Scan, marks: list[int], found: Placement, lines: bool) -> None:
    """Adds the standard probes; `lines`: also those of lines with calls."""
    wanted: i64 = CALLS if lines else 0
    size: i64 = len(text)
    pc: i64 = 0
    flows = False
    while pc < size:
        mark: i64 = marks[pc]
        if flows and (mark & wanted or mark & WAYS > 1):
            found.add(FALL, pc, pc)
        op: i64 = text[pc]
        role: i64 = ROLES[op]
        flows = True
        if role:
            if role == EXIT_ROLE:
                found.add(EXIT, pc, pc)
                flows = False
            elif role == SWITCH:
                _place_cases(pc, scan.switch_targets(pc), marks, found)
                flows = False
            elif role != CALL:
                target: i64 = scan.targets(pc)[0] if op >= GOTO_W else pc + s2(text, pc + 1)
                if marks[target] & WAYS > 1:
                    found.add(GOTO if role == GOTO_ROLE else TAKEN, pc, target)
                flows = role == JUMP
        length: i64 = SCAN[op] & 7
        pc += length if length else varying_length(text, pc)


def _place_cases(pc: int, targets: list[int], marks: list[int], found: Placement) -> None:
    """Adds a probe for each of a switch's targets where other ways lead too."""
    done: set[int] = set()
    for target in targets:
        if marks[target] & WAYS > 1 and target not in done:
            done.add(target)
            found.add(CASE, pc, target)

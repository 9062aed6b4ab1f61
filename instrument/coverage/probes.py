"""Where a method's probes go: the edges and positions from which the coverage of every instruction and branch follows.

1. For each code offset: how many ways lead there (jumps, switches, exception handlers, starts of exception ranges, the method's entry,
   falling in), and whether a line begins there that calls methods.
2. Where two ways meet, each of them has a probe. A line with calls has one where control falls into it, since a call that throws ends the
   line before. Returns and throws have one in front of them.
3. Probes are numbered in code order; a switch's by target, default first, then in the table's order.

Places and numbers are JaCoCo's, so that data can be written in its form. EXACT adds probes of the kind ENTER, numbered behind the others:
those of instrument/coverage/exact.py.
Nothing here depends on what reports leave out. Runs in the JVM.
"""

from __future__ import annotations

from classfile.code import Code
from classfile.opcodes import GOTO_W, SCAN
from classfile.scan import NONE, Scan, varying_length

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from mypy_extensions import i64

    from instrument.coverage.starts import Block

# The kinds of a probe. `pc` is an instruction; `target` is where its edge leads, for FALL, EXIT and ENTER the same.
FALL: Final = 0  # hit when control falls into pc from the instruction in front of it, not by jumps to pc (insertion rank BEHIND)
EXIT: Final = 1  # in front of the return or athrow at pc (BEFORE)
GOTO: Final = 2  # in front of the goto at pc (BEFORE)
TAKEN: Final = 3  # hit when the conditional jump at pc jumps (EDGE to target, source pc)
CASE: Final = 4  # hit when the switch at pc goes to target, by any of its cases (EDGE to target, source pc)
ENTER: Final = 5  # in front of the instruction at pc, however control came there (BEFORE)

# How many probes a method gets.
FULL: Final = 0  # as many as JaCoCo's counters need
EXACT: Final = 1  # and those that tell which instruction threw
BLOCKS: Final = 2  # for methods that grow too large: without those of lines; where a call threw, what led to it is taken for missed
ENTRY: Final = 3  # a single one, at the method's entry
OUT: Final = 4  # none: the method is left out
STARTS: Final = 5  # between BLOCKS and ENTRY: which blocks began (starts.py)

# By code offset: the number of ways, and flags.
_WAYS: Final = 0xFFFFFF
_LINE: Final = 1 << 24  # a line other than 0 begins here
CALLS: Final = 1 << 25  # ... and has a call
OPEN: Final = 1 << 26  # control also comes here in a way that never has a probe: by the method's entry or as a handler
START: Final = 1 << 27  # control comes here otherwise than by falling in

# By opcode: what it is here.
JUMP: Final = 1
GOTO_ROLE: Final = 2
SWITCH: Final = 3
EXIT_ROLE: Final = 4
CALL: Final = 5
_ROLE_RUNS: Final = (
    (153, 166, JUMP), (167, 167, GOTO_ROLE), (168, 168, JUMP), (170, 171, SWITCH), (172, 177, EXIT_ROLE), (182, 186, CALL), (191, 191, EXIT_ROLE),
    (198, 199, JUMP), (200, 200, GOTO_ROLE), (201, 201, JUMP),
)  # fmt: skip


def _roles() -> bytes:
    roles = bytearray(256)
    for first, last, role in _ROLE_RUNS:
        for op in range(first, last + 1):
            roles[op] = role
    return bytes(roles)


ROLES: Final = _roles()


class Placement:
    """A method's probes in order: kinds[i], pcs[i], targets[i]. The first `standard` of them are JaCoCo's, the others are ENTER.

    `begun`: (probe, pc): when the probe is hit, the instruction at pc is begun. A probe may have more than one. `blocks`: for STARTS.
    """

    __slots__ = ("begun", "blocks", "kinds", "pcs", "standard", "targets")

    def __init__(self) -> None:
        self.kinds: list[int] = []
        self.pcs: list[int] = []
        self.targets: list[int] = []
        self.begun: list[tuple[int, int]] = []
        self.standard: int = 0
        self.blocks: list[Block] = []

    @property
    def count(self) -> int:
        """The number of probes."""
        return len(self.kinds)

    def add(self, kind: int, pc: int, target: int) -> None:
        """Appends a probe."""
        self.kinds.append(kind)
        self.pcs.append(pc)
        self.targets.append(target)


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
        from instrument.coverage.starts import add_starts

        add_starts(code, scan, marks, found)
        return found
    _place(code.code, scan, marks, found, level != BLOCKS)
    found.standard = found.count
    if level == EXACT:
        from instrument.coverage.exact import add_exact

        add_exact(code.code, marks, found)
    return found


def _marks(code: Code, scan: Scan) -> list[int]:
    """What is known of each code offset (see above); falling in is a way too."""
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
                        marks[pc] |= _LINE
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
        if mark & _LINE:
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
        if flows and (mark & wanted or mark & _WAYS > 1):
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
                if marks[target] & _WAYS > 1:
                    found.add(GOTO if role == GOTO_ROLE else TAKEN, pc, target)
                flows = role == JUMP
        length: i64 = SCAN[op] & 7
        pc += length if length else varying_length(text, pc)


def s2(text: bytes, at: i64) -> i64:
    """The signed 16-bit number at `at`."""
    number: i64 = text[at] << 8 | text[at + 1]
    return number if number < 0x8000 else number - 0x10000


def _place_cases(pc: int, targets: list[int], marks: list[int], found: Placement) -> None:
    """Adds a probe for each of a switch's targets where other ways lead too."""
    done: set[int] = set()
    for target in targets:
        if marks[target] & _WAYS > 1 and target not in done:
            done.add(target)
            found.add(CASE, pc, target)

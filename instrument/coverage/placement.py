"""The words for where a method's probes are: kinds, levels, what is known of a code offset, and the probes in order.
Runs in the JVM."""

from __future__ import annotations

from classhook.classfile import opcodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from mypy_extensions import i64

# The kinds of a probe. `pc` is an instruction; `target` is where its edge leads, for FALL, EXIT and ENTER the same.
FALL: Final = (
    0  # hit when control falls into pc from the instruction in front of it, not by jumps to pc (insertion rank BEHIND)
)
EXIT: Final = 1  # in front of the return or athrow at pc (BEFORE)
GOTO: Final = 2  # in front of the goto at pc (BEFORE)
TAKEN: Final = 3  # hit when the conditional jump at pc jumps (EDGE to target, source pc)
CASE: Final = 4  # hit when the switch at pc goes to target, by any of its cases (EDGE to target, source pc)
ENTER: Final = 5  # in front of the instruction at pc, however control came there (BEFORE)

# The levels: how many probes a method gets.
FULL: Final = 0  # as many as JaCoCo's counters need
EXACT: Final = 1  # and those that tell which instruction threw
BLOCKS: Final = (
    2  # for methods that grow too large: without those of lines; where a call threw, what led to it is taken for missed
)
ENTRY: Final = 3  # a single one, at the method's entry
OUT: Final = 4  # none: the method is left out
STARTS: Final = 5  # between BLOCKS and ENTRY: which blocks began (block_probes.py)

# By code offset: the number of ways, and flags.
WAYS: Final = 0xFFFFFF
LINE: Final = 1 << 24  # a line other than 0 begins here
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
    (opcodes.IFEQ, opcodes.IF_ACMPNE, JUMP),
    (opcodes.GOTO, opcodes.GOTO, GOTO_ROLE),
    (opcodes.JSR, opcodes.JSR, JUMP),
    (opcodes.TABLESWITCH, opcodes.LOOKUPSWITCH, SWITCH),
    (opcodes.IRETURN, opcodes.RETURN, EXIT_ROLE),
    (opcodes.INVOKEVIRTUAL, opcodes.INVOKEDYNAMIC, CALL),
    (opcodes.ATHROW, opcodes.ATHROW, EXIT_ROLE),
    (opcodes.IFNULL, opcodes.IFNONNULL, JUMP),
    (opcodes.GOTO_W, opcodes.GOTO_W, GOTO_ROLE),
    (opcodes.JSR_W, opcodes.JSR_W, JUMP),
)


def _roles() -> bytes:
    roles = bytearray(256)
    for first, last, role in _ROLE_RUNS:
        for op in range(first, last + 1):
            roles[op] = role
    return bytes(roles)


ROLES: Final = _roles()


class Block:
    """Code from start_pc to the instruction at last_pc. `ways`: the blocks where control goes from there, each once;
    `order`: its place in reverse postorder, -1 if it cannot be reached; `opened`: control also comes by the method's
    entry or as to a handler; `dominator`: the closest block that control always comes through, -1 for none; `probe`:
    its number, -1 for none."""

    __slots__ = ("dominator", "last_pc", "opened", "order", "probe", "start_pc", "targets", "ways")

    def __init__(self, start_pc: int, opened: bool) -> None:
        self.start_pc: int = start_pc
        self.last_pc: int = start_pc
        self.opened: bool = opened
        self.targets: list[int] = []
        self.ways: list[int] = []
        self.order: int = -1
        self.dominator: int = -1
        self.probe: int = -1


class Placement:
    """A method's probes in order: kinds[i], pcs[i], targets[i]. The first `standard` of them are JaCoCo's, the others
    are ENTER.

    `begun`: (probe, pc): when the probe is hit, the instruction at pc is begun. A probe may have more than one.
    `blocks`: for STARTS.
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


def s2(text: bytes, at: i64) -> i64:
    """The signed 16-bit number at `at`."""
    number: i64 = text[at] << 8 | text[at + 1]
    return number if number < 0x8000 else number - 0x10000

"""The instructions of a code array that is put together anew: how large each is, and its bytes."""

from __future__ import annotations

from classhook.classfile.errors import ClassFormatError
from classhook.classfile.opcodes import GOTO_W, LOOKUPSWITCH, TABLESWITCH


class Copy:
    """A copy of a subroutine, or the method's own code (`parent`: None). `insns`: pcs of the instructions; `back`:
    where its ret leads, as an index in the new code; `at`: by old pc, where its instructions are in the new code;
    `order`: these pcs, ascending.
    """

    def __init__(self, parent: Copy | None, insns: set[int], shared: set[int]) -> None:
        self.parent = parent
        self.insns = insns
        self.shared = shared
        self.back = -1
        self.at: dict[int, int] = {}
        self.order: list[int] = []

    def owner(self, pc: int) -> Copy | None:
        """The copy that has the instruction for this one; None if it is not reached from here."""
        if pc not in self.insns:
            return None
        own = self
        if pc in self.shared:
            above = self.parent
            while above is not None:
                if pc in above.insns:
                    own = above
                above = above.parent
        return own


class Piece:
    """A new instruction: its bytes, and where its jumps lead: (copy, old pc), or (None, index of a new instruction)."""

    def __init__(self, pc: int, raw: bytes, targets: list[tuple[Copy | None, int]]) -> None:
        self.pc = pc  # of the old instruction, whose lines it has; -1: it is an addition
        self.raw = raw
        self.targets = targets


def size_of(piece: Piece, at: int) -> int:
    if piece.raw[0] == GOTO_W:
        return 5
    if piece.raw[0] in (TABLESWITCH, LOOKUPSWITCH):
        return 1 + (-(at + 1) & 3) + 4 * _switch_words(piece)
    return len(piece.raw)


def _switch_words(piece: Piece) -> int:
    cases = len(piece.targets) - 1
    return 3 + cases if piece.raw[0] == TABLESWITCH else 2 + 2 * cases


def encoded(piece: Piece, at: int, targets: list[int]) -> bytes:
    """The instruction at `at`, with its offsets."""
    op = piece.raw[0]
    if not targets:
        return piece.raw
    if op == GOTO_W:
        return piece.raw + targets[0].to_bytes(4, "big", signed=True)
    if op not in (TABLESWITCH, LOOKUPSWITCH):
        if not -0x8000 <= targets[0] < 0x8000:
            raise ClassFormatError(
                "jump that no longer reaches its target in code with subroutines (jsr), code offset", piece.pc
            )
        return piece.raw[:1] + targets[0].to_bytes(2, "big", signed=True)
    old = piece.raw[1 + (-(piece.pc + 1) & 3) :]
    words = [to.to_bytes(4, "big", signed=True) for to in targets]
    if op == TABLESWITCH:
        body = words[0] + old[4:12] + b"".join(words[1:])
    else:
        keys = [old[8 + 8 * k : 12 + 8 * k] for k in range(len(words) - 1)]
        body = words[0] + old[4:8] + b"".join(key + word for key, word in zip(keys, words[1:], strict=True))
    return piece.raw[:1] + bytes(-(at + 1) & 3) + body


def table_of(index: bytes, entries: bytes, size: int) -> bytes:
    """An attribute that is a table, with entries of so many bytes."""
    count = len(entries) // size
    if count > 0xFFFF:
        raise ClassFormatError("too many lines or variables in code with subroutines (jsr)", 0)
    return index + (2 + len(entries)).to_bytes(4, "big") + count.to_bytes(2, "big") + entries

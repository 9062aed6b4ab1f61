"""Where everything in a method's code goes: the one old-to-new relocation that drives every table.

1. Insertions, in the order of their old pc: those behind which jumps land, trampolines, those before which jumps land, then
   what changes an instruction's length: a switch's padding (JVMS 6.5.tableswitch), a goto that becomes goto_w.
2. Walking through them notes from which old pc on code lands shifted by how much: `land(pc)` is the new_pc where a jump to
   pc lands. The instruction itself comes behind the insertions that jumps land before: `instruction(pc)`.
3. Where inserted code must lie in no exception range, there is a hole; ranges are split around holes.
4. Pieces of old and new code are joined, and the jumps and switches patched. One that does not reach its target within 16
   bits makes `assemble` return None; classfile.widen then says what else has to happen.
"""

from __future__ import annotations

from classfile.errors import CodeTooLarge
from classfile.opcodes import GOTO_W, JSR, JSR_W
from classfile.scan import Scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

# An insertion's rank: what comes first at one pc.
BEHIND: Final = 0
TRAMPOLINE: Final = 1
BEFORE: Final = 2
SWITCH: Final = 3
WIDEN: Final = 4

MAX_CODE: Final = 65535
NO_ENTRIES: Final[list[int]] = []


class Insertion:
    """`code` goes to the old offset `pc`, the start of an instruction.

    Rank BEHIND: jumps to pc land behind it; it runs when the instruction in front of pc falls through, or the method is
    entered. BEFORE: jumps land before it; it always runs before the instruction at pc. The other ranks are the layout's own.
    guarded=False: it lies in no exception range of the program. The code has no jumps to the outside.
    """

    __slots__ = ("code", "guarded", "pc", "rank")

    def __init__(self, pc: int, code: bytes, rank: int = BEHIND, guarded: bool = False) -> None:
        self.pc: int = pc
        self.code: bytes = code
        self.rank: int = rank
        self.guarded: bool = guarded


def place(insertion: Insertion) -> int:
    """The key to sort insertions by: pc, then rank."""
    return insertion.pc << 3 | insertion.rank


class Layout:
    """The relocation of one method's code, for every pc up to and with the old code's length."""

    __slots__ = ("_from", "_hint", "_shifts", "before", "first_entry", "hole_ends", "hole_starts", "old_size", "pieces", "size")

    def __init__(self, old_size: int) -> None:
        self.old_size: int = old_size
        self._from: list[int] = [0]  # ascending: from this old pc on, code lands shifted ...
        self._shifts: list[int] = [0]  # ... by this
        self._hint: int = 0
        self.before: dict[int, int] = {}
        self.hole_starts: list[int] = []
        self.hole_ends: list[int] = []
        self.pieces: list[bytes] = []
        self.size: int = 0  # of the new code, without our handler
        self.first_entry: list[int] = NO_ENTRIES  # by old exception table index: the new one (set by classfile.ranges)

    def shift_from(self, pc: int, shift: int) -> None:
        """From `pc` on, code lands `shift` further; pcs come ascending, the last word on one counts."""
        if self._from[-1] == pc:
            self._shifts[-1] = shift
        else:
            self._from.append(pc)
            self._shifts.append(shift)

    def land(self, pc: int) -> int:
        """The new_pc where a jump to `pc` lands. Raises IndexError for a pc beyond the code's length."""
        if not 0 <= pc <= self.old_size:
            raise IndexError(pc)
        starts = self._from
        i = self._hint  # tables ask for pcs that lie close together
        last = len(starts) - 1
        if starts[i] <= pc and (i == last or pc < starts[i + 1]):
            return pc + self._shifts[i]
        low = 0
        high = last
        while low < high:
            middle = (low + high + 1) >> 1
            if starts[middle] <= pc:
                low = middle
            else:
                high = middle - 1
        self._hint = low
        return pc + self._shifts[low]

    def instruction(self, pc: int) -> int:
        """The new_pc of the instruction at `pc` itself, behind all that was inserted there."""
        if self.before:
            return self.land(pc) + self.before.get(pc, 0)
        return self.land(pc)


def lay_out(code: bytes, scan: Scan, insertions: list[Insertion]) -> Layout:
    """The relocation by `insertions`, sorted by their place; switches add their own. Raises CodeTooLarge."""
    layout = Layout(len(code))
    pieces = layout.pieces
    before = layout.before
    if scan.switches:
        insertions = insertions + [Insertion(pc, b"", SWITCH, True) for pc in scan.switches]
        insertions.sort(key=place)
    size = len(code)
    shift = 0
    copied = 0  # code[:copied] is in the pieces
    for insertion in insertions:
        pc = insertion.pc
        rank = insertion.rank
        if pc > copied:
            pieces.append(code[copied:pc])
            copied = pc
        start = pc + shift
        if rank <= BEFORE:
            inserted = insertion.code
            pieces.append(inserted)
            length = len(inserted)
            shift += length
            if rank == BEFORE:
                before[pc] = before.get(pc, 0) + length
            if length and not insertion.guarded:
                layout.hole_starts.append(start)
                layout.hole_ends.append(start + length)
        elif rank == SWITCH:
            padding = ~start & 3
            pieces.append(code[pc : pc + 1] + bytes(padding))
            copied = pc + 1 + (~pc & 3)
            shift += padding - (~pc & 3)
        else:
            pieces.append(bytes((code[pc] + GOTO_W - 167, 0, 0, 0, 0)))
            copied = pc + 3
            shift += 2
        layout.shift_from(pc if rank < BEFORE else pc + 1, shift)
    if copied < size:
        pieces.append(code[copied:])
    layout.size = size + shift
    if layout.size > MAX_CODE:
        raise CodeTooLarge(f"{layout.size} bytes of code")
    return layout


def assemble(layout: Layout, scan: Scan) -> bytes | None:
    """The new code, all jumps patched; None if one of them would need more than 16 bits."""
    jumps = scan.jumps16
    if not jumps and not scan.jumps32 and not scan.switches:
        return b"".join(layout.pieces)
    new = bytearray(b"".join(layout.pieces))
    before = layout.before
    targets = scan.targets16
    for i in range(len(jumps)):
        pc = jumps[i]
        target = targets[i]
        at = layout.land(pc)
        if before:
            at += before.get(pc, 0)
        offset = layout.land(target) - at
        if offset != target - pc:
            if not -0x8000 <= offset <= 0x7FFF:
                return None
            new[at + 1] = offset >> 8 & 0xFF
            new[at + 2] = offset & 0xFF
    if scan.jumps32:
        patch32(new, layout, scan)
    if scan.switches:
        patch_switches(new, layout, scan)
    return b"".join([new])


def patch32(new: bytearray, layout: Layout, scan: Scan) -> None:
    """Patches the offsets of goto_w and jsr_w."""
    for pc, target in zip(scan.jumps32, scan.targets32, strict=True):
        at = layout.instruction(pc)
        put_s4(new, at + 1, layout.land(target) - at)


def patch_switches(new: bytearray, layout: Layout, scan: Scan) -> None:
    """Patches the offsets of switches, which are relative to the switch itself (JVMS 6.5.lookupswitch)."""
    code = scan.code
    for pc in scan.switches:
        at = layout.instruction(pc)
        moved = (at & ~3) - (pc & ~3)
        for operand_at in scan.switch_offsets_at(pc):
            offset = int.from_bytes(code[operand_at : operand_at + 4], "big", signed=True)
            new_offset = layout.land(pc + offset) - at
            if new_offset != offset:
                put_s4(new, operand_at + moved, new_offset)


def put_s4(data: bytearray, at: int, number: int) -> None:
    """Stores a signed 32-bit number."""
    data[at : at + 4] = number.to_bytes(4, "big", signed=True)


def wide_jump(op: int) -> int:
    """The 32-bit form of goto or jsr."""
    return JSR_W if op == JSR else GOTO_W

"""Where everything in a method's code goes: the one old-to-new relocation that drives every table.

1. Events, in the order of their old pc: insertions behind which jumps land, trampolines, insertions before which jumps land,
   then what changes an instruction's length: a switch's padding (JVMS 6.5.tableswitch), a goto that becomes goto_w.
2. Walking through them notes from which old pc on code lands shifted by how much: `land(pc)` is the new_pc where a jump to
   pc lands. The instruction itself comes behind the insertions that jumps land before: `instruction(pc)`.
3. Where inserted code must lie in no exception range, there is a hole; ranges are split around holes.
4. Pieces of old and new code are joined, and the jumps and switches patched. One that does not reach its target within 16
   bits makes `assemble` return None; classfile.widen then says what else has to happen.
"""

from __future__ import annotations

from classfile.errors import CodeTooLarge
from classfile.opcodes import GOTO_W, JSR, JSR_W
from classfile.scan import Scan, switch_offsets_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

# An event's rank: what comes first at one pc. An event is (pc, rank, code, guarded).
BEHIND: Final = 0
TRAMPOLINE: Final = 1
BEFORE: Final = 2
SWITCH: Final = 3
WIDEN: Final = 4

MAX_CODE: Final = 65535


class Layout:
    """The relocation of one method's code, for every pc up to and with the old code's length."""

    __slots__ = ("_from", "_hint", "_shifts", "before", "first_entry", "hole_ends", "hole_starts", "old_size", "pieces", "size", "starts")

    def __init__(self, old_size: int) -> None:
        self.old_size: int = old_size
        self._from: list[int] = [0]  # ascending: from this old pc on, code lands shifted ...
        self._shifts: list[int] = [0]  # ... by this
        self._hint: int = 0
        self.before: dict[int, int] = {}
        self.hole_starts: list[int] = []
        self.hole_ends: list[int] = []
        self.pieces: list[bytes] = []
        self.starts: list[int] = []  # of each event
        self.size: int = 0  # of the new code, without our handler
        self.first_entry: list[int] = []  # by old exception table index: the new one (set by classfile.ranges)

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


def lay_out(code: bytes, scan: Scan, events: list[tuple[int, int, bytes, bool]]) -> Layout:
    """The relocation by `events`, sorted by pc and rank; switches add their own. Raises CodeTooLarge."""
    layout = Layout(len(code))
    pieces = layout.pieces
    before = layout.before
    if scan.switches:
        events = events + [(pc, SWITCH, b"", True) for pc in scan.switches]
        events.sort(key=order)
    size = len(code)
    shift = 0
    copied = 0  # code[:copied] is in the pieces
    for pc, rank, inserted, guarded in events:
        if pc > copied:
            pieces.append(code[copied:pc])
            copied = pc
        start = pc + shift
        layout.starts.append(start)
        if rank <= BEFORE:
            pieces.append(inserted)
            length = len(inserted)
            shift += length
            if rank == BEFORE:
                before[pc] = before.get(pc, 0) + length
            if not guarded and length:
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


def order(event: tuple[int, int, bytes, bool]) -> int:
    """The key to sort events by: pc, then rank."""
    return event[0] << 3 | event[1]


def assemble(layout: Layout, code: bytes, scan: Scan) -> bytearray | None:
    """The new code, all jumps patched; None if one of them would need more than 16 bits."""
    new = bytearray(b"".join(layout.pieces))
    before = layout.before
    targets = scan.targets16
    for i, pc in enumerate(scan.jumps16):
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
        patch_switches(new, layout, code, scan)
    return new


def patch32(new: bytearray, layout: Layout, scan: Scan) -> None:
    """Patches the offsets of goto_w and jsr_w."""
    for i in range(len(scan.jumps32)):
        at = layout.instruction(scan.jumps32[i])
        put_s4(new, at + 1, layout.land(scan.targets32[i]) - at)


def patch_switches(new: bytearray, layout: Layout, code: bytes, scan: Scan) -> None:
    """Patches the offsets of switches, which are relative to the switch itself (JVMS 6.5.lookupswitch)."""
    for i in range(len(scan.switches)):
        pc = scan.switches[i]
        at = layout.instruction(pc)
        moved = (at & ~3) - (pc & ~3)
        for operand_at in switch_offsets_at(code, pc, scan.switch_lengths[i]):
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

"""The new code of a layout: pieces joined, jumps and switches patched.

If a jump does not reach its target within 16 bits, `assemble` returns None; classfile.widen handles that.
"""

from __future__ import annotations

from classhook.classfile.layout import Layout
from classhook.classfile.opcodes import GOTO_W, JSR, JSR_W
from classhook.classfile.scan import Scan


def assemble(layout: Layout, scan: Scan) -> bytes | None:
    """The new code, all jumps patched; None if one of them would need more than 16 bits."""
    jumps = scan.jumps16
    if not jumps and not scan.jumps32 and not scan.switches:
        return b"".join(layout.pieces)
    new = bytearray(b"".join(layout.pieces))
    before = layout.before
    edges = layout.edges
    targets = scan.targets16
    for i in range(len(jumps)):
        pc = jumps[i]
        target = targets[i]
        at = layout.land(pc)
        if before:
            at += before.get(pc, 0)
        offset = (layout.arrive(layout.way(pc, target)) if edges else layout.land(target)) - at
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
        put_s4(new, at + 1, layout.arrive(layout.way(pc, target)) - at)


def patch_switches(new: bytearray, layout: Layout, scan: Scan) -> None:
    """Patches the offsets of switches, which are relative to the switch itself (JVMS 6.5.lookupswitch)."""
    code = scan.code
    for pc in scan.switches:
        at = layout.instruction(pc)
        moved = (at & ~3) - (pc & ~3)
        for operand_at in scan.switch_offsets_at(pc):
            offset = int.from_bytes(code[operand_at : operand_at + 4], "big", signed=True)
            new_offset = layout.arrive(layout.way(pc, pc + offset)) - at
            if new_offset != offset:
                put_s4(new, operand_at + moved, new_offset)


def put_s4(data: bytearray, at: int, number: int) -> None:
    """Stores a signed 32-bit number."""
    data[at : at + 4] = number.to_bytes(4, "big", signed=True)


def wide_jump(op: int) -> int:
    """The 32-bit form of goto or jsr."""
    return JSR_W if op == JSR else GOTO_W

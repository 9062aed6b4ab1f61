"""Handles jumps that no longer reach their target within 16 bits.

1. goto and jsr become goto_w and jsr_w, two bytes longer.
2. A conditional jump goes to a trampoline instead: `goto_w target`, placed within the jump's reach, behind an
   instruction that does not fall through. Jumps with the same target share one if possible.
3. If there is no such place in reach, use any place where the frame is known: code that falls into it jumps over the
   trampolines.
4. Each change moves code, so lay out and check again, until all jumps reach. Widened jumps stay wide; a jump that no
   longer reaches its trampoline gets another one. If a jump finds none, or the code does not settle, raise Unsupported.
A trampoline's frame is a copy of its target's (done by splice), so that nothing has to be inferred.
"""

from __future__ import annotations

from classhook.classfile.errors import Unsupported
from classhook.classfile.insertions import TRAMPOLINE, WIDEN, Insertion, place
from classhook.classfile.jumps import patch32, patch_switches, put_s4, wide_jump
from classhook.classfile.layout import AS_THERE, MAX_CODE, Layout, lay_out
from classhook.classfile.opcodes import GOTO, JSR, UNCONDITIONAL
from classhook.classfile.scan import Scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_REACH: Final = 0x7FFF
_MARGIN: Final = 64  # a new trampoline is placed within this margin, since code will still move
_ROUNDS: Final = 64


class _Plan:
    """The places for trampolines, old pcs ascending: free places, and those that fall-through code must jump over; the
    widened jumps' pcs; the trampolines as (place, way) in the order of creation, those of each way, and which jump uses
    which.
    """

    __slots__ = ("by_way", "free", "possible", "trampolines", "used", "wide")

    def __init__(self, free: list[int], possible: list[int]) -> None:
        self.free: list[int] = free
        self.possible: list[int] = possible
        self.wide: set[int] = set()
        self.trampolines: list[tuple[int, int]] = []
        self.by_way: dict[int, list[int]] = {}
        self.used: dict[int, int] = {}


def widen(code: bytes, scan: Scan, insertions: list[Insertion], framed: list[int], tail: bytes) -> tuple[Layout, bytes]:
    """The layout and the new code. `framed`: old pcs, ascending, with known frames, where inserted code may be jumped
    over; `tail`: the last code. Raises CodeTooLarge, Unsupported.
    """
    plan = _Plan(_places(code, scan), framed)
    for _ in range(_ROUNDS):
        added = [Insertion(pc, b"", WIDEN, True) for pc in plan.wide]
        for i in range(len(plan.trampolines)):
            added.append(Insertion(plan.trampolines[i][0], b"\xc8\0\0\0\0", TRAMPOLINE, source=i))
        layout = lay_out(code, scan, sorted(insertions + added, key=place))
        layout.pieces.append(tail)
        if not _settle(code, scan, plan, layout):
            for i in range(len(plan.trampolines)):
                layout.join(layout.trampolines[i], plan.trampolines[i][1] & MAX_CODE, AS_THERE)
            return layout, _assemble(code, scan, plan, layout)
    raise Unsupported("jumps of more than 16 bits that do not settle")


def _places(code: bytes, scan: Scan) -> list[int]:
    """Old pcs behind an instruction that does not fall through, ascending."""
    found: list[int] = []
    pc = 0
    while pc < len(code):
        following = scan.next_pc(pc)
        if UNCONDITIONAL[code[pc]]:
            found.append(following)
        pc = following
    return found


def _settle(code: bytes, scan: Scan, plan: _Plan, layout: Layout) -> bool:
    """Plans for the jumps that do not reach in this layout; False if all do."""
    changed = False
    for i in range(len(scan.jumps16)):
        pc = scan.jumps16[i]
        target = scan.targets16[i]
        if pc in plan.wide:
            continue
        at = layout.instruction(pc)
        used = plan.used.get(pc, -1)
        way = layout.way(pc, target)
        offset = (layout.trampolines[used] if used >= 0 else layout.arrive(way)) - at
        if -_REACH - 1 <= offset <= _REACH:
            continue
        changed = True
        if code[pc] == GOTO or code[pc] == JSR:
            plan.wide.add(pc)
        else:
            plan.used[pc] = _trampoline(plan, layout, at, way)
    return changed


def _trampoline(plan: _Plan, layout: Layout, at: int, way: int) -> int:
    """The number of a trampoline on this way within reach of new_pc `at`, a new one if needed."""
    shared = plan.by_way.setdefault(way, [])
    for number in shared:
        new_pc = layout.trampolines.get(number, -1)
        if new_pc < 0:  # planned since the last layout
            new_pc = layout.land(plan.trampolines[number][0])
        if abs(new_pc - at) <= _REACH - _MARGIN * 8:
            return number
    best = -1
    for distance in (_REACH - _MARGIN, _REACH):
        if best < 0:
            best = _nearest(plan.free, layout, at, distance)
        if best < 0:
            best = _nearest(plan.possible, layout, at, distance)
    if best < 0:
        raise Unsupported(f"no place for a trampoline within reach of new code offset {at}")
    plan.trampolines.append((best, way))
    shared.append(len(plan.trampolines) - 1)
    return shared[-1]


def _nearest(places: list[int], layout: Layout, at: int, distance: int) -> int:
    """The place (of ascending ones) that is nearest to new_pc `at`; -1 if none is within this distance."""
    low = 0
    high = len(places)
    while low < high:
        middle = (low + high) >> 1
        if layout.land(places[middle]) < at:
            low = middle + 1
        else:
            high = middle
    best = -1
    for index in (low, low - 1):
        if 0 <= index < len(places) and abs(layout.land(places[index]) - at) <= distance:
            best = places[index]
            distance = abs(layout.land(best) - at) - 1
    return best


def _assemble(code: bytes, scan: Scan, plan: _Plan, layout: Layout) -> bytes:
    """The new code; all jumps reach."""
    new = bytearray(b"".join(layout.pieces))
    for i in range(len(scan.jumps16)):
        pc = scan.jumps16[i]
        at = layout.instruction(pc)
        way = layout.way(pc, scan.targets16[i])
        if pc in plan.wide:
            new[at] = wide_jump(code[pc])
            put_s4(new, at + 1, layout.arrive(way) - at)
        else:
            used = plan.used.get(pc, -1)
            offset = (layout.trampolines[used] if used >= 0 else layout.arrive(way)) - at
            new[at + 1 : at + 3] = offset.to_bytes(2, "big", signed=True)
    for i in range(len(plan.trampolines)):
        new_pc = layout.trampolines[i]
        put_s4(new, new_pc + 1, layout.arrive(plan.trampolines[i][1]) - new_pc)
    patch32(new, layout, scan)
    patch_switches(new, layout, scan)
    return bytes(new)

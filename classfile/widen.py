"""Jumps that do not reach their target within 16 bits any more.

1. goto and jsr become goto_w and jsr_w, two bytes longer.
2. A conditional jump goes to a trampoline instead: `goto_w target`, put behind an instruction after which nothing falls
   through, within the jump's reach. Jumps with the same target share one if they can.
3. Where there is no such place in reach, one is made: `goto_w over`, the trampolines, `over:` where the frame is known.
4. Each change moves code, so lay out again and look again, until all jumps reach. What was widened stays so; a jump that lost
   its trampoline looks for another, and a jump that finds none, or a code that does not settle, is Unsupported.
A trampoline's frame is a copy of its target's (splice sees to that), so that nothing has to be inferred.
"""

from __future__ import annotations

from classfile.errors import Unsupported
from classfile.layout import TRAMPOLINE, WIDEN, Insertion, Layout, lay_out, patch32, patch_switches, place, put_s4, wide_jump
from classfile.opcodes import GOTO, JSR, UNCONDITIONAL
from classfile.scan import Scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_REACH: Final = 0x7FFF
_MARGIN: Final = 64  # a new trampoline is placed a little within reach, since code will still move
_ROUNDS: Final = 64


class _Plan:
    """Where trampolines may be, old pcs ascending: free places, and such as have to be made; the widened jumps' pcs, the
    trampolines as (place, target) in the order of their making, and who uses which.
    """

    __slots__ = ("by_target", "free", "made", "possible", "trampolines", "used", "wide")

    def __init__(self, free: list[int], possible: list[int]) -> None:
        self.free: list[int] = free
        self.possible: list[int] = possible
        self.made: set[int] = set()
        self.wide: set[int] = set()
        self.trampolines: list[tuple[int, int]] = []
        self.by_target: dict[int, list[int]] = {}
        self.used: dict[int, int] = {}


def widen(
    code: bytes, scan: Scan, insertions: list[Insertion], framed: list[int], tail: bytes
) -> tuple[Layout, bytes, list[tuple[int, int]]]:
    """The layout, the new code, and (new_pc, old target) of each trampoline. `framed`: old pcs, ascending, where code may be
    jumped over, their frames being known; `tail`: what comes last. Raises CodeTooLarge, Unsupported.
    """
    plan = _Plan(_places(code, scan), framed)
    for _ in range(_ROUNDS):
        number: dict[int, int] = {}  # of the trampolines at each place
        for pc, _ in plan.trampolines:
            number[pc] = number.get(pc, 0) + 1
        added = [Insertion(pc, b"", WIDEN, True) for pc in plan.wide]
        for pc, count in number.items():
            over = b"\xc8" + (5 + 5 * count).to_bytes(4, "big") if pc in plan.made else b""
            added.append(Insertion(pc, over + b"\xc8\0\0\0\0" * count, TRAMPOLINE))
        layout = lay_out(code, scan, sorted(insertions + added, key=place))
        layout.pieces.append(tail)
        # those of one place lie in the order of their making, up to where jumps to the place land
        at = {pc: layout.land(pc) - 5 * count for pc, count in number.items()}
        new_pcs: list[int] = []
        for pc, _ in plan.trampolines:
            new_pcs.append(at[pc])
            at[pc] += 5
        if not _settle(code, scan, plan, layout, new_pcs):
            return (
                layout,
                _assemble(code, scan, plan, layout, new_pcs),
                [(new_pcs[i], plan.trampolines[i][1]) for i in range(len(new_pcs))],
            )
    raise Unsupported("jumps of more than 16 bits that do not settle")


def _places(code: bytes, scan: Scan) -> list[int]:
    """Old pcs behind an instruction after which nothing falls through, ascending."""
    found: list[int] = []
    pc = 0
    while pc < len(code):
        following = scan.next_pc(pc)
        if UNCONDITIONAL[code[pc]]:
            found.append(following)
        pc = following
    return found


def _settle(code: bytes, scan: Scan, plan: _Plan, layout: Layout, new_pcs: list[int]) -> bool:
    """Plans for the jumps that do not reach in this layout; False if all do."""
    changed = False
    for i in range(len(scan.jumps16)):
        pc = scan.jumps16[i]
        target = scan.targets16[i]
        if pc in plan.wide:
            continue
        at = layout.instruction(pc)
        used = plan.used.get(pc, -1)
        offset = (new_pcs[used] if used >= 0 else layout.land(target)) - at
        if -_REACH - 1 <= offset <= _REACH:
            continue
        changed = True
        if code[pc] == GOTO or code[pc] == JSR:
            plan.wide.add(pc)
        else:
            plan.used[pc] = _trampoline(plan, layout, new_pcs, at, target)
    return changed


def _trampoline(plan: _Plan, layout: Layout, new_pcs: list[int], at: int, target: int) -> int:
    """The number of a trampoline to `target` within reach of new_pc `at`, a new one if need be."""
    shared = plan.by_target.setdefault(target, [])
    for number in shared:
        new_pc = new_pcs[number] if number < len(new_pcs) else layout.land(plan.trampolines[number][0])
        if abs(new_pc - at) <= _REACH - _MARGIN * 8:
            return number
    best = -1
    for distance in (_REACH - _MARGIN, _REACH):
        if best < 0:
            best = _nearest(plan.free, layout, at, distance)
        if best < 0:
            best = _nearest(plan.possible, layout, at, distance)
            if best >= 0:
                plan.made.add(best)
    if best < 0:
        raise Unsupported(f"no place for a trampoline within reach of new code offset {at}")
    plan.trampolines.append((best, target))
    shared.append(len(plan.trampolines) - 1)
    return shared[-1]


def _nearest(places: list[int], layout: Layout, at: int, distance: int) -> int:
    """That of the places, ascending, which is nearest to new_pc `at`; -1 if none is within this distance."""
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


def _assemble(code: bytes, scan: Scan, plan: _Plan, layout: Layout, new_pcs: list[int]) -> bytes:
    """The new code; all jumps reach."""
    new = bytearray(b"".join(layout.pieces))
    for i in range(len(scan.jumps16)):
        pc = scan.jumps16[i]
        at = layout.instruction(pc)
        if pc in plan.wide:
            new[at] = wide_jump(code[pc])
            put_s4(new, at + 1, layout.land(scan.targets16[i]) - at)
        else:
            used = plan.used.get(pc, -1)
            offset = (new_pcs[used] if used >= 0 else layout.land(scan.targets16[i])) - at
            new[at + 1 : at + 3] = offset.to_bytes(2, "big", signed=True)
    for i in range(len(new_pcs)):
        put_s4(new, new_pcs[i] + 1, layout.land(plan.trampolines[i][1]) - new_pcs[i])
    patch32(new, layout, scan)
    patch_switches(new, layout, scan)
    return bytes(new)

"""The new positions of everything in a method's code: the one old-to-new relocation that drives every table.

1. The order at an old pc: insertions behind which jumps land, then those that only jumps reach (trampolines, edges;
   code that falls through jumps over them), those before which jumps land, then changes of an instruction's length: a
   switch's padding (JVMS 6.5.tableswitch), a goto that becomes goto_w.
2. A walk through the insertions records how far code is shifted from each old pc on: `land(pc)` is the new_pc where a
   jump to pc lands. The instruction itself comes after the insertions that jumps land before: `instruction(pc)`.
3. Inserted code that no exception range may cover is a hole; ranges are split around holes.
4. The pieces of old and new code are kept in order; classfile.jumps joins them.
"""

from __future__ import annotations

from classhook.classfile.errors import CodeTooLarge
from classhook.classfile.insertions import BEFORE, BEHIND, EDGE, SWITCH, TRAMPOLINE, Insertion, Label, place
from classhook.classfile.opcodes import GOTO, GOTO_W, UNCONDITIONAL
from classhook.classfile.scan import Scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

MAX_CODE: Final = 65535
IMPLICIT: Final = -1  # instead of an old pc: the implicit first frame
NO_ENTRIES: Final[list[int]] = []
NO_JOINS: Final[list[tuple[int, int, Label]]] = []
AS_THERE: Final = Label(0, [])


class Layout:
    """The relocation of one method's code, for every pc up to and including the old code's length.

    `edges`: the new_pc of code inserted on an edge, by its `way`; `trampolines`: those of the trampolines, by their
    `source`. By old pc, sizes: `skipped`: of the code that only jumps reach; `before` and `behind`: of the code of
    these ranks. `joins`: (new_pc, old pc, label) for new frames, copies of the one at the old pc.
    """

    __slots__ = (
        "_from",
        "_hint",
        "_shifts",
        "before",
        "behind",
        "edges",
        "first_entry",
        "hole_ends",
        "hole_starts",
        "joins",
        "old_size",
        "pieces",
        "size",
        "skipped",
        "trampolines",
    )

    def __init__(self, old_size: int) -> None:
        self.old_size: int = old_size
        self._from: list[int] = [0]  # ascending: from this old pc on, code lands shifted ...
        self._shifts: list[int] = [0]  # ... by this
        self._hint: int = 0
        self.before: dict[int, int] = {}
        self.behind: dict[int, int] = {}
        self.edges: dict[int, int] = {}
        self.trampolines: dict[int, int] = {}
        self.skipped: dict[int, int] = {}
        self.joins: list[tuple[int, int, Label]] = NO_JOINS
        self.hole_starts: list[int] = []
        self.hole_ends: list[int] = []
        self.pieces: list[bytes] = []
        self.size: int = 0  # of the new code, without our handler
        self.first_entry: list[int] = NO_ENTRIES  # new exception table index by old one (set by classfile.ranges)

    def shift_from(self, pc: int, shift: int) -> None:
        """Shifts code from `pc` on by `shift`; pcs come in ascending order, and the last call for a pc wins."""
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
        i = self._hint  # tables ask for pcs that are close together
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
        """The new_pc of the instruction at `pc` itself, after all insertions there."""
        if self.before:
            return self.land(pc) + self.before.get(pc, 0)
        return self.land(pc)

    def end(self, pc: int) -> int:
        """The new_pc where a range that ends at `pc` ends: before the code that only jumps to pc reach."""
        return self.land(pc) - self.skipped.get(pc, 0) if self.skipped else self.land(pc)

    def begin(self, pc: int) -> int:
        """The new_pc of all that is inserted at `pc`, or of the instruction."""
        return self.end(pc) - self.behind.get(pc, 0) if self.behind else self.end(pc)

    def way(self, pc: int, target: int) -> int:
        """The new target of a jump from `pc` to `target`: the edge's code if there is some, else the target."""
        return edge_key(pc, target) if self.edges and edge_key(pc, target) in self.edges else target

    def arrive(self, way: int) -> int:
        """The new_pc that a way leads to."""
        return self.land(way) if way <= MAX_CODE else self.edges[way]

    def join(self, new_pc: int, pc: int, label: Label) -> None:
        """Records that a frame is needed at `new_pc`."""
        if self.joins is NO_JOINS:
            self.joins = []
        self.joins.append((new_pc, pc, label))


def edge_key(pc: int, target: int) -> int:
    """A key for the edge from an instruction to a target; larger than any target."""
    return pc + 1 << 16 | target


def lay_out(code: bytes, scan: Scan, insertions: list[Insertion]) -> Layout:
    """The relocation by `insertions`, sorted by their place; switches add their own. Raises CodeTooLarge."""
    layout = Layout(len(code))
    pieces = layout.pieces
    before = layout.before
    behind = layout.behind
    if scan.switches:
        insertions = insertions + [Insertion(pc, b"", SWITCH, True) for pc in scan.switches]
        insertions.sort(key=place)
    size = len(code)
    shift = 0
    copied = 0  # code[:copied] is in the pieces
    jumped_to: list[Insertion] = []
    for insertion in insertions:
        pc = insertion.pc
        rank = insertion.rank
        if jumped_to and (pc != jumped_to[0].pc or rank > EDGE):
            shift += _put_jumped_to(layout, scan, jumped_to, shift)
            jumped_to.clear()
        if pc > copied:
            pieces.append(code[copied:pc])
            copied = pc
        start = pc + shift
        if rank in (BEHIND, BEFORE):
            inserted = insertion.code
            pieces.append(inserted)
            length = len(inserted)
            shift += length
            at_pc = before if rank == BEFORE else behind
            at_pc[pc] = at_pc.get(pc, 0) + length
            if length and not insertion.guarded:
                layout.hole_starts.append(start)
                layout.hole_ends.append(start + length)
            for label in insertion.labels:
                layout.join(start + label.offset, IMPLICIT if pc == 0 and rank == BEHIND else pc, label)
        elif rank <= EDGE:
            jumped_to.append(insertion)
            continue
        elif rank == SWITCH:
            padding = ~start & 3
            pieces.append(code[pc : pc + 1] + bytes(padding))
            copied = pc + 1 + (~pc & 3)
            shift += padding - (~pc & 3)
        else:
            pieces.append(bytes((code[pc] + GOTO_W - GOTO, 0, 0, 0, 0)))
            copied = pc + 3
            shift += 2
        layout.shift_from(pc if rank < BEFORE else pc + 1, shift)
    if jumped_to:
        shift += _put_jumped_to(layout, scan, jumped_to, shift)
    if copied < size:
        pieces.append(code[copied:])
    layout.size = size + shift
    if layout.size > MAX_CODE:
        raise CodeTooLarge(f"{layout.size} bytes of code")
    return layout


def _put_jumped_to(layout: Layout, scan: Scan, insertions: list[Insertion], shift: int) -> int:
    """Places code that only jumps reach, trampolines first; returns its size, including the jumps over it."""
    pc = insertions[0].pc
    ordered = sorted(insertions, key=_by_source)
    pieces: list[bytes] = []  # last first
    distances: list[int] = []  # of each insertion's start from the end, last first
    length = 0
    source = -1
    for insertion in reversed(ordered):
        if length and insertion.rank == EDGE and insertion.source != source:
            pieces.append(_goto_over(length))
            length += len(pieces[-1])
        source = insertion.source
        pieces.append(insertion.code)
        length += len(insertion.code)
        distances.append(length)
    if _falls_into(scan, pc):
        pieces.append(_goto_over(length))
        length += len(pieces[-1])
    pieces.reverse()
    layout.pieces += pieces
    end = pc + shift + length
    source = -1
    for insertion in ordered:
        new_pc = end - distances.pop()
        if insertion.rank == TRAMPOLINE:
            layout.trampolines[insertion.source] = new_pc
        elif insertion.source != source:
            source = insertion.source
            layout.edges[edge_key(source, pc)] = new_pc
            layout.join(new_pc, pc, AS_THERE)
        for label in insertion.labels:
            layout.join(new_pc + label.offset, pc, label)
        if insertion.code and not insertion.guarded:
            layout.hole_starts.append(new_pc)
            layout.hole_ends.append(new_pc + len(insertion.code))
    layout.skipped[pc] = length
    layout.shift_from(pc, shift + length)
    return length


def _by_source(insertion: Insertion) -> int:
    return insertion.rank << 16 | insertion.source


def _goto_over(length: int) -> bytes:
    """A jump over the next `length` bytes."""
    if length + 3 <= 0x7FFF:
        return (GOTO << 16 | length + 3).to_bytes(3, "big")
    return (GOTO_W << 32 | length + 5).to_bytes(5, "big")


def _falls_into(scan: Scan, pc: int) -> bool:
    """True if control reaches `pc` without a jump: from the instruction before it, or by entering the method."""
    at = pc - 1
    while at >= 0 and not scan.bounds[at]:
        at -= 1
    return at < 0 or not UNCONDITIONAL[scan.code[at]]

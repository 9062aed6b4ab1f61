"""What may be inserted into a method, and where: places, edges, and labels in inserted code.

1. A place is the start of an instruction. What falls into it can be told from what jumps to it, by rank.
2. An edge is a jump's or switch's way to one of its targets; what lies on it goes in front of the target, with the target's frame.
3. Inserted code may have jumps of its own, forward, to labels in it. What is on the stack there, above what was there
   before, is said; the rest of its frame is that of the place.
"""

from __future__ import annotations

from classfile.errors import ClassFormatError
from classfile.scan import Scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

# An insertion's rank: what comes first at one pc.
BEHIND: Final = 0
TRAMPOLINE: Final = 1
EDGE: Final = 2
BEFORE: Final = 3
SWITCH: Final = 4
WIDEN: Final = 5


class Label:
    """A jump's target `offset` bytes into inserted code, before its end. `stack`: the verification types above what was there before;
    `local_set`: the method's new local has its value by then, as it has everywhere but at the entry.
    """

    __slots__ = ("local_set", "offset", "stack")

    def __init__(self, offset: int, stack: list[bytes], local_set: bool = True) -> None:
        self.offset: int = offset
        self.stack: list[bytes] = stack
        self.local_set: bool = local_set


NO_LABELS: Final[list[Label]] = []


class Insertion:
    """`code` goes to the old offset `pc`, the start of an instruction, and needs `stack` slots above what is there.

    Rank BEHIND: jumps to pc land behind it; it runs when the instruction in front of pc falls through, or the method is
    entered. EDGE: it runs when the instruction at `source` jumps to pc. BEFORE: jumps land before it; it always runs before the
    instruction at pc. The other ranks are the layout's own.
    guarded=False: it lies in no exception range of the program; else in those that go on behind it.
    """

    __slots__ = ("code", "guarded", "labels", "pc", "rank", "source", "stack")

    def __init__(
        self, pc: int, code: bytes, rank: int = BEHIND, guarded: bool = False, stack: int = 0, labels: list[Label] = NO_LABELS, source: int = -1
    ) -> None:
        self.pc: int = pc
        self.code: bytes = code
        self.rank: int = rank
        self.guarded: bool = guarded
        self.stack: int = stack
        self.labels: list[Label] = labels
        self.source: int = source


class Handler:
    """A handler of any throwable at the end of the code, last in the exception table, for `ranges` of old pcs (half open).

    It starts with the throwable on the stack, needs `stack` slots above it, and leaves with athrow. Labels are as in an insertion,
    where the throwable is what was there before.
    """

    __slots__ = ("code", "labels", "ranges", "stack")

    def __init__(self, code: bytes, ranges: list[tuple[int, int]], stack: int = 0, labels: list[Label] = NO_LABELS) -> None:
        self.code: bytes = code
        self.ranges: list[tuple[int, int]] = ranges
        self.stack: int = stack
        self.labels: list[Label] = labels


class Edit:
    """What to do with one method. `new_local` is the verification type (a tag; Object: with a pool index) of a local that is
    put at old max_locals and that each frame has.
    """

    __slots__ = ("handler", "insertions", "new_local")

    def __init__(self, insertions: list[Insertion], handler: Handler | None = None, new_local: bytes | None = None) -> None:
        self.insertions: list[Insertion] = insertions
        self.handler: Handler | None = handler
        self.new_local: bytes | None = new_local

    def max_stack(self, own: int) -> int:
        """That of the new code, by the method's own. At the entry the stack is empty."""
        most = own
        for insertion in self.insertions:
            needed = insertion.stack if insertion.pc == 0 and insertion.rank == BEHIND else own + insertion.stack
            if needed > most:
                most = needed
        return most if self.handler is None else max(most, 1 + self.handler.stack)


def place(insertion: Insertion) -> int:
    """The key to sort insertions by: pc, then rank."""
    return insertion.pc << 3 | insertion.rank


def in_order(insertions: list[Insertion], scan: Scan) -> list[Insertion]:
    """Sorted by their place, those of one place as they were given. Raises ClassFormatError."""
    bounds = scan.bounds
    last = 0
    sorted_already = True
    for insertion in insertions:
        pc = insertion.pc
        if pc < 0 or pc >= len(bounds) or not bounds[pc]:
            raise ClassFormatError("insertion where no instruction begins, code offset", pc)
        at = place(insertion)
        if at < last:
            sorted_already = False
        last = at
    return insertions if sorted_already else sorted(insertions, key=place)

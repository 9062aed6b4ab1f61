"""Insertions into a method: places, edges, and labels in inserted code.

1. A place is the start of an instruction. The rank decides whether inserted code runs when control falls through,
   jumps, or both.
2. An edge leads from a jump or switch to one of its targets; code on it goes in front of the target, with the target's
   frame.
3. Inserted code may contain forward jumps to its own labels. A label declares what is on the stack above the stack at
   the place; the rest of its frame is that of the place.
"""

from __future__ import annotations

from classhook.classfile.errors import ClassFormatError, Unsupported
from classhook.classfile.opcodes import JSR, JSR_W
from classhook.classfile.scan import Scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

# An insertion's rank: the order at one pc.
BEHIND: Final = 0
TRAMPOLINE: Final = 1
EDGE: Final = 2
BEFORE: Final = 3
SWITCH: Final = 4
WIDEN: Final = 5


class Label:
    """A jump target `offset` bytes into inserted code, before its end. `stack`: the verification types above the stack
    at the place."""

    __slots__ = ("offset", "stack")

    def __init__(self, offset: int, stack: list[bytes]) -> None:
        self.offset: int = offset
        self.stack: list[bytes] = stack


NO_LABELS: Final[list[Label]] = []
NO_RANGES: Final[list[tuple[int, int]]] = []


class Insertion:
    """`code` is inserted at the old offset `pc`, the start of an instruction, and needs `stack` more slots than the
    stack there.

    Rank BEHIND: jumps to pc land behind it; it runs when the instruction in front of pc falls through, or the method is
    entered. EDGE: it runs when the instruction at `source` jumps to pc. BEFORE: jumps land before it; it always runs
    before the instruction at pc. The other ranks are internal to the layout. guarded=False: no exception range of the
    program covers it; else those do that cover the instruction (see ranges.py).
    """

    __slots__ = ("code", "guarded", "labels", "pc", "rank", "source", "stack")

    def __init__(
        self,
        pc: int,
        code: bytes,
        rank: int = BEHIND,
        guarded: bool = False,
        stack: int = 0,
        labels: list[Label] = NO_LABELS,
        source: int = -1,
    ) -> None:
        self.pc: int = pc
        self.code: bytes = code
        self.rank: int = rank
        self.guarded: bool = guarded
        self.stack: int = stack
        self.labels: list[Label] = labels
        self.source: int = source


class Handler:
    """A handler of any throwable at the end of the code, last in the exception table, for `ranges` of old pcs (half
    open).

    It starts with the throwable on the stack, needs `stack` slots above it, and ends with athrow. Labels are as in an
    insertion, above the throwable. `early`: ranges in which `this` is not initialised, but in local 0; a copy of the
    code of its own handles these.
    """

    __slots__ = ("code", "early", "labels", "ranges", "stack")

    def __init__(
        self,
        code: bytes,
        ranges: list[tuple[int, int]],
        stack: int = 0,
        labels: list[Label] = NO_LABELS,
        early: list[tuple[int, int]] = NO_RANGES,
    ) -> None:
        self.code: bytes = code
        self.early: list[tuple[int, int]] = early
        self.ranges: list[tuple[int, int]] = ranges
        self.stack: int = stack
        self.labels: list[Label] = labels

    def parts(self) -> list[tuple[list[tuple[int, int]], bool]]:
        """The ranges of each copy of the code, in order, and whether they are the early ones."""
        found = [(self.ranges, False)] if self.ranges or not self.early else []
        return found + [(self.early, True)] if self.early else found


class Edit:
    """The changes to one method. `new_local` are the verification types (a tag; Object: with a pool index) of one or
    more locals that are added from old max_locals on. The first insertion at the entry sets them; they are in each
    frame behind that.
    """

    __slots__ = ("handler", "insertions", "new_local")

    def __init__(
        self, insertions: list[Insertion], handler: Handler | None = None, new_local: bytes | None = None
    ) -> None:
        self.insertions: list[Insertion] = insertions
        self.handler: Handler | None = handler
        self.new_local: bytes | None = new_local

    def local_set_at(self) -> int:
        """The new_pc from which on the new local is set."""
        for insertion in self.insertions:
            if insertion.pc == 0 and insertion.rank == BEHIND:
                return len(insertion.code)
        return 0

    def max_stack(self, own: int) -> int:
        """max_stack of the new code, from the method's `own`. At the entry the stack is empty."""
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
    """The insertions sorted by place, keeping their order at the same place. Raises ClassFormatError, Unsupported."""
    bounds = scan.bounds
    last = 0
    sorted_already = True
    edges: dict[int, set[int]] = {}
    for insertion in insertions:
        pc = insertion.pc
        if pc < 0 or pc >= len(bounds) or not bounds[pc]:
            raise ClassFormatError("insertion where no instruction begins, code offset", pc)
        if insertion.rank == EDGE:
            _check_edge(insertion, scan, edges)
        at = place(insertion)
        if at < last:
            sorted_already = False
        last = at
    return insertions if sorted_already else sorted(insertions, key=place)


def _check_edge(insertion: Insertion, scan: Scan, edges: dict[int, set[int]]) -> None:
    """Raises ClassFormatError if there is no such edge, Unsupported if it is a jsr's. `edges`: the known targets by
    source."""
    source = insertion.source
    targets = edges.get(source)
    if targets is None:
        is_instruction = 0 <= source < len(scan.bounds) and scan.bounds[source]
        targets = edges[source] = set(scan.targets(source) if is_instruction else [])
    if insertion.pc not in targets:
        raise ClassFormatError(f"no edge from code offset {source} to the one", insertion.pc)
    if scan.code[source] in (JSR, JSR_W):  # the code would belong to the subroutine
        raise Unsupported(f"code on the edge of the jsr at code offset {source}")

"""Finds code that may hold a monitor which no catch-any handler of the program would release (JVMS 2.11.10).

If our own catch-any handler covered such code, there would be a path out of the method with the monitor held, and C1
and C2 would not compile the method ("unbalanced monitors"), even if the path is never taken.

1. Follow the lock depth forward from the start, keeping the maximum where paths meet; a handler is reached with the
   depth of any instruction in its range that no earlier catch-any entry covers, since that entry catches everything.
2. A subroutine (jsr) is followed separately for each call path, as the compilers do, and its ret returns to its caller.
3. Instructions with a depth on some path that no catch-any range covers are locked.
"""

from __future__ import annotations

from classhook.classfile.errors import ClassFormatError, Unsupported
from classhook.classfile.flow import falls_through, jump_targets
from classhook.classfile.intervals import marked
from classhook.classfile.opcodes import ASTORE, JSR, JSR_W, MONITORENTER, MONITOREXIT, RET, WIDE_PREFIX
from classhook.classfile.scan import Scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_DEEPEST: Final = 16  # greater depths count as this, so that a loop which only locks terminates
_PARTS: Final = 1_000  # plus some for each entry of the exception table
_BUDGET: Final = 40_000  # checks of a handler's range
_WAYS: Final = 64  # call paths through subroutines


class _Way:
    """The state on one call path through subroutines: depths[pc] is 1 + the greatest depth before each instruction, 0
    if not reached.

    `jsr_pc` and `outer` are the subroutine's call and caller, `local` holds its return address; -1, None, -1 for the
    method itself.
    """

    __slots__ = ("depths", "inner", "jsr_pc", "local", "outer", "work")

    def __init__(self, size: int, jsr_pc: int, outer: _Way | None, local: int) -> None:
        self.depths: bytearray = bytearray(size)
        self.jsr_pc: int = jsr_pc
        self.outer: _Way | None = outer
        self.local: int = local
        self.inner: dict[int, _Way] = {}
        self.work: list[int] = []

    def arrive(self, pc: int, depth: int) -> None:
        """Notes that `pc` is reached with this depth (plus 1)."""
        if depth > self.depths[pc]:
            self.depths[pc] = depth
            self.work.append(pc)


def locked_pcs(code: bytes, scan: Scan, exception_table: list[tuple[int, int, int, int]]) -> list[tuple[int, int]]:
    """Ranges of old pcs where a monitor may be held and the program has no catch-any handler.

    Raises ClassFormatError, Unsupported.
    """
    if not scan.monitors:
        return []
    size = len(code)
    exception_table = reached_entries(exception_table, size)
    handled = list(
        dict.fromkeys([(start_pc, end_pc, handler_pc) for start_pc, end_pc, handler_pc, _ in exception_table])
    )
    targets = jump_targets(scan)
    ways = [_Way(size, -1, None, -1)]
    ways[0].arrive(0, 1)
    budget = _BUDGET
    settled = False
    while not settled:
        settled = True
        for way in ways:  # the loop body may append to it
            while way.work:
                settled = False
                while way.work:
                    _follow(code, scan, targets, ways, way)
                budget -= len(handled)
                if budget < 0:
                    raise Unsupported("monitors in too large a method")
                _reach_handlers(way, handled)
    locked = bytearray(size)
    for way in ways:
        depths = way.depths
        for pc in range(size):
            if depths[pc] > 1:
                locked[pc] = 1
    for start_pc, end_pc, _, catch_type in exception_table:
        if catch_type == 0:
            locked[start_pc:end_pc] = bytes(end_pc - start_pc)
    return marked(scan.bounds, locked, 1)


def reached_entries(exception_table: list[tuple[int, int, int, int]], size: int) -> list[tuple[int, int, int, int]]:
    """The entries without the code that earlier catch-any entries cover, one per remaining part. Raises
    ClassFormatError, Unsupported."""
    covered = bytearray(size)
    found: list[tuple[int, int, int, int]] = []
    most = _PARTS + 8 * len(exception_table)
    for start_pc, end_pc, handler_pc, catch_type in exception_table:
        if start_pc >= end_pc or end_pc > size or handler_pc >= size:
            raise ClassFormatError("bad exception range, code offset", start_pc)
        start = covered.find(0, start_pc, end_pc)
        while start >= 0:
            end = covered.find(1, start, end_pc)
            if end < 0:
                end = end_pc
            found.append((start, end, handler_pc, catch_type))
            if catch_type == 0:
                covered[start:end] = b"\x01" * (end - start)
            start = covered.find(0, end, end_pc)
        if len(found) > most:
            raise Unsupported("monitors among too many handlers")
    return found


def _reach_handlers(way: _Way, handled: list[tuple[int, int, int]]) -> None:
    depths = way.depths
    deepest = max(depths)
    for start_pc, end_pc, handler_pc in handled:
        for depth in range(deepest, depths[handler_pc], -1):
            if depths.find(depth, start_pc, end_pc) >= 0:
                way.arrive(handler_pc, depth)
                break


def _follow(code: bytes, scan: Scan, targets: dict[int, list[int]], ways: list[_Way], way: _Way) -> None:
    """Follows one path until it ends or adds nothing new; branches are added to `work` lists."""
    pc = way.work.pop()
    depths = way.depths
    nowhere: list[int] = []
    while True:
        depth = depths[pc]
        op = code[pc]
        if op == MONITORENTER:
            depth = min(depth + 1, _DEEPEST)
        elif op == MONITOREXIT:
            depth = max(depth - 1, 1)
        elif op in (JSR, JSR_W):
            target = targets[pc][0]
            _call(code, ways, way, pc, target).arrive(target, depth)
            return
        elif op == RET or (op == WIDE_PREFIX and code[pc + 1] == RET):
            local = code[pc + 1] if op == RET else code[pc + 2] << 8 | code[pc + 3]
            callee = way
            while callee.local != local:
                if callee.outer is None:
                    raise Unsupported("ret of an address that no jsr left there")
                callee = callee.outer
            if callee.outer is not None:
                pc = scan.next_pc(callee.jsr_pc)
                if pc < len(depths):
                    callee.outer.arrive(pc, depth)
            return
        for target in targets.get(pc, nowhere):
            way.arrive(target, depth)
        if not falls_through(code, pc):
            return
        pc = scan.next_pc(pc)
        if pc >= len(depths) or depth <= depths[pc]:
            return
        depths[pc] = depth


def _call(code: bytes, ways: list[_Way], way: _Way, jsr_pc: int, target: int) -> _Way:
    """The call path into the subroutine at `target`: the current one if this jsr is already on it (from a handler)."""
    known: _Way | None = way
    while known is not None:
        if known.jsr_pc == jsr_pc:
            return known
        known = known.outer
    inner = way.inner.get(jsr_pc)
    if inner is None:
        op = code[target]
        if 75 <= op <= 78:  # astore_0 ...
            local = op - 75
        elif op == ASTORE:
            local = code[target + 1]
        elif op == WIDE_PREFIX and code[target + 1] == ASTORE:
            local = code[target + 2] << 8 | code[target + 3]
        else:
            raise Unsupported("a subroutine that does not store its return address first")
        if len(ways) >= _WAYS:
            raise Unsupported("subroutines in subroutines, too many ways")
        inner = way.inner[jsr_pc] = _Way(len(way.depths), jsr_pc, way, local)
        ways.append(inner)
    return inner

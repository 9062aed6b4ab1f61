"""Where a monitor may be held that no catch-any handler of the program would release (JVMS 2.11.10).

Were our own catch-any handler to lie there, a path would leave the method with the monitor held, and C1 and C2 would give
the method up ("unbalanced monitors"), though it never runs.

1. Follow the lock depth forward from the start, the greatest where paths meet; a handler is reached with the depth at any
   instruction in its range that no earlier catch-any entry covers: that one takes all.
2. What has a depth and lies in no catch-any range is locked.
"""

from __future__ import annotations

from classfile.errors import ClassFormatError, Unsupported
from classfile.flow import falls_through, jump_targets, next_pc
from classfile.intervals import joined, marked, without
from classfile.scan import Scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_DEEPEST: Final = 16  # more counts as this; a loop that only ever locks must come to an end
_PARTS: Final = 1_000_000
_BUDGET: Final = 100_000_000  # bytes looked at for handlers

_MONITORENTER: Final = 194
_MONITOREXIT: Final = 195


def locked_pcs(code: bytes, scan: Scan, exception_table: list[tuple[int, int, int, int]]) -> list[tuple[int, int]]:
    """Ranges of old pcs where a monitor may be held and the program has no catch-any handler. Raises Unsupported."""
    if not scan.monitors:
        return []
    size = len(code)
    exception_table = reached_entries(exception_table, size)
    targets = jump_targets(code, scan)
    depths = bytearray(size)  # 1 + the greatest depth before each instruction; 0: not reached
    depths[0] = 1
    work = [0]
    budget = _BUDGET
    while work:
        while work:
            _follow(code, scan, targets, depths, work)
        for start_pc, end_pc, handler_pc, _ in exception_table:
            budget -= end_pc - start_pc
            if budget < 0:
                raise Unsupported("monitors in too large a method")
            depth = max(depths[start_pc:end_pc])
            if depth > depths[handler_pc]:
                depths[handler_pc] = depth
                work.append(handler_pc)
    locked = bytearray(size)
    for pc in range(size):
        if depths[pc] > 1:
            locked[pc] = 1
    for start_pc, end_pc, _, catch_type in exception_table:
        if catch_type == 0:
            locked[start_pc:end_pc] = bytes(end_pc - start_pc)
    return marked(scan.bounds, locked, 1)


def reached_entries(exception_table: list[tuple[int, int, int, int]], size: int) -> list[tuple[int, int, int, int]]:
    """The entries without what earlier catch-any entries cover, an entry for each part left. Raises ClassFormatError, Unsupported."""
    covered: list[tuple[int, int]] = []
    found: list[tuple[int, int, int, int]] = []
    budget = _PARTS
    for start_pc, end_pc, handler_pc, catch_type in exception_table:
        if start_pc >= end_pc or end_pc > size or handler_pc >= size:
            raise ClassFormatError("bad exception range, code offset", start_pc)
        budget -= 1 + len(covered)
        if budget < 0:
            raise Unsupported("monitors among too many handlers")
        for start, end in without([(start_pc, end_pc)], covered):
            found.append((start, end, handler_pc, catch_type))
        if catch_type == 0:
            covered = joined(covered, start_pc, end_pc)
    return found


def _follow(code: bytes, scan: Scan, targets: dict[int, list[int]], depths: bytearray, work: list[int]) -> None:
    """Follows one path until it ends or brings nothing new; other ways to go are put on `work`."""
    pc = work.pop()
    while True:
        depth = depths[pc]
        op = code[pc]
        if op == _MONITORENTER:
            depth = min(depth + 1, _DEEPEST)
        elif op == _MONITOREXIT:
            depth = max(depth - 1, 1)
        for target in targets.get(pc, ()):
            if depth > depths[target]:
                depths[target] = depth
                work.append(target)
        if not falls_through(code, pc):
            return
        pc = next_pc(scan, pc)
        if pc >= len(depths) or depth <= depths[pc]:
            return
        depths[pc] = depth

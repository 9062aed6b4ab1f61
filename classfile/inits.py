"""Finds the code of a constructor in which `this` is initialised, so that a handler without uninitializedThis may cover
it (JVMS 4.10.1.9), and that in which it is not. No handler may cover the calls between.

1. Follow the code from its start, tracking which stack slots and locals hold the uninitialised `this`, until an
   invokespecial <init> takes it: all code after that is initialised, if there was no jump and no handler before.
2. Else follow every path with a worklist: states are merged at jump targets and handlers, and `this` is initialised
   there only if it is on all paths. Unreachable code does not count as initialised.
"""

from __future__ import annotations

from classhook.classfile.code import Code
from classhook.classfile.errors import Unsupported
from classhook.classfile.flow import effect, falls_through, jump_targets
from classhook.classfile.intervals import marked
from classhook.classfile.opcodes import (
    ALOAD,
    ALOAD_0,
    ALOAD_3,
    ASTORE,
    ASTORE_0,
    ATHROW,
    IFEQ,
    IFNULL,
    INVOKESPECIAL,
    RETURN,
    WIDE_PREFIX,
)
from classhook.classfile.pool import ConstantPool
from classhook.classfile.scan import Scan
from classhook.classfile.splice import Context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_BUDGET: Final = 1_000  # steps, and ...
_STEPS_PER_BYTE: Final = 2  # of code; a constructor with branches before super() takes at most one
_WORDS: Final = 20_000_000  # stack slots remembered at jump targets

_INIT: Final = 1
_UNINIT: Final = 2
_CALL: Final = 3  # of super() or this()
_LOST: Final = 4  # not initialised, and not in local 0

# Exceptions before super(): not from loads, stores, arithmetic, jumps, and writes to fields of `this`.
_THROWING: Final = frozenset([*range(46, 54), *range(79, 87), 108, 109, 112, 113, 178, 179, 180, *range(182, 196), 197])


class _State:
    """The stack slots (1 or 0) and locals that hold the uninitialised `this`, and whether it is initialised."""

    __slots__ = ("holders", "initialised", "stack")

    def __init__(self, stack: bytearray, holders: set[int], initialised: bool) -> None:
        self.stack: bytearray = stack
        self.holders: set[int] = holders
        self.initialised: bool = initialised

    def copy(self) -> _State:
        return _State(self.stack.copy(), self.holders.copy(), self.initialised)

    def weight(self) -> int:
        """The cost of copying or merging it, in steps."""
        return len(self.holders) + len(self.stack) >> 2

    def meet(self, other: _State) -> bool:
        """Merges the other state into this one; whether that changed anything."""
        if len(self.stack) != len(other.stack):
            raise Unsupported("stack heights that differ in a constructor")
        changed = False
        for i in range(len(self.stack)):
            if self.stack[i] > other.stack[i]:
                self.stack[i] = 0
                changed = True
        if not self.holders <= other.holders:
            self.holders &= other.holders
            changed = True
        if self.initialised and not other.initialised:
            self.initialised = False
            changed = True
        return changed


def initialised_ranges(code: Code, pool: ConstantPool, context: Context) -> list[tuple[int, int]]:
    """The ranges of old pcs at which `this` is initialised; the whole code if it is not a constructor.

    Raises ClassFormatError, Unsupported.
    """
    return phases(code, pool, context)[1]


def phases(code: Code, pool: ConstantPool, context: Context) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """The ranges of old pcs at which `this` is not initialised, but in local 0, and those at which it is. Raises
    ClassFormatError, Unsupported."""
    raw = code.code
    if not context.is_init:
        return [], [(0, len(raw))]
    scan = code.scan()
    first_guarded = len(raw)
    for start_pc, _, _, _ in code.exception_table:
        first_guarded = min(first_guarded, start_pc)
    try:
        state = _State(bytearray(), {0}, False)
        pc = 0
        held = True
        while pc < first_guarded and _plain(raw[pc]):
            following = scan.next_pc(pc)
            held = held and 0 in state.holders
            _step(state, raw, pc, pool)
            if state.initialised:
                return [(0, pc)] if pc and held else [], [(following, len(raw))] if following < len(raw) else []
            pc = following
        return _every_path(code, scan, pool)
    except IndexError:
        raise Unsupported("a constructor whose stack cannot be followed") from None


def may_throw(code: Code, ranges: list[tuple[int, int]]) -> bool:
    """True if something may be thrown in these ranges, in which `this` is not initialised."""
    bounds = code.scan().bounds
    for start_pc, end_pc in ranges:
        for pc in range(start_pc, end_pc):  # any() would create a generator
            if bounds[pc] and code.code[pc] in _THROWING:
                return True
    return False


def _plain(op: int) -> bool:
    """Neither jump, switch, return nor athrow."""
    return op == WIDE_PREFIX or (op < IFNULL and op != ATHROW and not IFEQ <= op <= RETURN)


def _step(state: _State, code: bytes, pc: int, pool: ConstantPool) -> None:
    """Applies the instruction at `pc` to the state; IndexError if the stack is too low for it."""
    op = code[pc]
    stack = state.stack
    operand = code[pc + 1] if pc + 1 < len(code) else 0
    if op == WIDE_PREFIX:
        op = operand
        operand = code[pc + 2] << 8 | code[pc + 3]
    pops, pushes = effect(code, pc, pool)
    if len(stack) < pops:
        raise IndexError
    if op == ALOAD or ALOAD_0 <= op <= ALOAD_3:
        local = operand if op == ALOAD else op - ALOAD_0
        stack.append(1 if local in state.holders else 0)
    elif 54 <= op <= 78:  # stores
        local = operand if op < 59 else (op - 59) & 3
        for gone in range(local, local + pops):
            state.holders.discard(gone)
        if (op == ASTORE or op >= ASTORE_0) and stack[-1]:
            state.holders.add(local)
        del stack[len(stack) - pops :]
    elif 89 <= op <= 94:  # dup, dup_x1, dup_x2, dup2, dup2_x1, dup2_x2
        copied = stack[-1:] if op < 92 else stack[-2:]
        below = len(stack) - pops
        stack[below:below] = copied
    elif op == 95:  # swap
        stack[-1], stack[-2] = stack[-2], stack[-1]
    else:
        below = len(stack) - pops
        if (
            op == INVOKESPECIAL
            and stack[below]
            and pool.name_and_type(code[pc + 1] << 8 | code[pc + 2])[0] == b"<init>"
        ):
            state.initialised = True
            state.holders.clear()
            stack[:] = bytes(len(stack))
        del stack[below:]
        stack += bytes(pushes)


def _every_path(code: Code, scan: Scan, pool: ConstantPool) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    raw = code.code
    size = len(raw)
    if scan.has_jsr:
        raise Unsupported("jsr")
    targets = jump_targets(scan)
    entries = code.exception_table
    joins = {handler_pc for _, _, handler_pc, _ in entries}
    for pcs in targets.values():
        joins.update(pcs)
    if len(joins) * (code.max_stack + code.max_locals + 1) > _WORDS:
        raise Unsupported("a constructor too large to follow")
    met: dict[int, _State] = {}
    marks = bytearray(size)
    work = [0]
    met[0] = _State(bytearray(), {0}, False)
    joins.add(0)
    budget = _BUDGET + _STEPS_PER_BYTE * size
    cost_of_entries = len(entries) >> 3

    def arrive(pc: int, state: _State) -> None:
        nonlocal budget
        budget -= 1 + state.weight()
        known = met.get(pc)
        if known is None:
            met[pc] = state.copy()
            work.append(pc)
        elif known.meet(state):
            work.append(pc)

    while work:
        pc = work.pop()
        state = met[pc].copy()
        budget -= state.weight()
        while True:
            budget -= 1 + cost_of_entries
            if budget < 0 or len(state.stack) > code.max_stack:
                raise Unsupported("a constructor too large to follow")
            if state.initialised:
                marks[pc] = marks[pc] or _INIT
            else:
                marks[pc] = _UNINIT if 0 in state.holders else _LOST
            for start_pc, end_pc, handler_pc, _ in entries:
                if start_pc <= pc < end_pc:
                    arrive(handler_pc, _State(bytearray(1), state.holders, state.initialised))
            before = state.initialised
            _step(state, raw, pc, pool)
            if state.initialised and not before:
                marks[pc] = _CALL
            for target in targets.get(pc, ()):
                arrive(target, state)
            if not falls_through(raw, pc):
                break
            pc = scan.next_pc(pc)
            if pc >= size:
                raise Unsupported("code that runs off its end")
            if pc in joins:
                arrive(pc, state)
                break
    return marked(scan.bounds, marks, _UNINIT), marked(scan.bounds, marks, _INIT)

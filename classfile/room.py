"""Checks that a method is valid with its own max_stack and max_locals (JVMS 4.10), before probes increase them.

The JVM refuses one that does not. With the room of a probe it might pass, and overwrite an argument or what the probe
keeps.

1. The arguments must fit into max_locals, and each instruction's local. A handler, reached or not, needs a slot for
   its exception.
2. From version 51 on the stack's height is known at each frame. All code is followed from frame to frame, reachable or
   not, as the JVM does; it must not fall through at its end, where our handler will be.
3. Before version 51, only reachable code counts. Pass over the code until nothing new is reached: by falling through,
   by a jump, or as a handler of reached code. Each instruction has the height with which it was first reached; the JVM
   accepts no other. Code that would need thousands of passes, which no compiler makes, is refused.

The return from a subroutine (jsr) is not followed, since the height there is unknown: at worst, too much is accepted.
"""

from __future__ import annotations

from classhook.classfile.code import Code
from classhook.classfile.errors import Refused
from classhook.classfile.flow import POPS, PUSHES, effect, falls_through, known_slots, slots_at
from classhook.classfile.frame_heights import frames_end, next_frame
from classhook.classfile.opcodes import (
    DLOAD,
    DSTORE,
    IFNONNULL,
    IFNULL,
    JSR,
    JSR_W,
    LENGTHS,
    LLOAD,
    LSTORE,
    WIDE_PREFIX,
)
from classhook.classfile.pool import ConstantPool
from classhook.classfile.scan import varying_length

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from mypy_extensions import i64

ALL_FRAMED: Final = 51  # first major version in which the JVM requires frames
ROUNDS: Final = 20  # passes over the code that are always allowed; more only ...
WORK: Final = 4_000_000  # ... up to this many bytes of code and handlers: a tenth of a second

# The step of an opcode: below MEMBER, (its effect on the height + 8) << 2 | its length, at most 3.
MEMBER: Final = 64
LOCAL: Final = 65
TOO_FAR: Final = 66  # a local beyond max_locals, without an operand
OTHER: Final = 67
JUMP: Final = 68  # used if only reachable code counts
_KIND_RUNS: Final = (
    (21, 25, LOCAL),
    (54, 58, LOCAL),
    (132, 132, LOCAL),
    (169, 169, LOCAL),
    (170, 171, OTHER),
    (178, 186, MEMBER),
    (196, 197, OTHER),
    (200, 255, OTHER),
)
_SHORT_RUNS: Final = ((26, 45), (59, 78))  # iload_0 to aload_3, istore_0 to astore_3
_JUMP_RUNS: Final = ((153, 177), (191, 191), (196, 196), (198, 201))  # with `wide`, for its ret
_TWO_SLOTS: Final = bytes([op in (LLOAD, DLOAD, LSTORE, DSTORE) for op in range(256)])


def _steps(max_locals: int, jumps: bool) -> bytes:
    table = bytearray([PUSHES[op] - POPS[op] + 8 << 2 | LENGTHS[op] for op in range(256)])
    for first, last, kind in _KIND_RUNS:
        table[first : last + 1] = bytes([kind]) * (last + 1 - first)
    for first, last in _SHORT_RUNS:
        for op in range(first, last + 1):
            if (op - first) % 4 + ((op - first) // 4 in (1, 3)) >= max_locals:  # long and double take two slots
                table[op] = TOO_FAR
    for first, last in _JUMP_RUNS if jumps else ():
        table[first : last + 1] = bytes([JUMP]) * (last + 1 - first)
    return bytes(table)


NO_HEIGHTS: Final[list[int]] = []

# By max_locals, up to the largest local of instructions without an operand.
_FRAMED: Final = [_steps(max_locals, False) for max_locals in range(6)]
_REACHED: Final = [_steps(max_locals, True) for max_locals in range(6)]


def check_room(code: Code, arguments: int, major: int, frames_at: int, pool: ConstantPool) -> None:
    """Raises Refused if the JVM refuses the code. `arguments`: their slots, including `this`; `frames_at`: position of
    the StackMapTable's number_of_entries, 0 if there is none. Raises ClassFormatError, IndexError."""
    code.scan()  # checks instructions and jump targets
    if arguments > code.max_locals:
        raise Refused(f"arguments of {arguments} slots, and max_locals {code.max_locals}, in the Code", code.at)
    if not code.max_stack and code.exception_table:
        raise Refused("a handler, and max_stack 0, in the Code", code.at)
    if major >= ALL_FRAMED:
        _follow(code, frames_at, NO_HEIGHTS, _FRAMED[min(code.max_locals, 5)], pool)
        return
    heights = [-1] * len(code.code)
    more = True
    rounds = max(ROUNDS, WORK // (len(code.code) + len(code.exception_table)))
    while more:
        if not rounds:
            raise Refused("code that jumps back too often to be followed, in the Code", code.at)
        rounds -= 1
        more = _follow(code, 0, heights, _REACHED[min(code.max_locals, 5)], pool)
        more = _reach_handlers(code.exception_table, heights) or more


def _reach_handlers(entries: list[tuple[int, int, int, int]], heights: list[int]) -> bool:
    """Marks handlers of reached code; whether there are new ones."""
    more = False
    reached: list[int] = []  # instructions before each pc
    for start_pc, end_pc, handler_pc, _ in entries:
        if heights[handler_pc] >= 0:
            continue
        if not reached:
            n = 0
            for height in heights:
                reached.append(n)
                if height >= 0:
                    n += 1
            reached.append(n)
        if reached[start_pc] < reached[end_pc]:
            heights[handler_pc] = 1
            more = True
    return more


def _follow(code: Code, frames_at: i64, heights: list[int], steps: bytes, pool: ConstantPool) -> bool:
    """Passes over the code. If only reachable code counts, `heights` has the height at each pc, -1 if not reached.
    Returns whether another pass is needed."""
    raw = code.code
    size: i64 = len(raw)
    data = code.data
    constants: i64 = code.constants
    lengths = LENGTHS
    max_stack: i64 = code.max_stack
    max_locals: i64 = code.max_locals
    known = known_slots(pool)
    only_reached = len(heights) > 0
    more = False
    frames: i64 = data[frames_at] << 8 | data[frames_at + 1] if frames_at else 0
    end: i64 = frames_end(data, frames_at) if frames_at else 0
    frames_at += 2
    delta: i64 = 0
    framed_pc: i64 = -1
    framed_height: i64 = 0
    height: i64 = 0
    start: i64 = 0
    pc: i64 = 0
    while pc < size:
        stop: i64 = size
        if frames:
            frames -= 1
            frames_at, delta, framed_height = next_frame(data, frames_at, constants)
            if frames_at > end:
                raise Refused("frames beyond the end of their table", end)
            framed_pc += delta + 1
            stop = framed_pc
        while pc < stop:
            start = pc
            op: i64 = raw[pc]
            if only_reached:
                if height < 0:
                    height = heights[pc]
                    if height < 0:
                        if op == WIDE_PREFIX or LOCAL <= steps[op] <= TOO_FAR:
                            _check_local(code, pc)
                        pc += lengths[op] or varying_length(raw, pc)
                        continue
                else:
                    heights[pc] = height
            step: i64 = steps[op]
            if step < MEMBER:
                height += (step >> 2) - 8
                pc += step & 3
            elif step == MEMBER:
                index: i64 = raw[pc + 1] << 8 | raw[pc + 2]
                slots: i64 = known[index]
                if slots < 0:
                    slots = slots_at(pool, index)
                if op > 181:  # a method
                    height += (slots & 3) - (slots >> 2) - (1 if op != 184 and op != 186 else 0)
                else:
                    height += (0 - slots if op & 1 else slots) - (1 if op > 179 else 0)
                pc += lengths[op]
            elif step == LOCAL:
                if raw[pc + 1] + _TWO_SLOTS[op] >= max_locals:
                    _check_local(code, pc)
                height += PUSHES[op] - POPS[op]
                pc += lengths[op]
            else:
                if step == TOO_FAR or op == WIDE_PREFIX:
                    _check_local(code, pc)
                pops, pushes = effect(raw, pc, pool)
                height += pushes - pops
                pc += lengths[op] or varying_length(raw, pc)
            if height > max_stack:
                raise Refused(f"more on the stack than max_stack {max_stack}, code offset", start)
            if step == JUMP:
                if op <= JSR or IFNULL <= op <= IFNONNULL:  # most
                    target: i64 = raw[start + 1] << 8 | raw[start + 2]
                    target = start + target - (0x10000 if target > 0x7FFF else 0)
                    if heights[target] < 0:
                        heights[target] = height
                        more = more or target < start
                else:
                    for to in code.scan().targets(start):
                        if heights[to] < 0:
                            heights[to] = height
                            more = more or to < start
                if op in (JSR, JSR_W) or not falls_through(raw, start):
                    height = -1
        if stop < size:
            height = framed_height
            if height > max_stack:
                raise Refused(f"a frame with more on the stack than max_stack {max_stack}, code offset", stop)
    if height >= 0 and falls_through(raw, start):
        raise Refused("code that runs off its end, code offset", start)
    return more


def _check_local(code: Code, pc: i64) -> None:
    """Checks the local of an instruction; instructions without an operand come here only if it is too large."""
    raw = code.code
    op: i64 = raw[pc]
    local: i64 = code.max_locals
    if op == WIDE_PREFIX:
        op = raw[pc + 1]
        local = raw[pc + 2] << 8 | raw[pc + 3]
    elif LENGTHS[op] > 1:
        local = raw[pc + 1]
    if local + _TWO_SLOTS[op] >= code.max_locals:
        raise Refused(f"a local beyond max_locals {code.max_locals}, code offset", pc)

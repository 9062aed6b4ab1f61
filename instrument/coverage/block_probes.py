"""The probes of STARTS, for methods in which those on edges find no room: which blocks began, with as few probes as
tell it.

1. A block begins where control may come in, and behind jumps, returns and throws. It is taken to run to its end.
2. A block dominates those that control reaches only through it (Cooper, Harvey and Kennedy, "A Simple, Fast Dominance
   Algorithm"). If one of these ran, so did it; a block needs a probe only if control may leave it for a block that it
   does not dominate directly, or for the caller.
3. In the report, a jump or a case was taken if the blocks at both its ends ran.

Runs in the JVM.
"""

from __future__ import annotations

from classhook.classfile.code import Code
from classhook.classfile.opcodes import GOTO_W, SCAN
from classhook.classfile.scan import Scan, varying_length
from classhook.coverage.placement import CALL, ENTER, EXIT_ROLE, JUMP, OPEN, ROLES, START, SWITCH, Block, Placement, s2


def add_block_probes(code: Code, scan: Scan, marks: list[int], found: Placement) -> None:
    """Adds the probes and the blocks. `marks`: as placing.py has them."""
    blocks = _blocks(code.code, scan, marks)
    number_at = {block.start_pc: i for i, block in enumerate(blocks)}
    for block in blocks:
        for target in block.targets:
            i = number_at[target]
            if i not in block.ways:
                block.ways.append(i)
    _find_dominators(blocks, _in_order(blocks))
    for i, block in enumerate(blocks):
        told = len(block.ways) > 0 and block.order >= 0
        for way in block.ways:
            if blocks[way].dominator != i:
                told = False
        if not told:
            block.probe = found.count
            found.add(ENTER, block.start_pc, block.start_pc)
    found.blocks = blocks


def _blocks(text: bytes, scan: Scan, marks: list[int]) -> list[Block]:
    blocks: list[Block] = []
    pc = 0
    fresh = flows = False
    while pc < len(text):
        if fresh or marks[pc] & START:
            if flows:
                blocks[-1].targets.append(pc)
            blocks.append(Block(pc, marks[pc] & OPEN != 0))
        block = blocks[-1]
        block.last_pc = pc
        op = text[pc]
        role = ROLES[op]
        fresh = role != 0 and role != CALL
        flows = not fresh or role == JUMP
        if role == SWITCH:
            block.targets += scan.switch_targets(pc)
        elif fresh and role != EXIT_ROLE:
            block.targets.append(scan.targets(pc)[0] if op >= GOTO_W else pc + s2(text, pc + 1))
        pc += (SCAN[op] & 7) or varying_length(text, pc)
    return blocks


def _in_order(blocks: list[Block]) -> list[int]:
    """The numbers of the blocks that can be reached, in reverse postorder."""
    order: list[int] = []
    seen = [False] * len(blocks)
    for first in range(len(blocks)):
        if not blocks[first].opened or seen[first]:
            continue
        seen[first] = True
        open_ = [(first, 0)]
        while open_:
            i, at = open_.pop()
            ways = blocks[i].ways
            if at == len(ways):
                order.append(i)
                continue
            open_.append((i, at + 1))
            if not seen[ways[at]]:
                seen[ways[at]] = True
                open_.append((ways[at], 0))
    order.reverse()
    for place, i in enumerate(order):
        blocks[i].order = place
    return order


def _find_dominators(blocks: list[Block], order: list[int]) -> None:
    known = [False] * len(blocks)
    before: list[list[int]] = [[] for _ in blocks]
    for i in order:
        known[i] = blocks[i].opened
        for way in blocks[i].ways:
            before[way].append(i)
    changed = True
    while changed:
        changed = False
        for i in order:
            if blocks[i].opened:  # nothing dominates it
                continue
            new = -2
            for other in before[i]:
                if known[other]:
                    new = other if new == -2 else _common(blocks, new, other)
            if not known[i] or blocks[i].dominator != new:
                blocks[i].dominator = new
                known[i] = changed = True


def _common(blocks: list[Block], a: int, b: int) -> int:
    """The closest block that dominates both, -1 for none."""
    while a != b:
        if a < 0 or b < 0:
            return -1
        if blocks[a].order > blocks[b].order:
            a = blocks[a].dominator
        else:
            b = blocks[b].dominator
    return a

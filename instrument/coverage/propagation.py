"""Finds covered instructions and branches from hits of probes.

1. A branch of an instruction leads to another instruction or to a probe. Branch 0 is the next instruction in code
   order; a jump that is taken is 1; a switch's default is 0, its cases follow.
2. Where two ways lead to an instruction, both have a probe; so at most one link leads to it, and links form trees with
   probes as leaves.
3. How often an instruction ran is the sum over its branches; a branch that links to an instruction ran as often as
   that. Links are followed from the leaves to the roots, without recursion: chains are as long as methods.
"""

from __future__ import annotations

from classhook.classfile.opcodes import IF_ACMPNE, IFEQ, IFNONNULL, IFNULL
from classhook.coverage.code_marks import LABEL
from classhook.coverage.method_body import Body, Switch
from classhook.coverage.placement import CALL, CASE, ENTER, EXIT, EXIT_ROLE, FALL, JUMP, ROLES, SWITCH, Placement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final

    from mypy_extensions import i64

CONDITION: Final = bytes([IFEQ <= op <= IF_ACMPNE or op in (IFNULL, IFNONNULL) for op in range(256)])
_LEAVES: Final = bytes([role in (2, 3, 4) for role in ROLES])  # control does not fall into the next instruction


class Flow:
    """The branches of a method. branches[i]: how many instruction i has; parents[i], ways[i]: the instruction and its
    branch that link to i, -1 if there is none; children[i]: how many instructions i links to. leaves[p]: the
    instruction and branch of probe p.

    switch_ways[i]: the branch of the switch at i for each of its distinct targets. The probes are those of `placement`,
    which was made of the same code; `strict`: a switch's branches are numbered by target, always.
    """

    __slots__ = ("body", "branches", "children", "leaves", "parents", "placement", "strict", "switch_ways", "ways")

    def __init__(self, body: Body, placement: Placement, strict: bool = False) -> None:
        count = body.count
        self.body: Body = body
        self.placement: Placement = placement
        self.branches: list[int] = [0] * count
        self.parents: list[int] = [-1] * count
        self.ways: list[int] = [0] * count
        self.children: list[int] = [0] * count
        self.leaves: list[tuple[int, int]] = []
        self.strict: bool = strict
        self.switch_ways: dict[int, list[int]] = {}
        probed = [0] * count
        self._add_probes(probed)
        self._link(probed)
        if not placement.standard:  # nothing can be concluded from it
            self.parents = [-1] * count
            self.children = [0] * count

    def _add_probes(self, probed: list[int]) -> None:
        """Fills in `leaves`, and for each instruction whether there is a probe where control falls in (1), and on its
        jump (2)."""
        body = self.body
        index_at = body.index_at
        placement = self.placement
        kinds = placement.kinds
        pcs = placement.pcs
        leaves = self.leaves
        for p in range(len(kinds)):
            kind = kinds[p]
            i = index_at[pcs[p]]
            if kind == FALL:
                probed[i] |= 1
                leaves.append((i - 1, 0))
            elif kind == EXIT:
                leaves.append((i, 0))
            elif kind == ENTER:
                leaves.append((-1, 0))
            elif kind == CASE:
                probed[i] |= 2
                leaves.append((i, case_index(body.switches[i], index_at[placement.targets[p]], not self.strict)))
            else:
                probed[i] |= 2
                leaves.append((i, 1))

    def _link(self, probed: list[int]) -> None:
        body = self.body
        branches = self.branches
        parents = self.parents
        children = self.children
        targets = body.targets
        marks = body.marks
        ops = body.ops
        count: i64 = len(ops)
        i: i64 = 0
        flows = False
        while i < count:
            if i:
                if probed[i] & 1:
                    branches[i - 1] += 1
                elif flows or not marks[i] & LABEL:
                    branches[i - 1] += 1
                    parents[i] = i - 1
                    children[i - 1] += 1
            target: i64 = targets[i]
            flows = not _LEAVES[ops[i]]
            if target >= 0:
                branches[i] += 1
                if not probed[i] & 2:
                    parents[target] = i
                    self.ways[target] = 1
                    children[i] += 1
            elif not flows:
                if i in body.switches:
                    self._link_switch(i, probed[i] > 1)
                else:
                    branches[i] += 1  # to the probe in front of it
            i += 1

    def _link_switch(self, i: int, has_probe: bool) -> None:
        """Links the switch at i with the targets to which its edges have no probe."""
        body = self.body
        switch = body.switches[i]
        self.branches[i] += len(switch.distinct)
        probed: set[int] = set()
        if has_probe:
            placement = self.placement
            pc = body.pcs[i]
            for p in range(placement.count):
                if placement.pcs[p] == pc and placement.kinds[p] == CASE:
                    probed.add(body.index_at[placement.targets[p]])
        ways = self.switch_ways[i] = []
        for target in switch.distinct:
            way = case_index(switch, target, has_probe and not self.strict)
            ways.append(way)
            if target not in probed:
                self.parents[target] = i
                self.ways[target] = way
                self.children[i] += 1

    def bits(self, hits: Sequence[int]) -> list[int]:
        """The covered branches of each instruction as bits, from the probes' hits (0: not hit)."""
        bits = [0] * self.body.count
        if self.placement.blocks:
            for key in self.counts(hits)[1]:
                bits[key >> 16] |= 1 << (key & 0xFFFF)
            return bits
        for p in range(len(self.leaves)):
            if hits[p]:
                i, way = self.leaves[p]
                self._cover(bits, i, way)
        for p, pc in self.placement.begun:
            if hits[p]:
                self._cover(bits, self.body.index_at[pc], 0)
        return bits

    def _cover(self, bits: list[int], i: int, way: int) -> None:
        while i >= 0:
            before = bits[i]
            bits[i] = before | 1 << way
            if before:
                return
            way = self.ways[i]
            i = self.parents[i]

    def counts(self, hits: Sequence[int]) -> tuple[list[int], dict[int, int]]:
        """Execution counts of each instruction, and of each branch (instruction << 16 | branch; those that never ran
        are left out)."""
        if self.placement.blocks:
            return _counts_of_blocks(self, hits)
        counts = [0] * self.body.count
        branches: dict[int, int] = {}
        for p in range(len(self.leaves)):
            i, way = self.leaves[p]
            if hits[p] and i >= 0:
                counts[i] += hits[p]
                branches[i << 16 | way] = branches.get(i << 16 | way, 0) + hits[p]
        begun: dict[int, int] = {}
        for p, pc in self.placement.begun:
            i = self.body.index_at[pc]
            begun[i] = begun.get(i, 0) + hits[p]
        waiting = self.children.copy()
        ready = [i for i in range(self.body.count) if waiting[i] == 0]
        while ready:
            i = ready.pop()
            if begun.get(i, 0) > counts[i]:
                counts[i] = begun[i]
            parent = self.parents[i]
            if parent >= 0:
                if counts[i]:
                    counts[parent] += counts[i]
                    key = parent << 16 | self.ways[i]
                    branches[key] = branches.get(key, 0) + counts[i]
                waiting[parent] -= 1
                if not waiting[parent]:
                    ready.append(parent)
        return counts, branches


def case_index(switch: Switch, target: int, has_probe: bool) -> int:
    """The branch of a switch that leads to `target`: for JaCoCo, if an edge has a probe, by the place in the table,
    repeats included."""
    if target == switch.default:
        return 0
    return 1 + switch.cases.index(target) if has_probe else switch.distinct.index(target)


def _counts_of_blocks(flow: Flow, hits: Sequence[int]) -> tuple[list[int], dict[int, int]]:
    """The counts for Flow.counts. The count of a block without a probe is the largest of the blocks that it dominates
    directly."""
    blocks = flow.placement.blocks
    ran = [hits[block.probe] if block.probe >= 0 else 0 for block in blocks]
    for i in sorted(range(len(blocks)), key=lambda i: -blocks[i].order):
        above = blocks[i].dominator
        if above >= 0:
            ran[above] = max(ran[above], ran[i])
    body = flow.body
    found = [0] * body.count
    branches: dict[int, int] = {}
    number_at = {block.start_pc: i for i, block in enumerate(blocks)}
    for i, block in enumerate(blocks):
        if not ran[i]:
            continue
        last = body.index_at[block.last_pc]
        for at in range(body.index_at[block.start_pc], last):
            found[at] = branches[at << 16] = ran[i]
        for way, target in _ways(flow, last):
            taken = min(ran[i], ran[number_at[target]]) if target >= 0 else ran[i]
            if taken:
                branches[last << 16 | way] = taken
                found[last] = ran[i]
    return found, branches


def _ways(flow: Flow, i: int) -> list[tuple[int, int]]:
    """The branches of the last instruction of a block, and the offsets where they lead, -1 for the caller."""
    body = flow.body
    role = ROLES[body.ops[i]]
    if role == EXIT_ROLE:
        return [(0, -1)]
    if role == SWITCH:
        return [
            (way, body.pcs[target]) for way, target in zip(flow.switch_ways[i], body.switches[i].distinct, strict=True)
        ]
    ways = [(1, body.pcs[body.targets[i]])] if body.targets[i] >= 0 else []
    if role in (0, CALL, JUMP) and i + 1 < body.count:
        ways.append((0, body.pcs[i + 1]))
    return ways

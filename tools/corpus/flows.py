"""Compares the flow of control of a class before and after `cover` wove it: the same instructions in the same order,
and on each way the probes that instrument/coverage/placing.py names.

1. Gotos are followed in both, and calls of the tracker in the woven one, which gives their numbers.
2. From the entry on, both methods are walked in step: each instruction has the same bytes but for offsets, each of its
   ways leads to the same instruction with the same probes in between, and the same handlers are in force.
"""

from __future__ import annotations

from classhook.classfile.code import Code
from classhook.classfile.opcodes import GOTO, GOTO_W, SCAN
from classhook.classfile.reader import ClassFile
from classhook.classfile.scan import varying_length
from classhook.coverage.placement import CASE, FALL, TAKEN, Placement
from classhook.coverage.placing import place
from classhook.coverage.subroutines import flat
from classhook.native._slots import CH_UNNUMBERED
from classhook.probes.records import CoverRecord
from classhook.weaving.class_weaver import Woven
from tools.corpus.normal import Difference

LDC, LDC_W, INVOKESTATIC = 18, 19, 184
#: These do not complete to the next instruction.
ENDS = {*range(167, 168), *range(169, 178), 191, 200}
CALLS = ("covered", "count")


class Method:
    """A method's code: what its instructions lead to."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.text = code.code
        self.scan = code.scan()
        self.jumps = {*self.scan.jumps16, *(self.scan.jumps32 or [])}

    def length(self, pc: int) -> int:
        return (SCAN[self.text[pc]] & 7) or varying_length(self.text, pc)

    def target(self, pc: int) -> int:
        return int(self.scan.targets(pc)[0])

    def ways(self, pc: int) -> list[int]:
        """The targets of a jump or switch."""
        return list(self.scan.targets(pc)) if pc in self.jumps or pc in self.scan.switches else []

    def shown(self, pc: int) -> bytes:
        """The instruction, without offsets."""
        op = self.text[pc]
        if pc in self.jumps:
            return bytes([op])
        if pc in self.scan.switches:
            return bytes([op]) + self.text[(pc + 4) & ~3 : pc + self.length(pc)][4:12] * (op == 170)
        return self.text[pc : pc + self.length(pc)]

    def handlers(self, pc: int) -> list[tuple[int, int]]:
        return [(kind, handler) for start, end, handler, kind in self.code.exception_table if start <= pc < end]

    def follow(self, pc: int, _: int | None) -> tuple[int, list[int]]:
        raise NotImplementedError


class Old(Method):
    """With the probes that are to be on its ways."""

    def __init__(self, code: Code, placement: Placement) -> None:
        super().__init__(code)
        self.falls: dict[int, list[int]] = {}
        self.before: dict[int, list[int]] = {}
        self.edges: dict[tuple[int, int], list[int]] = {}
        for i, (kind, pc, target) in enumerate(zip(placement.kinds, placement.pcs, placement.targets, strict=True)):
            if kind in (TAKEN, CASE):
                self.edges.setdefault((pc, target), []).append(i)
            else:
                (self.falls if kind == FALL else self.before).setdefault(pc, []).append(i)

    def follow(self, pc: int, source: int | None) -> tuple[int, list[int]]:
        """The next instruction that is no goto, and the probes on the way. `source`: the jump that leads to pc; -1: it
        is fallen into."""
        found = (
            []
            if source is None
            else [*(self.falls if source < 0 else {}).get(pc, []), *self.edges.get((source, pc), [])]
        )
        seen: set[int] = set()
        while True:
            found += self.before.get(pc, [])
            if self.text[pc] not in (GOTO, GOTO_W):
                return pc, found
            if pc in seen:
                return -1, sorted(set(found))
            seen.add(pc)
            pc = self.target(pc)


class New(Method):
    """With the probes that it has, by offset: how long the code is, and its number."""

    def __init__(self, code: Code, cf: ClassFile, first: int) -> None:
        super().__init__(code)
        self.probes: dict[int, tuple[int, int]] = {}
        before = -1
        for pc in [pc for pc, bound in enumerate(self.scan.bounds) if bound]:
            if self.text[pc] == INVOKESTATIC and before >= 0 and self.text[before] in (LDC, LDC_W):
                index = int.from_bytes(self.text[pc + 1 : pc + 3])
                data, at = cf.data, cf.pool.offsets[index]
                owner, both = int.from_bytes(data[at + 1 : at + 3]), int.from_bytes(data[at + 3 : at + 5])
                name = cf.pool.utf8(int.from_bytes(data[cf.pool.offsets[both] + 1 :][:2]))
                if cf.pool.class_name(owner) == "java/lang/ClasshookTracker" and name in CALLS:
                    number = int.from_bytes(self.text[before + 1 : pc])
                    value = int.from_bytes(data[cf.pool.offsets[number] + 1 :][:4])
                    self.probes[before] = pc + 3 - before, value - CH_UNNUMBERED - first
            before = pc

    def follow(self, pc: int, source: int | None) -> tuple[int, list[int]]:
        found: list[int] = []
        seen: set[int] = set()
        while True:
            if pc in self.probes:
                length, number = self.probes[pc]
                found.append(number)
                pc += length
            elif self.text[pc] not in (GOTO, GOTO_W):
                return pc, found
            elif pc in seen:
                return -1, sorted(set(found))
            else:
                seen.add(pc)
                pc = self.target(pc)


def compare(data: bytes, woven: Woven) -> int:
    """Compares all methods that have probes of `cover`, and nothing else; returns how many. Raises Difference."""
    assert woven.data is not None
    old, new = ClassFile.parse(data), ClassFile.parse(woven.data)
    covered = {(record.method, record.descriptor): record for record in woven.table if isinstance(record, CoverRecord)}
    for before, after in zip(old.methods, new.methods, strict=True):
        if (probes := covered.get((before.name, before.descriptor))) is not None:
            code = flat(Code(data, before.code_at, old.pool), old.pool)
            placement = place(code, probes.level)
            other = New(Code(woven.data, after.code_at, new.pool), new, probes.slot)
            if sorted(number for _, number in other.probes.values()) != list(range(placement.count)):
                raise Difference(f"{before.name}: not each probe once: {sorted(other.probes.values())}")
            _walk(before.name, Old(code, placement), other)
    return len(covered)


def _walk(name: str, old: Old, new: New) -> None:
    known: dict[int, int] = {}
    pending: list[tuple[int, int]] = []

    def same(one: tuple[int, list[int]], other: tuple[int, list[int]], where: str) -> None:
        if one[1] != other[1] or (one[0] < 0) != (other[0] < 0):
            raise Difference(f"{name}: {where}: probes {one}, then {other}")
        if one[0] >= 0 and known.setdefault(one[0], other[0]) != other[0]:
            raise Difference(f"{name}: {where}: {one[0]} is at {known[one[0]]} and {other[0]}")
        if one[0] >= 0:
            pending.append((one[0], other[0]))

    same(old.follow(0, None), new.follow(0, None), "entry")
    done: set[int] = set()
    while pending:
        at, there = pending.pop()
        if at in done:
            continue
        done.add(at)
        if old.shown(at) != new.shown(there):
            raise Difference(f"{name}: {at}: {old.shown(at).hex()}, then {new.shown(there).hex()}")
        ways, others = old.ways(at), new.ways(there)
        if len(ways) != len(others):
            raise Difference(f"{name}: {at}: {len(ways)} ways, then {len(others)}")
        for way, other in zip(ways, others, strict=True):
            same(old.follow(way, at), new.follow(other, there), f"from {at} to {way}")
        if old.text[at] not in ENDS:
            following = at + old.length(at)
            same(old.follow(following, -1), new.follow(there + new.length(there), -1), f"behind {at}")
        handlers, more = old.handlers(at), new.handlers(there)
        if [kind for kind, _ in handlers] != [kind for kind, _ in more]:
            raise Difference(f"{name}: {at}: handlers {handlers}, then {more}")
        for (_, handler), (_, other) in zip(handlers, more, strict=True):
            same(old.follow(handler, None), new.follow(other, None), f"handler of {at}")

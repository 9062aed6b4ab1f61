"""The places of a method where scripts insert calls: for each its pc, its line, what is there, and what puts code
there."""

from __future__ import annotations

from classhook.agent.inserted_values import ALLOCATION, CALL, ENTRY, EXIT, LINE, THROWN
from classhook.classfile.insertions import BEFORE, BEHIND, Insertion
from classhook.classfile.opcodes import INVOKEINTERFACE, INVOKEVIRTUAL
from classhook.measures.alloc import lines_of, sites
from classhook.probes.exits import insert_exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Final

    from classhook.classfile.pool import ConstantPool
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.rules.ruleset import RuleSet

    Places = Iterator[tuple[int, int, str, Callable[[bytes], None]]]


class Asked:
    """The places to look for. `stack`: slots that the code needs; `rules`: of methods, or of types in methods;
    `called`: of methods that are called; `line`: 0: any."""

    __slots__ = ("called", "line", "rules", "stack")

    def __init__(self, stack: int, rules: RuleSet, called: RuleSet | None, line: int) -> None:
        self.stack = stack
        self.rules = rules
        self.called = called
        self.line = line


def entry(asked: Asked, weaver: MethodWeaver, pool: ConstantPool) -> Places:
    (line,) = lines_of(weaver.code, [0])
    yield 0, line, "", lambda code: weaver.insertions.append(Insertion(0, code, stack=asked.stack))


def exits(asked: Asked, weaver: MethodWeaver, pool: ConstantPool) -> Places:
    """One place, at all returns."""
    returns = weaver.code.scan().returns
    if returns:
        (line,) = lines_of(weaver.code, [returns[-1]])
        yield returns[-1], line, "", lambda code: insert_exits(weaver, code, asked.stack)


def thrown(asked: Asked, weaver: MethodWeaver, pool: ConstantPool) -> Places:
    ranges = weaver.handled()
    if ranges:
        (line,) = lines_of(weaver.code, [0])
        yield 0, line, "", lambda code: weaver.handle(code, ranges, asked.stack)


def allocations(asked: Asked, weaver: MethodWeaver, pool: ConstantPool) -> Places:
    found = [site for site in sites(weaver.code, pool) if asked.rules.match_type(0, site.type)]
    for site, line in zip(found, lines_of(weaver.code, [site.pc for site in found]), strict=True):
        yield site.pc, line, site.type, adds(weaver, site.next_pc, asked.stack)


def calls(asked: Asked, weaver: MethodWeaver, pool: ConstantPool) -> Places:
    assert asked.called is not None
    text, bounds = weaver.code.code, weaver.code.scan().bounds
    pcs = [pc for pc in range(len(text)) if bounds[pc] and INVOKEVIRTUAL <= text[pc] <= INVOKEINTERFACE]
    for pc, line in zip(pcs, lines_of(weaver.code, pcs), strict=True):
        index = text[pc + 1] << 8 | text[pc + 2]
        owner = pool.class_name(int.from_bytes(pool.entry(index)[1:3], "big")).replace("/", ".")
        name, descriptor = (part.decode("utf-8", "replace") for part in pool.name_and_type(index))
        bound = asked.called.bind(owner, False, frozenset, frozenset)
        if bound is not None and bound.match_method(0, name, descriptor, frozenset) is not None:
            yield pc, line, f"{owner}.{name}", adds(weaver, pc, asked.stack, BEFORE)


def lines(asked: Asked, weaver: MethodWeaver, pool: ConstantPool) -> Places:
    data = weaver.code.data
    starts = {}
    for name, at, end_at in weaver.code.attributes:
        if name == b"LineNumberTable":
            for entry_at in range(at + 8, end_at - 3, 4):
                starts[data[entry_at] << 8 | data[entry_at + 1]] = data[entry_at + 2] << 8 | data[entry_at + 3]
    for pc, line in sorted(starts.items()):
        if not asked.line or line == asked.line:
            yield pc, line, "", adds(weaver, pc, asked.stack, BEFORE)


def adds(weaver: MethodWeaver, pc: int, stack: int, rank: int = BEHIND) -> Callable[[bytes], None]:
    return lambda code: weaver.insertions.append(Insertion(pc, code, rank, guarded=True, stack=stack))


PLACES: Final[dict[str, Callable[[Asked, MethodWeaver, ConstantPool], Places]]] = {
    ENTRY: entry,
    EXIT: exits,
    THROWN: thrown,
    ALLOCATION: allocations,
    CALL: calls,
    LINE: lines,
}

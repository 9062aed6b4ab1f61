"""The source lines of a method's instructions, and the ways by which control comes to a line's code.

A way leads to the start of an instruction of the line: from an instruction of another line, from the method's entry or
an exception handler's, or within the line, if that begins it anew:

1. A jump backwards does, if the code between its target and itself is the line's, and no way from elsewhere leads into
   it. A `for` over several lines jumps back from its update to its condition, but to the update it came from the loop's
   body, which was counted.
2. Where such ways do lead into the loop, those within the loop that lead to the same instruction, such as a `continue`
   in the line of its `for`, count in place of the jump.

At an instruction that is also reached otherwise from the line itself, each way has a place of its own.
"""

from __future__ import annotations

from classhook.classfile.cycles import components
from classhook.classfile.flow import falls_through, jump_targets
from classhook.classfile.insertions import BEFORE, BEHIND, EDGE
from classhook.classfile.opcodes import ALOAD, ALOAD_0, ALOAD_3, ASTORE, ASTORE_0, ASTORE_3, MONITOREXIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from classhook.classfile.code import Code
    from classhook.classfile.scan import Scan


class Way:
    """A place where code has to be inserted (see Insertion): `pc`, `rank`; `source`: the jump, if the rank is EDGE."""

    __slots__ = ("pc", "rank", "source")

    def __init__(self, pc: int, rank: int, source: int = -1) -> None:
        self.pc = pc
        self.rank = rank
        self.source = source


def line_numbers(code: Code) -> dict[int, int]:
    """The numbers of lines by the pcs at which they begin, ascending (JVMS 4.7.12). The last entry for a pc wins."""
    found: dict[int, int] = {}
    data = code.data
    for name, at, end_at in code.attributes:
        if name == b"LineNumberTable":
            for entry_at in range(at + 8, end_at - 3, 4):
                found[data[entry_at] << 8 | data[entry_at + 1]] = data[entry_at + 2] << 8 | data[entry_at + 3]
    return {pc: found[pc] for pc in sorted(found)}


def lines_by_pc(code: Code) -> list[int]:
    """The line of each code offset; 0: unknown."""
    size = len(code.code)
    lines = [0] * size
    starts = [pc for pc in line_numbers(code) if pc < size]
    numbers = line_numbers(code)
    for i in range(len(starts)):
        end = starts[i + 1] if i + 1 < len(starts) else size
        lines[starts[i] : end] = [numbers[starts[i]]] * (end - starts[i])
    return lines


def ways_in(code: Code, wanted: set[int]) -> dict[int, list[Way]]:
    """The ways that lead to the code of each wanted line."""
    if wanted.isdisjoint(line_numbers(code).values()):
        return {}
    text, scan, lines = code.code, code.scan(), lines_by_pc(code)
    sources: dict[int, list[int]] = {}
    for pc, targets in jump_targets(scan).items():
        for target in dict.fromkeys(targets):
            sources.setdefault(target, []).append(pc)
    handlers = {
        entry[2] for entry in code.exception_table if not (scan.monitors and only_releases(text, scan, entry[2]))
    }
    entered: set[int] = {0, *handlers}
    inside: dict[int, list[tuple[int, int]]] = {}  # by line: the steps and jumps within it
    before = -1
    for pc in range(len(text)):
        if not scan.bounds[pc]:
            continue
        line = lines[pc]
        if line in wanted:
            if before >= 0 and falls_through(text, before):
                sources.setdefault(pc, []).insert(0, before)
            for source in sources.get(pc, ()):
                if lines[source] != line:
                    entered.add(pc)
                else:
                    inside.setdefault(line, []).append((source, pc))
        before = pc
    anew: set[tuple[int, int]] = set()
    for steps in inside.values():
        anew |= beginning_anew(steps, entered)
    found: dict[int, list[Way]] = {}
    before = -1
    for pc in range(len(text)):
        if not scan.bounds[pc]:
            continue
        line = lines[pc]
        if line in wanted:
            all_sources = sources.get(pc, [])
            counted = [source for source in all_sources if lines[source] != line or (source, pc) in anew]
            falls = before >= 0 and falls_through(text, before)
            jumps = counted[1:] if falls and counted[:1] == [before] else counted
            begins = pc == 0 or pc in handlers
            if ((begins or counted) and len(counted) == len(all_sources)) or pc in handlers or (jumps and scan.has_jsr):
                found.setdefault(line, []).append(Way(pc, BEFORE))
            else:
                if begins or len(jumps) < len(counted):
                    found.setdefault(line, []).append(Way(pc, BEHIND))
                for source in jumps:
                    found.setdefault(line, []).append(Way(pc, EDGE, source))
        before = pc
    return found


def beginning_anew(steps: list[tuple[int, int]], entered: set[int]) -> set[tuple[int, int]]:
    """The steps of a line, from pc to pc, that begin it anew; `entered`: the pcs to which ways from elsewhere lead."""
    if all([source < target for source, target in steps]):
        return set()
    loops = components(steps)
    whole = components(
        [step for step in steps if step[0] >= step[1] or step[1] not in entered]
    )  # loops into which no such way leads
    found: set[tuple[int, int]] = set()
    for source, target in steps:
        one_loop = whole.get(source, -1) == whole.get(target, -2)
        if one_loop if source >= target else target in entered and not one_loop and loops[source] == loops[target]:
            found.add((source, target))
    return found


def only_releases(text: bytes, scan: Scan, pc: int) -> bool:
    """True if the handler there begins by releasing a monitor, as a compiler's own at the end of `synchronized` does:
    the JIT compilers refuse a method with a call in front of that."""
    load = scan.next_pc(pc)
    release = scan.next_pc(load) if load < len(text) else load
    stores = text[pc] == ASTORE or ASTORE_0 <= text[pc] <= ASTORE_3
    return (
        stores
        and release < len(text)
        and (text[load] == ALOAD or ALOAD_0 <= text[load] <= ALOAD_3)
        and text[release] == MONITOREXIT
    )

"""From a class file and the hits of its probes to its counters.

1. Place the probes again, as the weaver did, and link instructions and probes (flow.py).
2. Filters (filters/) say what does not count, is one, or has other branches.
3. Count what is left, by method and line.
"""

from __future__ import annotations

from classfile.code import Code
from classfile.reader import ClassFile
from instrument.coverage.body import UNKNOWN, Body
from instrument.coverage.counters import (
    BRANCH,
    COMPLEXITY,
    INSTRUCTION,
    METHOD,
    ClassCoverage,
    Lines,
    MethodCoverage,
    count_lines,
)
from instrument.coverage.effects import Effects
from instrument.coverage.filters import Filter, filters_for
from instrument.coverage.flow import Flow
from instrument.coverage.members import ClassInfo, MethodInfo
from instrument.coverage.probes import FULL, place
from instrument.coverage.smap import Mapping, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final

NO_LEVELS: Final[dict[int, int]] = {}


def analyze(data: bytes, hits: Sequence[int] | None = None, level: int = FULL, levels: dict[int, int] = NO_LEVELS) -> ClassCoverage:
    """The counters of one class.

    data: the class file as it was before weaving
    hits: how often each probe was hit, of all methods with code in the class file's order, as `place` numbers them; None: never loaded
    level: with which the probes were placed; levels: by the method's place in the class file, where it was another

    Raises ClassFormatError, smap.BadMap; ValueError if `hits` has another length than the class has probes.
    """
    cf = ClassFile.parse(data)
    cls = ClassInfo(cf)
    found = ClassCoverage(cf.name, cls.source_file)
    mappings = line_map(cls)
    filters = filters_for(cls, mappings)
    at = 0
    for number, method in enumerate(cf.methods):
        if not method.code_at:
            continue
        code = Code(data, method.code_at, cf.pool)
        info = MethodInfo(cls, method)
        body = Body(code, info)
        placement = place(code, levels.get(number, level))
        flow = Flow(body, placement)
        own: Sequence[int] | None = None
        if hits is not None:
            own = hits[at : at + placement.count]
            if len(own) < placement.count:
                raise ValueError(f"{len(hits)} hits, but {found.name} has more probes")
        at += placement.count
        bits = [0] * body.count if own is None else flow.bits(own)
        if mappings:
            _add_fragments(found, mappings, body, bits)
        counted = _count(body, bits, flow.branches, filters)
        if counted is not None:
            found.methods.append(counted)
    if hits is not None and at != len(hits):
        raise ValueError(f"{len(hits)} hits, but {found.name} has {at} probes")
    found.total()
    return found


def line_map(cls: ClassInfo) -> list[Mapping]:
    """Kotlin's line map; empty for other classes. Raises smap.BadMap."""
    at, end_at = cls.attributes.get(b"SourceDebugExtension", (0, 0))
    if not at or not cls.is_kotlin:
        return []
    return parse(cls.pool.data[at + 6 : end_at].decode(errors="replace"), cls.source_file)


def _count(body: Body, bits: list[int], branches: list[int], filters: list[Filter]) -> MethodCoverage | None:
    """The method's counters; None if nothing of it counts."""
    effects = Effects(body.count)
    for one in filters:
        one.apply(body, effects)
    if effects.any:
        effects.apply(bits, branches)
    ignored = effects.ignored
    lines: Lines = {}
    missed = covered = missed_branches = covered_branches = simple = paths = 0
    line = UNKNOWN
    four: list[int] = []
    for i in range(body.count):
        if ignored[i]:
            continue
        if body.lines[i] != line:
            line = body.lines[i]
            known = lines.get(line)
            if known is None:
                known = lines[line] = [0, 0, 0, 0]
            four = known
        elif not four:
            four = lines[line] = [0, 0, 0, 0]
        b = bits[i]
        if b:
            covered += 1
            four[1] += 1
        else:
            missed += 1
            four[0] += 1
        total = branches[i]
        if total > 1:
            taken = b.bit_count()
            four[3] += taken
            four[2] += total - taken
            covered_branches += taken
            missed_branches += total - taken
            way = taken - 1 if taken > 1 else 0
            simple += way
            paths += total - way - 1 if total - way > 1 else 0
    if not missed + covered:
        return None
    lines.pop(UNKNOWN, None)
    found = MethodCoverage(body.method.method.name, body.method.method.descriptor)
    found.lines = lines
    counters = found.counters
    counters[INSTRUCTION] = missed
    counters[INSTRUCTION + 1] = covered
    counters[BRANCH] = missed_branches
    counters[BRANCH + 1] = covered_branches
    counters[COMPLEXITY] = paths + (0 if covered else 1)
    counters[COMPLEXITY + 1] = simple + (1 if covered else 0)
    counters[METHOD] = 0 if covered else 1
    counters[METHOD + 1] = 1 if covered else 0
    count_lines(counters, lines)
    return found


def _add_fragments(found: ClassCoverage, mappings: list[Mapping], body: Body, bits: list[int]) -> None:
    """Counts the instructions of inlined code for the lines where it was written."""
    for one in mappings:
        if one.name == found.name and one.input == one.output:
            continue
        end = one.output + one.repeat
        for i in range(body.count):
            if one.output <= body.lines[i] < end:
                lines = found.fragments.setdefault(one.name, {})
                four = lines.setdefault(one.input + body.lines[i] - one.output, [0, 0, 0, 0])
                four[1 if bits[i] else 0] += 1

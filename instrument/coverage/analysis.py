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
from instrument.coverage.missed import explain
from instrument.coverage.probes import FULL, place
from instrument.coverage.smap import Mapping, parse
from instrument.coverage.subroutines import inline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final

    from mypy_extensions import i64

NO_LEVELS: Final[dict[int, int]] = {}


def analyze(
    data: bytes, hits: Sequence[int] | None = None, level: int = FULL, levels: dict[int, int] = NO_LEVELS, words: bool = False, jacoco: bool = False
) -> ClassCoverage:
    """The counters of one class.

    data: the class file as it was before weaving
    hits: how often each probe was hit, of all methods with code in the class file's order, as `place` numbers them; None: never loaded
    level: with which the probes were placed; levels: by the method's place in the class file, where it was another
    words: also say which branches were missed
    jacoco: the hits are those of JaCoCo's agent, which has more of them in methods with subroutines (jsr)

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
        placement = place(code, levels.get(number, level))
        if code.scan().has_jsr:
            code = inline(code, cf.pool)
            if jacoco:
                placement = place(code)
        body = Body(code, MethodInfo(cls, method))
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
        counted = _count(body, bits, flow.branches, filters, words)
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


def _count(body: Body, bits: list[int], branches: list[int], filters: list[Filter], words: bool) -> MethodCoverage | None:
    """The method's counters; None if nothing of it counts."""
    effects = Effects(body.count)
    for one in filters:
        one.apply(body, effects)
    if effects.any:
        effects.apply(bits, branches)
    ignored = bytes(effects.ignored)
    line_of = body.lines
    lines: Lines = {}
    missed: i64 = 0
    covered: i64 = 0
    missed_branches: i64 = 0
    covered_branches: i64 = 0
    simple: i64 = 0  # paths beyond the first one, covered and missed
    other: i64 = 0
    line: i64 = UNKNOWN - 1
    four: list[int] = []
    i: i64 = 0
    count: i64 = len(line_of)
    while i < count:
        if not ignored[i]:
            if line_of[i] != line:
                line = line_of[i]
                known = lines.get(line)
                if known is None:
                    four = lines[line] = [0, 0, 0, 0]
                else:
                    four = known
            b = bits[i]
            if b:
                covered += 1
                four[1] += 1
            else:
                missed += 1
                four[0] += 1
            total: i64 = branches[i]
            if total > 1:
                taken: i64 = b.bit_count()
                four[3] += taken
                four[2] += total - taken
                covered_branches += taken
                missed_branches += total - taken
                ways: i64 = taken - 1 if taken > 1 else 0
                simple += ways
                other += total - ways - 1 if total - ways > 1 else 0
        i += 1
    if missed + covered == 0:
        return None
    lines.pop(UNKNOWN, None)
    found = MethodCoverage(body.method.method.name, body.method.method.descriptor)
    found.lines = lines
    counters = found.counters
    counters[INSTRUCTION] = missed
    counters[INSTRUCTION + 1] = covered
    counters[BRANCH] = missed_branches
    counters[BRANCH + 1] = covered_branches
    counters[COMPLEXITY] = other + (0 if covered else 1)
    counters[COMPLEXITY + 1] = simple + (1 if covered else 0)
    counters[METHOD] = 0 if covered else 1
    counters[METHOD + 1] = 1 if covered else 0
    count_lines(counters, lines)
    if words and covered and missed_branches:
        found.missed = explain(body, effects, bits, branches, lines)
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

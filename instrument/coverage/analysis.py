"""Computes the counters of a class file from the hits of its probes.

1. Place the probes again, as the weaver did, and link instructions and probes (propagation.py).
2. Filters (filters/) say what does not count, is one, or has other branches.
3. Count what is left, by method and line.
"""

from __future__ import annotations

from classhook.classfile.code import Code
from classhook.classfile.errors import ClassFormatError
from classhook.classfile.reader import ClassFile
from classhook.coverage.class_info import NO_ENUMS, NO_LINE, ClassInfo, MethodInfo
from classhook.coverage.counters import (
    BRANCH,
    COMPLEXITY,
    INSTRUCTION,
    METHOD,
    ClassCoverage,
    Lines,
    MethodCoverage,
    count_lines,
)
from classhook.coverage.filter_effects import Effects
from classhook.coverage.filters import filters_for
from classhook.coverage.hit_counts import add_counts
from classhook.coverage.method_body import UNKNOWN, Body
from classhook.coverage.missed_branches import explain
from classhook.coverage.placement import ENTRY, FULL, OUT
from classhook.coverage.placing import place
from classhook.coverage.propagation import Flow
from classhook.coverage.smap import Mapping, parse
from classhook.coverage.subroutines import flat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final

    from mypy_extensions import i64

NO_LEVELS: Final[dict[int, int]] = {}


class Options:
    """Options of an analysis: how the class was woven, and what to find out.

    level: with which its probes were placed; levels: by the method's place in the class file, where it was another;
    methods with OUT do
        not count
    words: also say which branches were missed
    counts: also say how often lines and branches ran
    strict: branches that nobody can reach do not count, even where JaCoCo counts them
    enums: for `strict`, the number of constants by the enum's name in internal form, as `enum_constants` tells; others
    are not known
    """

    __slots__ = ("counts", "enums", "level", "levels", "strict", "words")

    def __init__(
        self,
        level: int = FULL,
        levels: dict[int, int] = NO_LEVELS,
        words: bool = False,
        counts: bool = False,
        strict: bool = False,
        enums: dict[bytes, int] = NO_ENUMS,
    ) -> None:
        self.level: int = level
        self.levels: dict[int, int] = levels
        self.words: bool = words
        self.counts: bool = counts
        self.strict: bool = strict
        self.enums: dict[bytes, int] = enums


DEFAULT: Final = Options()


class Run:
    """A method, its probes, and their hits; None if the class was not loaded. `level`: of its probes; OUT: no rule asks
    for it."""

    __slots__ = ("body", "flow", "hits", "level")

    def __init__(self, body: Body, flow: Flow, hits: Sequence[int] | None, level: int) -> None:
        self.level: int = level
        self.body: Body = body
        self.flow: Flow = flow
        self.hits: Sequence[int] | None = hits


def analyze(data: bytes, hits: Sequence[int] | None = None, options: Options = DEFAULT) -> ClassCoverage:
    """The counters of one class.

    data: the class file as it was before weaving
    hits: how often each probe was hit (or 0 and 1), of all methods with code in the class file's order, each numbered
    as `place` does;
        None: the class was never loaded

    Raises ClassFormatError, smap.BadMap; ValueError if `hits` has another length than the class has probes.
    """
    try:
        return _analyze(ClassFile.parse(data), hits, options)
    except (IndexError, KeyError):
        raise ClassFormatError("index out of range in the class file or its code", 0) from None


def _analyze(cf: ClassFile, hits: Sequence[int] | None, options: Options) -> ClassCoverage:
    cls = ClassInfo(cf, options.enums)
    found = ClassCoverage(cf.name, cls.source_file)
    found.super_name = cf.super_name
    found.interfaces = cf.interface_names
    mappings = line_map(cls)
    cls.first_inlined = min([one.output for one in mappings if not one.is_identity(found.name)], default=NO_LINE)
    filters = filters_for(cls, options.strict)
    for run in runs(cls, hits, options):
        if run.level == OUT:
            continue
        flow = run.flow
        bits = [0] * run.body.count if run.hits is None else flow.bits(run.hits)
        if mappings:
            _add_fragments(found, mappings, run.body, bits)
        effects = Effects(run.body.count)
        for one in filters:
            one.apply(run.body, effects)
        if effects.any:
            effects.apply(bits, flow.branches)
        counted = _count(run.body, bits, flow.branches, effects)
        if counted is None:
            continue
        found.methods.append(counted)
        counted.only_entry = run.level == ENTRY
        if options.words and not counted.only_entry and counted.counters[BRANCH]:
            counted.missed = explain(flow, effects, bits, counted.lines)
        if options.counts and run.hits is not None:
            add_counts(counted, flow, effects, run.hits)
    found.total()
    return found


def runs(cls: ClassInfo, hits: Sequence[int] | None, options: Options) -> list[Run]:
    """The methods with code, in order, each with its part of the hits. Raises as `analyze`."""
    cf = cls.cf
    found: list[Run] = []
    at = 0
    for number, method in enumerate(cf.methods):
        if not method.code_at:
            continue
        code = flat(Code(cf.data, method.code_at, cf.pool), cf.pool)
        level = options.levels.get(number, options.level)
        placement = place(code, level)
        body = Body(code, MethodInfo(cls, method))
        own: Sequence[int] | None = None
        if hits is not None:
            own = hits[at : at + placement.count]
            if len(own) < placement.count:
                raise ValueError(f"{len(hits)} hits, but {cf.name} has more probes")
        at += placement.count
        found.append(Run(body, Flow(body, placement, options.strict), own, level))
    if hits is not None and at != len(hits):
        raise ValueError(f"{len(hits)} hits, but {cf.name} has {at} probes")
    return found


def as_jacoco(data: bytes, hits: Sequence[int], options: Options = DEFAULT) -> bytes:
    """The class's probes as JaCoCo's agent has them, a byte each, 1 if hit: for its data files. Arguments and errors as
    for `analyze`.

    Where the weaver placed fewer probes, those left out count as hit if what they stand for is known to have run.
    """
    found = b""
    for run in runs(ClassInfo(ClassFile.parse(data)), hits, options):
        assert run.hits is not None
        found += jacoco_probes(run.flow, run.hits)
    return found


def jacoco_probes(flow: Flow, hits: Sequence[int]) -> bytes:
    """The same of one method."""
    placement = flow.placement
    standard = place(flow.body.code)
    if standard.kinds == placement.kinds[: placement.standard]:
        return bytes([1 if hit else 0 for hit in hits[: placement.standard]])
    bits = flow.bits(hits)
    return bytes([bits[i] >> way & 1 for i, way in Flow(flow.body, standard).leaves])


def line_map(cls: ClassInfo) -> list[Mapping]:
    """Kotlin's line map; empty for other classes. Raises smap.BadMap."""
    at, end_at = cls.attributes.get(b"SourceDebugExtension", (0, 0))
    if not at or not cls.is_kotlin:
        return []
    return parse(cls.pool.data[at + 6 : end_at].decode(errors="replace"), cls.source_file)


def _count(body: Body, bits: list[int], branches: list[int], effects: Effects) -> MethodCoverage | None:
    """The method's counters; None if nothing of it counts."""
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
    return found


def _add_fragments(found: ClassCoverage, mappings: list[Mapping], body: Body, bits: list[int]) -> None:
    """Counts the instructions of inlined code for the lines where it was written."""
    for one in mappings:
        if one.is_identity(found.name):
            continue
        lines = found.fragments.setdefault(one.name, {})
        end = one.output + one.repeat
        for i in range(body.count):
            if one.output <= body.lines[i] < end:
                four = lines.setdefault(one.input + body.lines[i] - one.output, [0, 0, 0, 0])
                four[1 if bits[i] else 0] += 1

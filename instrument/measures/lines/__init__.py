"""`count a.B:120-140`: how often each of these lines of a class and its nested classes was executed, as
classhook.classfile.lines defines it."""

from __future__ import annotations

from classhook.classfile.code import Code
from classhook.classfile.insertions import EDGE, Insertion
from classhook.classfile.lines import Way, line_numbers, ways_in
from classhook.measures.count import counting
from classhook.native._slots import CH_COUNT_CALLS, CH_COUNT_SLOTS
from classhook.probes.measure import Measure, Planning, Probe
from classhook.probes.records import LineRecord
from classhook.rules.patterns import compile_glob
from classhook.rules.words import LINES as SUBJECT
from classhook.rules.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record
    from classhook.rules.syntax import Rule

COUNTED: Final = "line"


class CountedLine:
    """A line, and the ways to its code."""

    __slots__ = ("line", "ways")

    def __init__(self, line: int, ways: list[Way]) -> None:
        self.line = line
        self.ways = ways


def ranges_of(rule: Rule, class_name: str) -> list[tuple[int, int]]:
    """The first and last lines that the rule names in the class with this dotted name."""
    return [
        target.lines
        for target in rule.targets
        if target.lines is not None and compile_glob(target.class_pattern.glob)(class_name)
    ]


def wanted_lines(planning: Planning, code: Code, index: int) -> set[int]:
    """The lines of the method that the rule names."""
    ranges = ranges_of(planning.rules.rules[index], planning.cf.name.replace("/", "."))
    return {line for line in line_numbers(code).values() if any([first <= line <= last for first, last in ranges])}


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    counted: dict[int, int] = {}  # by line: the first rule that names it
    matched: list[int] = []
    for index in rules:
        lines = wanted_lines(planning, code, index)
        if lines:
            matched.append(index)
        for line in lines:
            counted.setdefault(line, index)
    ways = ways_in(code, set(counted)) if counted else {}
    for line in sorted(ways):
        probes.append(Probe(COUNT_LINE, COUNTED, CH_COUNT_SLOTS, counted[line], detail=CountedLine(line, ways[line])))
    return tuple(matched)


def counted_line(probe: Probe) -> CountedLine:
    assert isinstance(probe.detail, CountedLine)
    return probe.detail


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    code = counting(weaver, slot + CH_COUNT_CALLS)
    for way in counted_line(probe).ways:
        insert_at(weaver, way, code, 1)


def insert_at(weaver: MethodWeaver, way: Way, code: bytes, stack: int) -> None:
    """Guarded for the same reasons as probes of coverage are (classhook.measures.cover)."""
    scan = weaver.code.scan()
    guarded = way.rank == EDGE or not scan.monitors or way.pc not in scan.returns
    weaver.insertions.append(Insertion(way.pc, code, way.rank, guarded=guarded, stack=stack, source=way.source))


def record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
    return LineRecord(probe.kind, slot, probe.rule, method, descriptor, counted_line(probe).line)


def absent(planning: Planning, index: int) -> str:
    """The lines next to the ones that the rule names, if none of these has code: `no-line 120-140 118 142`, 0 for none;
    classhook.model.unweavable_methods makes a sentence of it, about the class and its nested ones."""
    cf = planning.cf
    ranges = ranges_of(planning.rules.rules[index], cf.name.replace("/", "."))
    numbers = sorted(
        {
            line
            for method in cf.methods
            if method.code_at
            for line in line_numbers(Code(cf.data, method.code_at, cf.pool)).values()
        }
    )
    if not ranges or any([first <= line <= last for line in numbers for first, last in ranges]):
        return ""
    first, last = ranges[0]
    below, above = [line for line in numbers if line < first], [line for line in numbers if line > last]
    return f"no-line {first}-{last} {below[-1] if below else 0} {above[0] if above else 0}"


COUNT_LINE = Measure(
    word=Word("count line", SUBJECT, about="how often each line was executed"),
    kinds={COUNTED: CH_COUNT_SLOTS},
    plan=plan,
    insert=insert,
    lost="its lines are not counted",
    needs_room=False,
    record=record,
    flat=True,
    absent=absent,
)

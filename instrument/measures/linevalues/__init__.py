"""`value a.B:123 of total`: a number of each execution of a line, a local variable or a field of one: how many, their
sum, least, largest, and percentiles.

In front of the line's code, on each way there, is the code of `value` (classhook.measures.value) for the local that has
the value there. Where it is not set, the number is missing, and a value of a key is null.
"""

from __future__ import annotations

from classhook.classfile.lines import ways_in
from classhook.classfile.opcodes import ACONST_NULL_CODE
from classhook.measures import keys, lines, value
from classhook.native._slots import CH_VALUE_RECORD, CH_VALUE_SLOTS
from classhook.probes.measure import Measure, Planning, Probe
from classhook.probes.records import KeyedValueRecord, ValueRecord
from classhook.rules.words import LINES, Clause, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.classfile.lines import Way
    from classhook.measures.watch.line_scope import LineScope
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record
    from classhook.rules.conditions import Path
    from classhook.rules.syntax import Rule
    from classhook.rules.words import Mistaken

WHOLE, BY = "value-line", "value-line-by"
#: Slots of the operand stack: of the number, and of the key above it.
STACK: Final = 4 + keys.STACK
EXPECTED: Final = "`total`, `order.cents`, `this.size`"
EXPECTED_KEY: Final = "local variables and fields of these: `item`, `this.tenant`; `thread`, `stack 3`"


def wrong_of(text: str) -> Mistaken | None:
    from classhook.rules.clause_values import wrong_text

    wrong = wrong_text(read, text.strip())
    return (wrong[0], EXPECTED, *wrong[2:]) if wrong else None


def wrong_rule(rule: Rule) -> tuple[str, str, str, int] | None:
    if not rule.clause("of"):
        return "", "a `value` rule says which number", f"`of` and the number: {EXPECTED}", 0
    return keys.wrong_rule(rule)


def read(text: str) -> Path:
    """Raises Wrong."""
    from classhook.rules.calculation_parser import OperandReader
    from classhook.rules.condition_tokens import Wrong
    from classhook.rules.conditions import Path

    reader = OperandReader(text, True)
    found = reader.operand()
    if reader.next.kind or not isinstance(found, Path):
        raise Wrong(reader.next.at if reader.next.kind else 0, "at a line, values are not calculated", EXPECTED)
    return found


class LineNumber:
    """The number of a line. `by`: the values of the key, as texts and, where they begin at a variable, as paths."""

    __slots__ = ("by", "of", "rule", "scope", "top")

    def __init__(self, rule: Rule, scope: LineScope, of: Path, by: list[tuple[str, Path | None]], top: int) -> None:
        self.rule = rule
        self.scope = scope
        self.of = of
        self.by = by
        self.top = top

    @property
    def name(self) -> str:
        return f"{self.of} (line {self.scope.line})"

    @property
    def path(self) -> str:
        return at_object(self.of)

    def key(self, way: Way) -> keys.Key:
        """The key at a place. Only the values that are passed differ."""
        return keys.Key([part_of(text, path, self.scope, way) for text, path in self.by], self.top)

    @property
    def words(self) -> str:
        return self.key(self.scope.ways[0]).words


def part_of(text: str, path: Path | None, scope: LineScope, way: Way) -> keys.KeyPart:
    from classhook.measures.watch.context_key import InLocal

    if path is None:
        word, _, frames = text.partition(" ")
        return keys.KeyPart(f"S{int(frames)}" if word == "stack" else "T", None)
    found = scope.value(path.root, way)
    return keys.KeyPart(at_object(path), InLocal(found.descriptor, found.local) if found is not None else None)


def at_object(path: Path) -> str:
    """The path as the agent reads it: from the object that is passed."""
    from classhook.measures.watch.agent_words import written_from

    return written_from("t", path)


def paths_of(rule: Rule) -> list[tuple[str, Path | None]]:
    if not rule.clause("by"):
        return []
    parts = [part.strip() for part in rule.clause("by").split(",")]
    return [(part, None if part == "thread" or part.startswith("stack ") else read(part)) for part in parts]


def wrong_by(text: str) -> Mistaken | None:
    if "sql(" in text:
        return "keys of a line have no `sql(...)`", EXPECTED_KEY, text.index("sql(")
    return keys.wrong_parts(text, _wrong_part, EXPECTED_KEY)


def _wrong_part(part: str) -> Mistaken | None:
    from classhook.rules.clause_values import wrong_text

    if part == "thread" or part.startswith("stack "):
        return keys.wrong_by(part)
    wrong = wrong_text(read, part)
    return (wrong[0], EXPECTED_KEY, *wrong[2:]) if wrong else None


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    """A probe for each line that a rule names; returns the rules that fit the method."""
    from classhook.measures.watch.line_scope import LineScope, MethodScope

    wanted = {index: lines.wanted_lines(planning, code, index) for index in rules}
    ways = ways_in(code, set().union(*wanted.values()))
    if not ways:
        return ()
    scope = MethodScope(planning.cf, planning.method, code, ways)
    fit: list[int] = []
    asked: set[tuple[str, str]] = set()
    for index in rules:
        for line in sorted(wanted[index] & ways.keys()):
            planning.check_time()
            number = number_of(planning, index, LineScope(scope, line))
            if number is None:
                continue
            fit.append(index)
            same = (number.name, keys.written(number.rule))
            if same not in asked:
                asked.add(same)
                kind, slots = (BY, keys.SLOTS) if number.by else (WHOLE, CH_VALUE_SLOTS)
                probes.append(Probe(VALUE_LINE, kind, slots, index, number, len(number.rule.text)))
    return tuple(dict.fromkeys(fit))


def number_of(planning: Planning, index: int, scope: LineScope) -> LineNumber | None:
    """The number that a rule records at a line; None: the line does not have it, which is noted."""
    rule = planning.rules.rules[index]
    of, by = read(rule.clause("of").strip()), paths_of(rule)
    kinds = {found.descriptor for way in scope.ways if (found := scope.value(of.root, way)) is not None}
    kind = min(kinds) if len(of.names) == 1 and len(kinds) == 1 else ""
    misfits = [scope.misfit(path) for path in [of, *[path for _, path in by if path is not None]]]
    misfits.append(value.no_number(of, str(scope), lambda _: kind))
    for why in misfits:
        if why:
            planning.unfit.setdefault((index, why), planning.method)
    return None if any(misfits) else LineNumber(rule, scope, of, by, int(rule.clause("top") or keys.USUAL_TOP))


def number_in(probe: Probe) -> LineNumber:
    assert isinstance(probe.detail, LineNumber)
    return probe.detail


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    number = number_in(probe)
    first = weaver.number(slot)
    for way in number.scope.ways:
        at = value_at(number, way)
        to = number.key(way).push(weaver, slot) if number.by else weaver.number(slot + CH_VALUE_RECORD)
        passed = ACONST_NULL_CODE
        if at.root is not None:
            passed = at.root.bare(weaver) if at.kind in value.WIDENED else at.root.code(weaver)
        lines.insert_at(weaver, way, passed + value.told(weaver, at, first, to), STACK)


def value_at(number: LineNumber, way: Way) -> value.Number:
    """The number as `value` passes it, at a place."""
    from classhook.measures.watch.context_key import Root
    from classhook.measures.watch.further_fields import steps_of

    found, at = number.scope.value(number.of.root, way), value.Number(number.name, number.path, None, "")
    if found is not None:
        at.root, at.kind = Root(found.descriptor, found.local), found.descriptor
        at.steps = steps_of(number.path, number.scope.method.class_name)
    return at


def record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
    number = number_in(probe)
    if not number.by:
        return ValueRecord(probe.kind, slot, probe.rule, method, descriptor, number.path, number.name)
    by = keys.written(number.rule)
    return KeyedValueRecord(
        probe.kind, slot, probe.rule, method, descriptor, number.words, number.top, number.path, number.name, by
    )


VALUE_LINE = Measure(
    word=Word(
        "value line",
        LINES,
        (
            Clause(
                "of", "EXPRESSION", wrong_of, expects=f"a number ({EXPECTED})", about="the number of each execution"
            ),
            Clause(
                "by",
                "EXPRESSION",
                wrong_by,
                expects="the values of a key (`item, this.tenant`)",
                about="separate numbers for each value, the key",
            ),
            Clause("top", "NUMBER", keys.wrong_top, about="the largest number of keys"),
        ),
        wrong=wrong_rule,
        about="count, sum, mean, minimum, maximum and percentiles of a number of each execution of a line",
    ),
    kinds={WHOLE: CH_VALUE_SLOTS, BY: keys.SLOTS},
    plan=plan,
    insert=insert,
    lost="the values at its lines are not recorded",
    record=record,
    flat=True,
    absent=lines.absent,
)

"""The probes of a watched line, in front of its code on each way there:

    the condition, as far as code can decide it: 1 or 0 (classhook.measures.watch.condition_value)
    length, number, watchingIf        an array, or null
    for each root: dup, index, value, keep
    number, passed                    the agent decides what is left, and writes down what the rule shows

An element that is the array itself is a local that is not set there.
"""

from __future__ import annotations

from classhook.classfile.lines import ways_in
from classhook.classfile.opcodes import DUP_CODE
from classhook.measures.event import LOADS
from classhook.measures.lines import insert_at, wanted_lines
from classhook.measures.watch import agent_words, further_fields
from classhook.measures.watch.agent_words import masks_of, prefix, written_from
from classhook.measures.watch.condition_value import ONE, ConditionValue
from classhook.measures.watch.line_operands import LineOperands
from classhook.measures.watch.line_scope import LineScope, MethodScope
from classhook.probes.carried import small
from classhook.probes.method_weaver import local_op
from classhook.probes.records import WatchedLineRecord
from classhook.rules.condition_parser import MOST_SHOWN, condition, shown
from classhook.rules.conditions import Condition, Path, Shown, comparisons, paths_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.classfile.lines import Way
    from classhook.classfile.pool import ConstantPool
    from classhook.measures.watch.further_fields import FurtherFields
    from classhook.probes.measure import Planning, Probe
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record
    from classhook.rules.syntax import Rule

OBJECTS: Final = "[Ljava/lang/Object;"
SWAP: Final = b"\x5f"
STACK: Final = 5  # beyond what the condition needs


def read_condition(text: str) -> Condition:
    """Raises Wrong."""
    return condition(text, locals_=True)


def read_shown(text: str) -> Shown:
    """Raises Wrong."""
    return shown(text, locals_=True)


class Wanted:
    """The request of a rule at a line in one method. `left`: the condition, unless code decides it at all places;
    `roots`: what the code passes, `this` apart."""

    __slots__ = ("condition", "left", "masked", "needs_this", "paths", "roots", "rule", "scope", "shown")

    def __init__(
        self,
        rule: Rule,
        scope: LineScope,
        asked: Condition | None,
        wanted: Shown,
        paths: list[Path],
        pool: ConstantPool,
    ) -> None:
        self.rule = rule
        self.scope = scope
        self.condition = asked
        self.shown = wanted
        self.paths = paths
        exact = asked is None or all([condition_at(scope, way, pool).exact(asked) for way in scope.ways])
        self.left = None if exact else asked
        masks = masks_of(rule)
        self.masked = [scope.hides(path, masks) for path in paths]
        read = [path.root for path in (*paths, *paths_in(self.left))]
        self.needs_this = "this" in read
        self.roots = list(dict.fromkeys([root for root in read if root != "this"]))

    def written(self, path: Path) -> str:
        """The path as the agent reads it."""
        return written_from("t" if path.root == "this" else f"a{self.roots.index(path.root)}", path)


def condition_at(
    scope: LineScope, way: Way, pool: ConstantPool, further: FurtherFields | None = None
) -> ConditionValue:
    return ConditionValue(LineOperands(scope, way, pool), scope.method.class_name, pool, further)


def wanted_by(planning: Planning, code: Code, rules: tuple[int, ...]) -> dict[int, list[Wanted]]:
    """The requests of each rule at the lines that it names in the method, which is analysed once for all of them."""
    lines = {index: wanted_lines(planning, code, index) for index in rules}
    ways = ways_in(code, set().union(*lines.values()))
    if not ways:
        return {}
    scope = MethodScope(planning.cf, planning.method, code, ways)
    return {index: wanted_of(planning, scope, index, sorted(lines[index] & ways.keys())) for index in rules}


def wanted_of(planning: Planning, of: MethodScope, index: int, lines: list[int]) -> list[Wanted]:
    """The requests of the rule with this index at these lines."""
    rule = planning.rules.rules[index]
    found = []
    text = rule.clause("when")
    asked = read_condition(text) if text else None
    for line in lines:
        planning.check_time()
        scope = LineScope(of, line)
        wanted = read_shown(rule.clause("show")) if rule.clause("show") else Shown((), 0, 0)
        paths = list(wanted.paths)
        if wanted.args >= 0:
            every = (
                scope.names()[:MOST_SHOWN]
                if not rule.clause("show")
                else [f"arg{i}" for i in range(len(scope.method.types))]
            )
            paths[wanted.args : wanted.args] = [Path((name,)) for name in every]
        compared = comparisons(asked) if asked is not None else []
        used = paths_in(asked) + list(wanted.paths)
        wrong = [why for why in [*map(scope.misfit, used), *map(scope.mismatch, compared)] if why]
        doubts = [why for why in map(scope.method.doubt, used) if why]
        for why in dict.fromkeys(wrong + doubts):
            planning.unfit.setdefault((index, why), planning.method)
        if not wrong:
            found.append(Wanted(rule, scope, asked, wanted, paths, planning.cf.pool))
    return found


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    wanted = probe.detail
    assert isinstance(wanted, Wanted)
    number = weaver.number(slot)
    scope, keeping = wanted.scope, weaver.call("keep", f"({OBJECTS}ILjava/lang/Object;)V".encode())
    further = further_fields.from_condition(wanted.left, scope.method.class_name, weaver.pool, number, weaver.call)
    for way in scope.ways:
        conditions = condition_at(scope, way, weaver.pool, further)
        code = conditions.code(wanted.condition) if wanted.condition is not None else ONE
        code += small(len(wanted.roots) + 1) + number + weaver.call("watchingIf", f"(III){OBJECTS}".encode())
        for i, root in enumerate(["this", *wanted.roots]):
            if root == "this" and not wanted.needs_this:
                continue
            value = scope.value(root, way)
            if value is None:
                code += DUP_CODE + DUP_CODE + small(i) + SWAP + keeping
                continue
            opcode, short, _, box = LOADS[value.descriptor[0]]
            kind = "Ljava/lang/Object;" if not box else value.descriptor
            keep = weaver.call(f"keep{kind}" if box else "keep", f"({OBJECTS}I{kind})V".encode())
            code += DUP_CODE + small(i) + local_op(opcode, short, value.local) + keep
        code += number + weaver.call("passed", f"({OBJECTS}I)V".encode())
        needed = conditions.stack(wanted.condition) if wanted.condition is not None else 1
        insert_at(weaver, way, code, needed + STACK)


def record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
    """The record for the agent and for reports."""
    wanted = probe.detail
    assert isinstance(wanted, Wanted)
    scope, asked = wanted.scope, prefix(wanted.left, wanted.written)
    shown = [
        (wanted.written(path), hidden, scope.label(path).replace(",", "?"))
        for path, hidden in zip(wanted.paths, wanted.masked, strict=True)
    ]
    fields = agent_words.fields(wanted.rule, wanted.shown.frames, shown, asked)
    return WatchedLineRecord(
        probe.kind, slot, probe.rule, method, descriptor, *fields, line=scope.line, roots=len(wanted.roots)
    )

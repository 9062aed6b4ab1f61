"""`when CONDITION` and `over DURATION` of `count`, `time` and `value`: the calls that these choose, beside all calls.

Such a rule stands for two: itself, which measures all calls, and a rule `when` for the same methods. If calls are
counted, and code at the entry can decide the condition (classhook.measures.watch.condition_code), it is all there is:

    the condition; if it holds: number, count

Else the probe is that of `watch`, which shows nothing: the agent decides what code leaves open, and counts the call,
adds its time to a record, or its number.
"""

from __future__ import annotations

from classhook.classfile.opcodes import NOP_CODE
from classhook.measures.chosen_calls import TIMES, choice, of_rule
from classhook.measures.event import MOST_STACK
from classhook.native._slots import CH_WATCH_SLOTS, CH_WHEN_MET, CH_WHEN_SLOTS
from classhook.probes.measure import Measure, Planning, Probe
from classhook.rules.words import METHODS, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.measures.watch.insertion import Wanted
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record
    from classhook.rules.conditions import Shown
    from classhook.rules.syntax import Rule

COUNTED, TIMED, VALUED = "count-when", "time-when", "value-when"


def kind_of(rule: Rule) -> str:
    return TIMED if rule.clause(TIMES) else VALUED if rule.clause("of") else COUNTED


def values_of(rule: Rule) -> Shown:
    """The values of a call that the agent needs: those of the number that the rule records, if it records one."""
    from classhook.rules.calculation_parser import number
    from classhook.rules.conditions import Shown, paths_of

    of = rule.clause("of")
    return Shown(tuple(paths_of(number(of))) if of else (), -1, 0)


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    """A probe for each choice of calls and what is measured of them; returns the rules that fit the method. Calls that
    are timed are counted, too."""
    from classhook.measures.value import of_rule
    from classhook.measures.watch.insertion import wanted_by

    asked: list[tuple[str, str, str]] = []
    found = wanted_by(planning, code, rules, values_of)
    timed = {choice(one.rule) for (one,) in found.values() if kind_of(one.rule) == TIMED}
    for index, (one,) in found.items():
        kind, chosen = kind_of(one.rule), choice(one.rule)
        same = (kind, chosen, of_rule(one.rule))
        if same in asked or (kind == COUNTED and chosen in timed) or (kind == VALUED and not has_number(one)):
            continue
        asked.append(same)
        probes.append(Probe(WHEN, kind, KINDS[kind], index, one, len(one.rule.text)))
    return tuple(found)


def has_number(wanted: Wanted) -> bool:
    """True if the method may have the number; `value` says why, if not."""
    from classhook.measures.value import no_number
    from classhook.rules.calculation_parser import number

    if any([path.root == "this" and wanted.method.constructor for path in wanted.paths]):
        return False
    return not no_number(number(wanted.rule.clause("of")), "", wanted.method.type_of)


def wanted_of(probe: Probe) -> Wanted:
    from classhook.measures.watch.insertion import Wanted

    assert isinstance(probe.detail, Wanted)
    return probe.detail


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    from classhook.classfile.insertions import Label
    from classhook.measures.watch import insertion
    from classhook.measures.watch.condition_code import Assembly, ConditionCode

    wanted = wanted_of(probe)
    if probe.kind != COUNTED or wanted.left is not None or wanted.condition is None or wanted.rule.clause("over"):
        insertion.insert(weaver, probe, slot)
        return
    code, false = Assembly(), 1
    code.labels = false
    ConditionCode(wanted.method, weaver.pool).unless(code, wanted.condition, false)
    code.add(weaver.number(slot + CH_WHEN_MET) + weaver.call("count", b"(I)V"))
    code.here(false)
    code.add(NOP_CODE)
    made, places = code.code()
    weaver.at_call(made, MOST_STACK, [Label(at, []) for at in places.values()])


def record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
    """The names of its record are the number as the rule has it, if it records one, and the choice of calls."""
    from classhook.measures.watch.agent_words import operand
    from classhook.measures.watch.insertion import record_of
    from classhook.rules.calculation_parser import number
    from classhook.rules.conditions import operand_with

    wanted, of = wanted_of(probe), []
    if probe.kind == VALUED:
        asked = number(wanted.rule.clause("of"))
        of = [(operand(operand_with(asked, wanted.method.meant)), False, str(asked).replace(",", "?"))]
    return record_of(probe, slot, method, descriptor, wanted, [*of, ("", False, choice(wanted.rule))])


def obstacle(class_name: str) -> tuple[str, str] | None:
    from classhook.measures.watch import WATCH

    return WATCH.obstacle(class_name) if WATCH.obstacle is not None else None


KINDS: Final = {COUNTED: CH_WATCH_SLOTS, TIMED: CH_WHEN_SLOTS, VALUED: CH_WHEN_SLOTS}
WHEN = Measure(
    word=Word("when", METHODS, of_rule(), needs="watch"),
    kinds=KINDS,
    plan=plan,
    insert=insert,
    lost="its condition is not looked at",
    record=record,
    obstacle=obstacle,
)

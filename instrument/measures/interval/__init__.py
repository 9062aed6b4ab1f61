"""`time from A to B by KEY`: how long it is from a call of A to one of B that has the same key, in whatever thread.

Such a rule stands for two: itself, for the methods where intervals begin, and a rule `until` for those where they end.
A key that is known at the entry counts there, and one of the result where the call returns:

    the object, number, intervalBegins        the object, number, intervalEnds

The agent keeps what is open (native/watch/intervals.c). The time goes to a record of the method where it ends.
"""

from __future__ import annotations

from classhook.native._slots import CH_COUNT_SLOTS, CH_TIME_SLOTS
from classhook.probes.exits import insert_call_exits
from classhook.probes.measure import Measure, Planning, Probe
from classhook.probes.records import IntervalRecord
from classhook.rules.escapes import escape
from classhook.rules.syntax import Rule
from classhook.rules.words import METHODS, Clause, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.measures.watch.context_key import Root
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record
    from classhook.rules.words import Mistaken

FROM, END = "time from", "until"
BEGINS, ENDS = "interval-from", "interval-to"
STACK: Final = 4  # slots of the operand stack above a result
EXPECTED: Final = "the values to compare (`arg0`, or `arg0, result` if they differ)"
METHODS_EXPECTED: Final = "methods: `com.acme.Queue::take`"


def end_rules(text: str) -> list[Rule]:
    """The methods after `to`, as the targets of a rule. Raises RuleError."""
    from classhook.rules.parse import BELOW, parse_text

    return parse_text(f"{END} {text}", BELOW)


def wrong_to(value: str) -> Mistaken | None:
    from classhook.rules.errors import RuleError

    try:
        end_rules(value)
    except RuleError as error:
        return error.message, error.expected or METHODS_EXPECTED, max(0, error.column - len(END) - 2)
    return None


def wrong_by(value: str) -> Mistaken | None:
    from classhook.rules.clause_values import wrong_text
    from classhook.rules.path_parser import path

    parts = value.split(",")
    if len(parts) > 2:
        return "`by` takes one value, or two, one for each end", EXPECTED
    for part in parts:
        text = part.strip()
        if text.partition(".")[0] in ("exception", "thrown", "thread") or "::" in text:
            return f"`{text}` is no value of the call", EXPECTED, value.index(text)
        if mistake := wrong_text(path, text):
            return mistake[0], mistake[1], value.index(text) + (mistake[2] if len(mistake) > 2 else 0)
    return None


def wrong_rule(rule: Rule) -> tuple[str, str, str, int] | None:
    for word, expected in (("to", METHODS_EXPECTED), ("by", EXPECTED)):
        if not rule.clause(word):
            return "", f"a rule `{FROM}` needs `{word}`", f"`{word}` and {expected}", 0
    return None


def keys_of(rule: Rule) -> tuple[str, str]:
    """The key at either end."""
    first, _, second = rule.clause("by").partition(",")
    return first.strip(), second.strip() or first.strip()


def beside(rule: Rule) -> list[Rule]:
    (end,) = end_rules(rule.clause("to"))
    begin = rule.text.removeprefix(f"{FROM} ").partition(f" to {rule.clause('to')}")[0]
    clauses = (("by", keys_of(rule)[1]), ("since", f"{begin} by {keys_of(rule)[0]}"), ("interval", rule.text))
    return [rule.beside(END, f"{END} {rule.clause('to')} for {rule.text}", clauses, end)]


class End:
    """An end of intervals. `key`: as the agent reads it; `root`: pushes the value passed, None: the result, of the type
    `kind`; `other`: the other end, as reports show it; `rule`: the text of the rule."""

    __slots__ = ("key", "kind", "other", "root", "rule")

    def __init__(self, key: str, root: Root | None, kind: str, other: str, rule: str) -> None:
        self.key = key
        self.root = root
        self.kind = kind
        self.other = other
        self.rule = rule


def end_of(planning: Planning, code: Code, index: int, by: str, other: str, text: str) -> End | None:
    """None: the method does not have the key, which is noted."""
    from classhook.measures.watch.agent_words import written
    from classhook.measures.watch.context_key import root_of
    from classhook.measures.watch.insertion import names
    from classhook.measures.watch.watched_method import WatchedMethod
    from classhook.rules.path_parser import path

    wanted = path(by)
    if wanted.root != "result":
        key, root = root_of(planning, code, index, by)
        return End(key, root, "", other, text) if root is not None else None
    method = WatchedMethod(planning.cf, planning.method, code)
    misfit = method.misfit(wanted) or (f"`{wanted}`: {method} has no result" if method.result == "V" else "")
    if misfit and names(planning.rules.rules[index], method):
        planning.unfit.setdefault((index, misfit), planning.method)
    return None if misfit else End(written(wanted), None, method.result, other, text)


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    return planned(planning, code, rules, probes, TIME_FROM)


def plan_ends(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    return planned(planning, code, rules, probes, UNTIL)


def planned(
    planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe], measure: Measure
) -> tuple[int, ...]:
    """A probe for each rule; returns those that fit the method. Of two rules with the same other end, the later row
    also shows its rule."""
    fit = []
    shown: set[str] = set()
    for index in rules:
        rule = planning.rules.rules[index]
        begins = measure is TIME_FROM
        by, text = (keys_of(rule)[0], rule.text) if begins else (rule.clause("by"), rule.clause("interval"))
        other = f"to {rule.clause('to')} by {by}" if begins else f"from {rule.clause('since')}"
        other = f"{other} for {text}" if other in shown else other
        end = end_of(planning, code, index, by, other, text)
        if end is None:
            continue
        fit.append(index)
        if other in shown:
            continue
        shown.add(other)
        kind, slots = (BEGINS, CH_COUNT_SLOTS) if begins else (ENDS, CH_TIME_SLOTS)
        probes.append(Probe(measure, kind, slots, index, end, len(end.key) + len(other)))
    return tuple(fit)


def end_of_probe(probe: Probe) -> End:
    if not isinstance(probe.detail, End):
        raise TypeError(probe.kind)
    return probe.detail


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    end = end_of_probe(probe)
    native = "intervalBegins" if probe.kind == BEGINS else "intervalEnds"
    told = weaver.number(slot) + weaver.call(native, b"(Ljava/lang/Object;I)V")
    if end.root is not None:
        weaver.at_call(end.root.code(weaver) + told, STACK)
        return
    from classhook.measures.watch.end_key import result_as_object

    insert_call_exits(weaver, result_as_object(weaver, end.kind) + told, STACK)


def record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
    end = end_of_probe(probe)
    return IntervalRecord(probe.kind, slot, probe.rule, method, descriptor, escape(end.rule), end.key, end.other)


TIME_FROM = Measure(
    word=Word(
        FROM,
        METHODS,
        (
            Clause("to", "EXPRESSION", wrong_to, expects=METHODS_EXPECTED, about="where intervals end"),
            Clause("by", "EXPRESSION", wrong_by, expects=EXPECTED, about="the value that is the same at both ends"),
        ),
        wrong=wrong_rule,
        beside=beside,
        about="how long it is from a call of one method to a call of another with the same key, in any thread",
    ),
    kinds={BEGINS: CH_COUNT_SLOTS},
    plan=plan,
    insert=insert,
    lost="no intervals begin there",
    record=record,
)
UNTIL = Measure(
    word=Word(END, METHODS, tuple([Clause(word, "EXPRESSION") for word in ("by", "since", "interval")])),
    kinds={ENDS: CH_TIME_SLOTS},
    plan=plan_ends,
    insert=insert,
    lost="no intervals end there",
    record=record,
)

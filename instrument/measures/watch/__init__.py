"""`watch`: single calls of a method, with their arguments, results, fields and callers, as they are when the activation
ends.

What conditions mean is in rules/condition_parser.py, the probes in insertion.py; both are imported if there is such a
rule.
"""

from __future__ import annotations

from classhook.base.units import microseconds
from classhook.measures.event import BOXES
from classhook.native._slots import CH_WATCH_SLOTS
from classhook.probes import reasons
from classhook.probes.measure import Measure, Planning, Probe
from classhook.rules.clause_values import wrong_first, wrong_mask, wrong_slowest, wrong_text
from classhook.rules.words import METHODS, Clause, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record
    from classhook.rules.syntax import Rule
    from classhook.rules.words import Mistaken

WATCHED: Final = "watch"


def wrong_when(value: str) -> Mistaken | None:
    from classhook.rules.condition_parser import condition

    return wrong_text(condition, value)


def wrong_show(value: str) -> Mistaken | None:
    from classhook.rules.condition_parser import shown

    return wrong_text(shown, value)


def wrong_over(value: str) -> Mistaken | None:
    return None if microseconds(value) <= 3_600_000_000 else ("the limit is too long", "up to `3600s`")


def wrong_rule(rule: Rule) -> tuple[str, str, str, int] | None:
    """Of targets whose parameters are all named, which arguments there are is known."""
    from classhook.measures.watch.insertion import conditions_of, shown_of

    numbers = [
        len(target.method.parameters)
        for target in rule.targets
        if target.method is not None and target.method.parameters is not None and ".." not in target.method.parameters
    ]
    if len(numbers) < len(rule.targets):
        return None
    most = max(numbers)
    for word, paths in (
        ("when", [path for one in conditions_of(rule) for path in one]),
        ("show", list(shown_of(rule).paths)),
    ):
        for path in paths:
            if path.argument >= most:
                there = (
                    f"`arg0` to `arg{most - 1}`"
                    if most > 1
                    else "`arg0`"
                    if most
                    else "`this` and `result`: it has no arguments"
                )
                return (
                    word,
                    f"the method has no argument `{path.root}`",
                    there,
                    max(rule.clause(word).find(path.root), 0),
                )
    return None


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    from classhook.measures.watch import insertion

    wanted = insertion.wanted_of(planning, code, rules)
    for index, one in wanted.items():
        probes.append(Probe(WATCH, WATCHED, CH_WATCH_SLOTS, index, detail=one, text_bytes=len(one.rule.clause("when"))))
    return tuple(wanted)


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    from classhook.measures.watch import insertion

    insertion.insert(weaver, probe, slot)


def record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
    from classhook.measures.watch import insertion

    return insertion.record(probe, slot, method, descriptor)


def obstacle(class_name: str) -> tuple[str, str] | None:
    if class_name in BOXES:
        return reasons.TRACKER, "its calls are not watched: arguments are kept by it"
    return None


WATCH = Measure(
    word=Word(
        "watch",
        METHODS,
        (
            Clause(
                "when", "EXPRESSION", wrong_when, expects="a condition (`arg0 > 100`)", about="only if this is true"
            ),
            Clause("show", "EXPRESSION", wrong_show, expects="names (`args, result`)", about="what is shown of each"),
            Clause("over", "DURATION", wrong_over, about="only what took longer"),
            Clause("first", "NUMBER", wrong_first, ("every", "slowest"), about="only the first ones"),
            Clause(
                "every",
                "DURATION",
                None,
                ("first", "slowest"),
                about="the time between two of them, or the bytes between two samples",
            ),
            Clause(
                "slowest",
                "NUMBER",
                wrong_slowest,
                ("first", "every"),
                about="keeps the slowest calls, with arguments, result and callers",
            ),
            Clause(
                "mask",
                "EXPRESSION",
                wrong_mask,
                expects="names to hide (`password, **.token`)",
                about="hides the values of these names",
            ),
        ),
        needs="watch",
        wrong=wrong_rule,
        about="single calls with arguments, result or exception, fields, and callers, if a condition is true",
    ),
    kinds={WATCHED: CH_WATCH_SLOTS},
    plan=plan,
    insert=insert,
    lost="not watched",
    obstacle=obstacle,
    record=record,
)

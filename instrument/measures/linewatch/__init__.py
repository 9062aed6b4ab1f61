"""`watch a.B:123`: the values of local variables, parameters and fields each time that a line is executed.

The code that is inserted has no jumps, so that it needs no frames: insertion.py. It is imported if there is such a
rule.
"""

from __future__ import annotations

from classhook.measures.event import BOXES
from classhook.measures.lines import absent
from classhook.native._slots import CH_WATCH_SLOTS
from classhook.probes import reasons
from classhook.probes.measure import Measure, Planning, Probe
from classhook.rules.clause_values import wrong_first, wrong_mask, wrong_text
from classhook.rules.words import LINES, Clause, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record
    from classhook.rules.words import Mistaken

WATCHED: Final = "watch-line"


def wrong_when(value: str) -> Mistaken | None:
    from classhook.rules.condition_parser import condition

    return wrong_text(lambda text: condition(text, locals_=True), value)


def wrong_show(value: str) -> Mistaken | None:
    from classhook.rules.condition_parser import shown

    return wrong_text(lambda text: shown(text, locals_=True), value)


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    from classhook.measures.linewatch import insertion

    matched = []
    for index, found in insertion.wanted_by(planning, code, rules).items():
        for wanted in found:
            probes.append(
                Probe(LINEWATCH, WATCHED, CH_WATCH_SLOTS, index, detail=wanted, text_bytes=len(wanted.rule.text))
            )
        if found:
            matched.append(index)
    return tuple(matched)


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    from classhook.measures.linewatch import insertion

    insertion.insert(weaver, probe, slot)


def record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
    from classhook.measures.linewatch import insertion

    return insertion.record(probe, slot, method, descriptor)


def obstacle(class_name: str) -> tuple[str, str] | None:
    if class_name in BOXES:
        return reasons.TRACKER, "its lines are not watched: values are kept by it"
    return None


LINEWATCH = Measure(
    word=Word(
        "watch line",
        LINES,
        (
            Clause(
                "when", "EXPRESSION", wrong_when, expects="a condition (`total > 100`)", about="only if this is true"
            ),
            Clause(
                "show", "EXPRESSION", wrong_show, expects="names (`total, items.size`)", about="what is shown of each"
            ),
            Clause("first", "NUMBER", wrong_first, ("every",), about="only the first ones"),
            Clause(
                "every",
                "DURATION",
                None,
                ("first",),
                about="the time between two of them, or the bytes between two samples",
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
        about="the values of local variables at a line",
    ),
    kinds={WATCHED: CH_WATCH_SLOTS},
    plan=plan,
    insert=insert,
    lost="its lines are not watched",
    obstacle=obstacle,
    record=record,
    absent=absent,
    flat=True,
)

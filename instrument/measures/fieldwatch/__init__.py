"""`watch writes a.B.state`: each write of a field, with the value that it had, the new one, and the place.

The code is in insertion.py, which is imported if there is such a rule.
"""

from __future__ import annotations

from classhook.measures.event import BOXES
from classhook.native._slots import CH_WATCH_SLOTS
from classhook.probes import reasons
from classhook.probes.measure import Measure, Planning, Probe
from classhook.rules.clause_values import wrong_first, wrong_mask, wrong_text
from classhook.rules.words import FIELDS, Clause, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record
    from classhook.rules.words import Mistaken

WATCHED: Final = "watch-write"


def wrong_when(value: str) -> Mistaken | None:
    from classhook.measures.fieldwatch import insertion

    return wrong_text(insertion.read_condition, value)


def wrong_show(value: str) -> Mistaken | None:
    from classhook.measures.fieldwatch import insertion

    return wrong_text(insertion.read_shown, value)


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    from classhook.measures.fieldwatch import insertion

    matched = []
    for index in rules:
        found = insertion.wanted_of(planning, code, index)
        for wanted in found:
            probes.append(
                Probe(FIELDWATCH, WATCHED, CH_WATCH_SLOTS, index, detail=wanted, text_bytes=len(wanted.rule.text))
            )
        if found:
            matched.append(index)
    return tuple(matched)


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    from classhook.measures.fieldwatch import insertion

    insertion.insert(weaver, probe, slot)


def record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
    from classhook.measures.fieldwatch import insertion

    return insertion.record(probe, slot, method, descriptor)


def obstacle(class_name: str) -> tuple[str, str] | None:
    if class_name in BOXES:
        return reasons.TRACKER, "its writes are not watched: values are kept by it"
    return None


FIELDWATCH = Measure(
    word=Word(
        "watch writes",
        FIELDS,
        (
            Clause(
                "when",
                "EXPRESSION",
                wrong_when,
                expects='a condition (`value == "PAID"`)',
                about="only if this is true",
            ),
            Clause(
                "show",
                "EXPRESSION",
                wrong_show,
                expects="names (`old, value, object.id, stack 4`)",
                about="what is shown of each",
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
        about="which places write a field, and with which values",
    ),
    kinds={WATCHED: CH_WATCH_SLOTS},
    plan=plan,
    insert=insert,
    lost="its writes are not watched",
    obstacle=obstacle,
    record=record,
)

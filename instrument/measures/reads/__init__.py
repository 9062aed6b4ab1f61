"""`count reads`: as `count writes` (measures/writes)."""

from __future__ import annotations

from classhook.classfile.opcodes import GETFIELD, GETSTATIC
from classhook.measures.calls import record, text_bytes
from classhook.measures.writes import accesses, insert
from classhook.native._slots import CH_COUNT_SLOTS
from classhook.probes.measure import Measure, Planning, Probe
from classhook.rules.words import FIELDS, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code

COUNTED: Final = "read"
READING: Final = (GETFIELD, GETSTATIC)


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    found, matching = accesses(planning, code, rules, READING)
    for site in found:
        probes.append(Probe(COUNT_READS, COUNTED, CH_COUNT_SLOTS, site.rule, site, text_bytes(site)))
    return matching


COUNT_READS = Measure(
    word=Word("count reads", FIELDS, about="which places read a field, and how often"),
    kinds={COUNTED: CH_COUNT_SLOTS},
    plan=plan,
    insert=insert,
    lost="its reads of fields are not counted",
    record=record,
)

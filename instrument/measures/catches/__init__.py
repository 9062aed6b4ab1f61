"""`count catches`: how often each handler of an exception ran, by the type that it names (JVMS 4.7.3), in the classes
after `in`. The code of `finally` names no type, and is none.

A handler for several types, `catch (A | B e)`, is one place; its type is the first one that a rule matches. As for
allocations, supertypes may decide what a rule with `+` matches.
"""

from __future__ import annotations

from classhook.classfile.insertions import BEFORE, Insertion
from classhook.measures.alloc import Site, deciding, lines_of, record, site_of, type_name
from classhook.measures.count import counting
from classhook.native._slots import CH_COUNT_CALLS, CH_COUNT_SLOTS
from classhook.probes.measure import Measure, Planning, Probe
from classhook.rules.words import TYPES, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.probes.method_weaver import MethodWeaver

CAUGHT: Final = "catch"


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    """A probe for each handler of a type that a rule matches; returns these rules."""
    found: set[int] = set()
    sites: dict[int, Site] = {}  # by the handler's first instruction
    for _, _, handler_pc, catch_type in code.exception_table:
        if not catch_type or handler_pc in sites:
            continue
        name = type_name(planning.cf.pool.class_name(catch_type))
        matching, (rule, undecided) = deciding(planning, rules, name)
        found.update(matching)
        if rule >= 0 or undecided:
            site = sites[handler_pc] = Site(handler_pc, handler_pc, name, "count")
            site.undecided = undecided
            probes.append(Probe(COUNT_CATCHES, CAUGHT, CH_COUNT_SLOTS, rule, site, len(name)))
    pcs = sorted(sites)
    for pc, line in zip(pcs, lines_of(code, pcs), strict=True):
        sites[pc].line = line
    return tuple(sorted(found))


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    code = counting(weaver, slot + CH_COUNT_CALLS)
    weaver.insertions.append(Insertion(site_of(probe).pc, code, BEFORE, guarded=True, stack=1))


COUNT_CATCHES = Measure(
    word=Word("count catches", TYPES, about="which places catch exceptions of these types, and how often"),
    kinds={CAUGHT: CH_COUNT_SLOTS},
    plan=plan,
    insert=insert,
    lost="what it catches is not counted",
    record=record,
)

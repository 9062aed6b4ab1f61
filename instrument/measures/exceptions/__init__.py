"""`count throws` and `count catches`: how often each instruction threw (JVMS 6.5: athrow), and each handler caught
(JVMS 4.7.3), in the classes after `in`. What compilers add for `finally` and the like is neither
(classfile/cleanups.py).

A handler names its type; one for several, `catch (A | B e)`, is one place, whose type is the first one that a rule
matches. As for allocations, supertypes may decide what a rule with `+` matches.

An athrow names no type. So each counts by the class of what it throws, as `by` does:

    dup, number, key          number of the class's slot, count          athrow

The report decides which of these types a rule matches, by the supertypes that the agent writes with the first exception
of each class. No class is loaded for it, and no code of the program runs.
"""

from __future__ import annotations

from classhook.classfile.insertions import BEFORE, Insertion
from classhook.classfile.opcodes import ATHROW, DUP_CODE
from classhook.measures import keys
from classhook.measures.alloc import Site, deciding, lines_of, site_of, type_name
from classhook.measures.alloc import record as site_record
from classhook.measures.count import counting
from classhook.native._slots import CH_COUNT_CALLS, CH_COUNT_SLOTS
from classhook.probes.measure import Measure, Planning, Probe
from classhook.probes.records import ThrowRecord
from classhook.rules.words import TYPES, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record

THROWN, CAUGHT = "throw", "catch"
WHAT: Final = "E"  # the key (native/watch/keys.c)
MOST_TYPES: Final = 1_000  # of one athrow
STACK: Final = 2


def plan_throws(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    """A probe for each athrow of the program's; any rule may match what it throws."""
    text, bounds = code.code, code.scan().bounds
    pcs = [pc for pc in range(len(text)) if text[pc] == ATHROW and bounds[pc]]
    if pcs:
        from classhook.classfile.cleanups import cleanups

        rethrows = cleanups(code, planning.cf.pool, planning.check_time).rethrows
        pcs = [pc for pc in pcs if pc not in rethrows]
    for pc, line in zip(pcs, lines_of(code, pcs), strict=True):
        site = Site(pc, pc, "", "key")
        site.line, site.undecided = line, rules
        probes.append(Probe(COUNT_THROWS, THROWN, keys.SLOTS, -1, site, len(WHAT)))
    return rules if pcs else ()


def insert_throw(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    key = DUP_CODE + weaver.number(slot) + weaver.call("key", b"(Ljava/lang/Object;I)I")
    code = key + weaver.call("count", b"(I)V")
    weaver.insertions.append(Insertion(site_of(probe).pc, code, BEFORE, guarded=True, stack=STACK))


def throw_record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
    site = site_of(probe)
    return ThrowRecord(
        probe.kind, slot, probe.rule, method, descriptor, WHAT, MOST_TYPES, site.line, site.pc, site.undecided
    )


def plan_catches(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    """A probe for each handler of a type that a rule matches; returns these rules."""
    from classhook.classfile.cleanups import cleanups

    found: set[int] = set()
    sites: dict[int, Site] = {}  # by the handler's first instruction
    added = cleanups(code, planning.cf.pool, planning.check_time).handlers if code.exception_table else frozenset()
    for _, _, handler_pc, catch_type in code.exception_table:
        if not catch_type or handler_pc in sites or handler_pc in added:
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


def insert_catch(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    code = counting(weaver, slot + CH_COUNT_CALLS)
    weaver.insertions.append(Insertion(site_of(probe).pc, code, BEFORE, guarded=True, stack=1))


COUNT_THROWS = Measure(
    word=Word("count throws", TYPES, about="which places throw exceptions of these types, and how often"),
    kinds={THROWN: keys.SLOTS},
    plan=plan_throws,
    insert=insert_throw,
    lost="what it throws is not counted",
    record=throw_record,
)
COUNT_CATCHES = Measure(
    word=Word("count catches", TYPES, about="which places catch exceptions of these types, and how often"),
    kinds={CAUGHT: CH_COUNT_SLOTS},
    plan=plan_catches,
    insert=insert_catch,
    lost="what it catches is not counted",
    record=site_record,
)

"""`count writes` and `count reads`: accesses of a field by the instruction that makes them (JVMS 6.5: putfield,
putstatic, getfield, getstatic), in the classes after `in`.

An instruction names a class and a field; the class may be a subclass of the one that declares the field, so the sites
are those of calls of `Type+::name` (measures/calls). An access counts behind its instruction: one of null, or of a
class whose initialiser fails, is none.
"""

from __future__ import annotations

from classhook.classfile.insertions import BEHIND
from classhook.classfile.opcodes import GETFIELD, GETSTATIC, PUTFIELD, PUTSTATIC
from classhook.measures.calls import CallSite, insert_counting, record, site_of, sites, text_bytes
from classhook.native._slots import CH_COUNT_SLOTS
from classhook.probes.measure import Measure, Planning, Probe
from classhook.rules.words import FIELDS, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.probes.method_weaver import MethodWeaver

WRITING: Final = (PUTFIELD, PUTSTATIC)
READING: Final = (GETFIELD, GETSTATIC)


def accesses(
    planning: Planning, code: Code, rules: tuple[int, ...], opcodes: tuple[int, ...]
) -> tuple[list[CallSite], tuple[int, ...]]:
    """The same as `sites` of calls. The fields and the superclass of the class itself are known."""
    found, matching = sites(planning, code, rules, opcodes)
    matched, kept = set(matching), []
    own = {planning.cf.pool.utf8(name) for _, name, _ in planning.cf.fields()}
    name, above = planning.cf.name.replace("/", "."), planning.cf.super_name.replace("/", ".")
    for site in found:
        if site.owner == name:
            further = planning.family(above) if planning.family is not None else None
            supertypes = [] if site.name in own else [above, *(further or ())]
            fits = [
                rule for rule in rules if planning.rules.match_call(rule, name, site.name, site.descriptor, supertypes)
            ]
            if fits:
                site.rule, site.undecided = fits[0], ()
                matched.update(fits)
            elif site.name in own or further is not None:
                continue
        kept.append(site)
    return kept, tuple(sorted(matched)) if kept else ()


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    insert_counting(weaver, site_of(probe).next_pc, slot, BEHIND)


def accessing(word: str, access: str, opcodes: tuple[int, ...]) -> Measure:
    """The measure that counts these instructions. `access`: what they do, also the kind of the probes."""

    def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
        found, matching = accesses(planning, code, rules, opcodes)
        for site in found:
            probes.append(Probe(measure, access, CH_COUNT_SLOTS, site.rule, site, text_bytes(site)))
        return matching

    measure = Measure(
        word=Word(word, FIELDS, about=f"which places {access} a field, and how often"),
        kinds={access: CH_COUNT_SLOTS},
        plan=plan,
        insert=insert,
        lost=f"its {access}s of fields are not counted",
        record=record,
    )
    return measure


COUNT_WRITES = accessing("count writes", "write", WRITING)
COUNT_READS = accessing("count reads", "read", READING)

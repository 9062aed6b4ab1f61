"""Probes of `time` where not all activations are timed: `sample` and `budget`.

    sample   number, due, dup, ifeq A,        load, exitPaced     load, number, thrownPaced, athrow
             enterDue, A: store
    budget   number, dueOnPath, dup, iflt A,  load, exitOnPath    load, number, thrownOnPath, athrow
             enterDue, A: store

The entry's jump is the method's own, and not the tracker's, so that the JIT sees of each method whether it is ever timed
(docs/decisions.md). What an earlier run found best for a method's budget is known by the method's place in its class.
"""

from __future__ import annotations

from classfile.frames import INTEGER
from classfile.insertions import Label
from instrument.measures import count, profile
from instrument.measures.exits import insert_ending
from native._slots import CH_PACED_CALLS, CH_PACED_RECORD, CH_PACED_THROWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from instrument.weaving.method_weaver import MethodWeaver

DUP, IFEQ, IFLT = b"\x59", b"\x99", b"\x9b"
ASK: Final = b"(I)I"  # a descriptor of the tracker's methods
# What is done of a method: enum ch_tier of native/counting/counting.h.
UNKNOWN, TIMED, PATH_SAMPLED, ONLY_COUNTED = range(4)
TIERS: Final = 4


class Paced:
    """How often a method is timed: one activation in `sample`; `budget`: per mille of the CPU time that timing may cost, 0: any.
    `tier`: what an earlier run found that the budget allows."""

    __slots__ = ("budget", "sample", "tier")

    def __init__(self, sample: int, budget: int, tier: int) -> None:
        self.sample = sample
        self.budget = budget
        self.tier = tier


def tier_of(place: int, verdicts: frozenset[int]) -> int:
    """`verdicts`: places and tiers (native/classes/earlier_runs.c)."""
    for tier in (TIMED, PATH_SAMPLED, ONLY_COUNTED):
        if place * TIERS + tier in verdicts:
            return tier
    return UNKNOWN


def insert(weaver: MethodWeaver, paced: Paced, slot: int) -> None:
    calls, thrown = slot + CH_PACED_CALLS, slot + CH_PACED_THROWN
    if paced.tier == ONLY_COUNTED:
        count.insert_at(weaver, calls)
    elif paced.tier == PATH_SAMPLED:
        profile.insert_frame(weaver, calls, thrown)
    elif paced.tier == TIMED:
        insert_timed(weaver, slot + CH_PACED_RECORD, "enter", True)
    elif paced.budget:
        load = insert_entry(weaver, calls, "dueOnPath", IFLT)
        insert_ending(weaver, load, "exitOnPath", "thrownOnPath", "restoreOnPath", thrown)
    else:
        load = insert_entry(weaver, calls, "due", IFEQ)
        insert_ending(weaver, load, "exitPaced", "thrownPaced", exceptions=thrown)


def insert_timed(weaver: MethodWeaver, record: int, enter: str, restores: bool) -> None:
    """Times each activation in the record of this slot."""
    load = weaver.new_local(weaver.number(record) + weaver.call(enter, ASK), 1)
    insert_ending(weaver, load, "exit", "thrown", "caught" if restores else "")


def insert_entry(weaver: MethodWeaver, calls: int, asking: str, untimed: bytes) -> bytes:
    """Asks whether the activation is timed, and times it; keeps the answer in a new local, which the code returned here loads."""
    asked = weaver.number(calls) + weaver.call(asking, ASK) + DUP
    begun = weaver.call("enterDue", ASK)
    return weaver.new_local(asked + jump_over(untimed, begun) + begun, 2, [Label(len(asked) + 3 + len(begun), [INTEGER])])


def jump_over(jump: bytes, code: bytes) -> bytes:
    """Skips `code`, which follows, if the jump's condition holds for the top of the stack."""
    return jump + (3 + len(code)).to_bytes(2, "big")

"""`time`: calls, exceptions and times of a method; where the rule says so, of a part of its activations only (`sample`, `budget`).

Code is put at the entry, before each return, and in a handler of all that is thrown. A new local keeps what the entry was told,
the activation's depth or 0, for the others to give back.

    number, enter, store            load, exit         load, thrown, athrow

Not every activation is timed under `sample` and `budget`:

    sample   number, due, dup, ifeq A,        load, exitPaced     load, number, thrownPaced, athrow
             enterDue, A: store
    budget   number, dueOnPath, dup, iflt A,  load, exitOnPath    load, number, thrownOnPath, athrow
             enterDue, A: store

The entry's jump is the method's own, and not the tracker's, so that the JIT sees of each method whether it is ever timed
(docs/decisions/0015-sample-and-budget.md). What an earlier run found best for a method's budget is known by the method's place in its class.

`slowest N` is another rule beside this one, of `watch` (watch/slowest_rule.py).

`tree`: enterTree instead of enter, and each activation has its place in the exact tree of calls (native/counting/exact_tree.c); with `threads`, in
that of its thread.

At the method's own handlers, load and caught end the frames that were left without an exit: a constructor's before its super(). Sums of times
are the same without, so this is left out where activations are on no path: no `tree`, and no rule by which paths are sampled.
"""

from __future__ import annotations

from classhook.classfile.frames import INTEGER
from classhook.classfile.insertions import Label
from classhook.classfile.opcodes import DUP_CODE, IFEQ_CODE, IFLT_CODE
from classhook.measures import count, keys, profile, within
from classhook.measures.within import obstacle
from classhook.native._slots import (
    CH_COUNT_CALLS,
    CH_COUNT_SLOTS,
    CH_PACED_CALLS,
    CH_PACED_RECORD,
    CH_PACED_SLOTS,
    CH_PACED_THROWN,
    CH_TIME_RECORD,
    CH_TIME_SLOTS,
)
from classhook.probes.exits import insert_ending
from classhook.probes.measure import Measure, Planning, Probe
from classhook.probes.records import PacedRecord, ProbeRecord
from classhook.probes.short_methods import is_short
from classhook.rules.clause_values import wrong_mask, wrong_slowest
from classhook.rules.words import METHODS, NO_VALUE, Clause, Sampler, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record
    from classhook.rules.syntax import Rule

PLAIN, SAMPLED, BUDGETED, SHORT, TREE, BY = "time", "time-sample", "time-budget", "time-short", "time-tree", "time-by"
#: `sample 1/N`: the largest N; a method that is timed less often may as well be counted.
MOST_SAMPLE: Final = 1_000_000


def permille(percent: str) -> int:
    return round(float(percent[:-1]) * 10)


def wrong_sample(value: str) -> tuple[str, str] | None:
    one, sample = value.split("/")
    if int(one) == 1 and 1 <= int(sample) <= MOST_SAMPLE:
        return None
    return "a sample is one activation in N", f"`1/100`, at most `1/{MOST_SAMPLE}`"


def wrong_budget(value: str) -> tuple[str, str] | None:
    return None if 1 <= permille(value) <= 1000 else ("a budget is a share of the process's CPU time", "a number from `0.1%` to `100%`")


def wrong_rule(rule: Rule) -> tuple[str, str, str, int] | None:
    if rule.clause("mask") and not rule.clause("slowest"):
        return "mask", "`mask` is about the calls that are kept", "`slowest 20` in the rule", 0
    if rule.clause("threads") and not rule.clause("tree"):
        return "threads", "`threads` is about trees of calls", "`tree` in the rule", 0
    return keys.wrong_rule(rule)


def trees(rule: Rule) -> Sampler | None:
    return Sampler("trees", threads=1) if rule.clause("threads") else None


def beside(rule: Rule) -> list[Rule]:
    """The rule that keeps the slowest calls, and that for the methods after `below`."""
    from classhook.measures.watch.slowest_rule import rule_of

    return [*([rule_of(rule)] if rule.clause("slowest") else []), *within.beside(rule)]


def restores(planning: Planning, code: Code) -> bool:
    """Whether the activations of a timed method are on the paths that are sampled, and it may catch what leaves others there."""
    if not code.exception_table:
        return False
    return any([rule.kind == "profile" or bool(rule.clause("budget")) for rule in planning.rules.rules])


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    if len(rules) == 1 and planning.rules.rules[rules[0]].is_plain("time"):  # most methods, for which the rest would find nothing else
        probes.append(Probe(TIME, PLAIN, CH_TIME_SLOTS, rules[0], detail=restores(planning, code)))
        return rules
    everywhere = within.plan_below(planning, rules, probes)
    kinds = [planning.rules.rules[index].kind for index in everywhere]
    if "time" in kinds:
        plan_times(planning, code, everywhere, probes)
    elif "profile" in kinds:
        profile.plan(planning, code, everywhere, probes)
        return rules
    elif everywhere:
        probes.append(count.probe_of(everywhere[0]))
    timed = [keys.written(planning.rules.rules[probe.rule]) for probe in probes if probe.kind == BY]
    count.plan_keys(planning, code, everywhere, probes, timed[0] if timed else "")
    return rules


def plan_times(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> None:
    for index in rules:  # a rule with a key tells more than one without
        if planning.rules.rules[index].kind == "time" and (key := keys.key_of(planning, code, index)) is not None:
            probes.append(Probe(TIME, BY, keys.SLOTS, index, detail=Keyed(key, restores(planning, code)), text_bytes=len(key.words)))
            return
    for index in rules:
        rule = planning.rules.rules[index]
        if rule.kind == "time":  # the first `time` rule decides how often
            sample, budget = rule.clause("sample"), rule.clause("budget")
            every = int(sample.partition("/")[2] or 1)
            if rule.clause("tree"):
                probes.append(Probe(TIME, TREE, CH_TIME_SLOTS, rules[0]))
                return
            if every == 1 and not budget:
                break
            if budget and is_short(code):
                probes.append(Probe(TIME, SHORT, CH_COUNT_SLOTS, rules[0]))
                return
            place = planning.place()
            how = Paced(every, permille(budget) if budget else 0, place, tier_of(place, planning.verdicts))
            probes.append(Probe(TIME, BUDGETED if budget else SAMPLED, CH_PACED_SLOTS, rules[0], how))
            return
    probes.append(Probe(TIME, PLAIN, CH_TIME_SLOTS, rules[0], detail=restores(planning, code)))


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    if probe.kind == SHORT:
        count.insert_at(weaver, slot + CH_COUNT_CALLS)
    elif isinstance(probe.detail, Paced):
        insert_paced(weaver, probe.detail, slot)
    elif isinstance(probe.detail, Keyed):
        insert_timed(weaver, probe.detail.key.push(weaver, slot), "enter", probe.detail.restores, keys.STACK)
    elif probe.kind == TREE:
        insert_timed(weaver, weaver.number(slot + CH_TIME_RECORD), "enterTree", True)
    else:
        insert_timed(weaver, weaver.number(slot + CH_TIME_RECORD), "enter", bool(probe.detail))


def record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
    how = probe.detail
    if isinstance(how, Keyed):
        return keys.record(Probe(TIME, BY, probe.slots, probe.rule, detail=how.key), slot, method, descriptor)
    if not isinstance(how, Paced):
        return ProbeRecord(probe.kind, slot, probe.rule, method, descriptor)
    return PacedRecord(probe.kind, slot, probe.rule, method, descriptor, how.sample, how.budget, how.place)


def cheaper(probe: Probe) -> Probe:
    return count.probe_of(probe.rule)


class Keyed:
    """A method that is timed by key. `restores`: as in `insert_timed`."""

    __slots__ = ("key", "restores")

    def __init__(self, key: keys.Key, restores: bool) -> None:
        self.key = key
        self.restores = restores


# ---- `sample` and `budget`: not all activations are timed

ASK: Final = b"(I)I"  # a descriptor of the tracker's methods
# What is done of a method: enum ch_tier of native/counting/counting.h.
UNKNOWN, TIMED, PATH_SAMPLED, ONLY_COUNTED = range(4)
TIERS: Final = 4


class Paced:
    """How often a method is timed: one activation in `sample`; `budget`: per mille of the CPU time that timing may cost, 0: any.
    `place`: among the paced methods of its class; `tier`: what an earlier run found that the budget allows."""

    __slots__ = ("budget", "place", "sample", "tier")

    def __init__(self, sample: int, budget: int, place: int, tier: int) -> None:
        self.sample = sample
        self.budget = budget
        self.place = place
        self.tier = tier


def tier_of(place: int, verdicts: frozenset[int]) -> int:
    """`verdicts`: places and tiers (native/classes/verdicts.c)."""
    for tier in (TIMED, PATH_SAMPLED, ONLY_COUNTED):
        if place * TIERS + tier in verdicts:
            return tier
    return UNKNOWN


def insert_paced(weaver: MethodWeaver, paced: Paced, slot: int) -> None:
    calls, thrown = slot + CH_PACED_CALLS, slot + CH_PACED_THROWN
    if paced.tier == ONLY_COUNTED:
        count.insert_at(weaver, calls)
    elif paced.tier == PATH_SAMPLED:
        profile.insert_frame(weaver, calls, thrown)
    elif paced.tier == TIMED:
        insert_timed(weaver, weaver.number(slot + CH_PACED_RECORD), "enter", True)
    elif paced.budget:
        load = insert_entry(weaver, calls, "dueOnPath", IFLT_CODE)
        insert_ending(weaver, load, "exitOnPath", "thrownOnPath", "restoreOnPath", thrown)
    else:
        load = insert_entry(weaver, calls, "due", IFEQ_CODE)
        insert_ending(weaver, load, "exitPaced", "thrownPaced", exceptions=thrown)


def insert_timed(weaver: MethodWeaver, record: bytes, enter: str, restores: bool, stack: int = 1) -> None:
    """Times each activation in the record of a slot, which this code pushes."""
    load = weaver.new_local(record + weaver.call(enter, ASK), stack)
    insert_ending(weaver, load, "exit", "thrown", "caught" if restores else "")


def insert_entry(weaver: MethodWeaver, calls: int, asking: str, untimed: bytes) -> bytes:
    """Asks whether the activation is timed, and times it; keeps the answer in a new local, which the code returned here loads."""
    asked = weaver.number(calls) + weaver.call(asking, ASK) + DUP_CODE
    begun = weaver.call("enterDue", ASK)
    return weaver.new_local(asked + jump_over(untimed, begun) + begun, 2, [Label(len(asked) + 3 + len(begun), [INTEGER])])


def jump_over(jump: bytes, code: bytes) -> bytes:
    """Skips `code`, which follows, if the jump's condition holds for the top of the stack."""
    return jump + (3 + len(code)).to_bytes(2, "big")


TIME = Measure(
    word=Word(
        "time",
        METHODS,
        (
            Clause("sample", "FRACTION", wrong_sample, ("budget", "tree")),
            Clause("budget", "PERCENT", wrong_budget, ("sample", "tree")),
            Clause("tree", NO_VALUE, None, ("sample", "budget")),
            Clause("threads", NO_VALUE),
            Clause("slowest", "NUMBER", wrong_slowest),
            Clause("mask", "EXPRESSION", wrong_mask),
            *keys.CLAUSES,
            within.below("sample", "budget", "tree", "threads", "slowest", "mask", "by", "top"),
        ),
        row="methods",
        needs="time",
        samples=trees,
        wrong=wrong_rule,
        beside=beside,
    ),
    kinds={PLAIN: CH_TIME_SLOTS, SAMPLED: CH_PACED_SLOTS, BUDGETED: CH_PACED_SLOTS, SHORT: CH_COUNT_SLOTS, TREE: CH_TIME_SLOTS, BY: keys.SLOTS},
    plan=plan,
    insert=insert,
    lost="not timed, only counted",
    gives_way=2,
    cheaper=cheaper,
    record=record,
    obstacle=obstacle,
)

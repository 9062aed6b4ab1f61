"""`time`: calls, exceptions and times of a method; where the rule says so, of a part of its activations only
(`sample`).

Code is put at the entry, before each return, and in a handler of all that is thrown. A new local keeps the result of
the entry, the activation's depth or 0, for the others to pass back.

    number, enter, store            load, exit         load, thrown, athrow

Not every activation is timed under `sample`:

    number, due, dup, ifeq A,      load, exitPaced     load, number, thrownPaced, athrow
    enterDue, A: store

The entry's jump is the method's own, and not the tracker's, so that the JIT sees of each method how rarely it is timed
(docs/decisions/0015-sample-and-budget.md).

`slowest N` is another rule beside this one, of `watch` (watch/slowest_rule.py).

`tree`: enterTree instead of enter, and each activation has its place in the exact tree of calls
(native/timing/exact_tree.c); with `threads`, in that of its thread.

At the method's own handlers, load and caught end the frames that were left without an exit: a constructor's before its
super(). Sums of times are the same without, so this is left out where activations are on no path: no `tree`, and no
rule by which paths are sampled.
"""

from __future__ import annotations

from classhook.classfile.frames import INTEGER
from classhook.classfile.insertions import Label
from classhook.classfile.opcodes import DUP_CODE, IADD, ICONST_1
from classhook.measures import chosen_calls, count, keys, profile, within
from classhook.measures.within import obstacle
from classhook.native._slots import (
    CH_PACED_CALLS,
    CH_PACED_SLOTS,
    CH_PACED_THROWN,
    CH_TIME_RECORD,
    CH_TIME_SLOTS,
)
from classhook.probes.exits import insert_ending
from classhook.probes.measure import Measure, Planning, Probe
from classhook.probes.method_weaver import unless_zero
from classhook.probes.records import PacedRecord, ProbeRecord
from classhook.rules.clause_values import wrong_mask, wrong_slowest
from classhook.rules.words import METHODS, NO_VALUE, Clause, Sampler, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record
    from classhook.rules.syntax import Rule

PLAIN, SAMPLED, TREE, BY, RESUMED_BY = "time", "time-sample", "time-tree", "time-by", "time-resumed-by"
#: `sample 1/N`: the largest N; a method that is timed less often may as well be counted.
MOST_SAMPLE: Final = 1_000_000


def wrong_sample(value: str) -> tuple[str, str] | None:
    one, sample = value.split("/")
    if int(one) == 1 and 1 <= int(sample) <= MOST_SAMPLE:
        return None
    return "a sample is one activation in N", f"`1/100`, at most `1/{MOST_SAMPLE}`"


def wrong_rule(rule: Rule) -> tuple[str, str, str, int] | None:
    if rule.clause("mask") and not rule.clause("slowest"):
        return "mask", "`mask` is about the calls that are kept", "`slowest 20` in the rule", 0
    if rule.clause("threads") and not rule.clause("tree"):
        return "threads", "`threads` is about trees of calls", "`tree` in the rule", 0
    return keys.wrong_rule(rule)


def trees(rule: Rule) -> Sampler | None:
    return Sampler("trees", threads=1) if rule.clause("threads") else None


def beside(rule: Rule) -> list[Rule]:
    """The rules that keep the slowest calls, time chosen ones, and are for the methods after `below`."""
    from classhook.measures.watch.slowest_rule import rule_of

    slowest = [rule_of(rule)] if rule.clause("slowest") else []
    return [*slowest, *chosen_calls.beside(rule), *within.beside(rule)]


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    if planning.is_plain("time", rules):
        probes.append(Probe(TIME, PLAIN, CH_TIME_SLOTS, rules[0]))
        return rules
    everywhere = within.plan_below(planning, code, rules, probes)
    kinds = [planning.rules.rules[index].kind for index in everywhere]
    if "time" in kinds:
        plan_times(planning, code, everywhere, probes)
    elif "profile" in kinds:
        profile.plan(planning, code, everywhere, probes)
        return rules
    elif everywhere:
        probes.append(count.probe_of(everywhere[0]))
    timed = [keys.written(planning.rules.rules[probe.rule]) for probe in probes if probe.kind in (BY, RESUMED_BY)]
    count.plan_keys(planning, code, everywhere, probes, timed[0] if timed else "")
    return rules


def plan_times(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> None:
    for index in rules:  # a rule with a key tells more than one without
        if planning.rules.rules[index].kind == "time" and (key := keys.key_of(planning, code, index)) is not None:
            kind, slots = (BY, keys.SLOTS) if planning.resumable is None else (RESUMED_BY, keys.RESUMED_SLOTS)
            probes.append(Probe(TIME, kind, slots, index, detail=key, text_bytes=len(key.words)))
            return
    for index in rules:
        rule = planning.rules.rules[index]
        if rule.kind == "time":  # the first `time` rule decides how often
            every = int(rule.clause("sample").partition("/")[2] or 1)
            if rule.clause("tree"):
                probes.append(Probe(TIME, TREE, CH_TIME_SLOTS, rules[0]))
                return
            if every == 1:
                break
            probes.append(Probe(TIME, SAMPLED, CH_PACED_SLOTS, rules[0], every))
            return
    probes.append(Probe(TIME, PLAIN, CH_TIME_SLOTS, rules[0]))


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    if probe.kind == SAMPLED:
        insert_sampled(weaver, slot)
    elif isinstance(probe.detail, keys.Key):
        record = probe.detail.push(weaver, slot)
        if probe.kind == RESUMED_BY:
            record = keys.carried_slot(weaver, probe.detail, slot)
            weaver.at_resumption(record + ONE_MORE + weaver.call("count", b"(I)V"), 2)
        insert_timed(weaver, record, "enter", keys.STACK)
    elif probe.kind == TREE:
        insert_timed(weaver, weaver.number(slot + CH_TIME_RECORD), "enterTree", caught="caught")
    else:
        insert_timed(weaver, weaver.number(slot + CH_TIME_RECORD), "enter")


def record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
    how = probe.detail
    if isinstance(how, keys.Key):
        return keys.record(probe, slot, method, descriptor)
    if probe.kind == SAMPLED:
        assert isinstance(how, int)
        return PacedRecord(SAMPLED, slot, probe.rule, method, descriptor, how)
    return ProbeRecord(probe.kind, slot, probe.rule, method, descriptor)


def cheaper(probe: Probe) -> Probe:
    return count.probe_of(probe.rule)


ASK: Final = b"(I)I"  # a descriptor of the tracker's methods
ONE_MORE: Final = bytes((ICONST_1, IADD))  # from a key's slot to the one that counts its resumptions


def insert_timed(weaver: MethodWeaver, record: bytes, enter: str, stack: int = 1, caught: str = "") -> None:
    """Times each activation in the record of a slot, which this code pushes. `caught`: the `restore` of
    insert_ending."""
    load = weaver.new_local(record + weaver.call(enter, ASK), stack)
    insert_ending(weaver, load, "exit", "thrown", caught)


def insert_sampled(weaver: MethodWeaver, slot: int) -> None:
    """Asks whether the activation is timed, and times it; a new local keeps the answer."""
    asked = weaver.number(slot + CH_PACED_CALLS) + weaver.call("due", ASK) + DUP_CODE
    begun = weaver.call("enterDue", ASK)
    code = asked + unless_zero(len(begun)) + begun
    load = weaver.new_local(code, 2, [Label(len(code), [INTEGER])])
    insert_ending(weaver, load, "exitPaced", "thrownPaced", exceptions=slot + CH_PACED_THROWN)


TIME = Measure(
    word=Word(
        "time",
        METHODS,
        (
            Clause("sample", "FRACTION", wrong_sample, ("tree",), about="times only a part of the calls"),
            Clause("tree", NO_VALUE, None, ("sample",), about="adds the exact call tree"),
            Clause("threads", NO_VALUE, about="each thread's data is kept separately"),
            Clause(
                "slowest", "NUMBER", wrong_slowest, about="keeps the slowest calls, with arguments, result and callers"
            ),
            Clause("mask", "EXPRESSION", wrong_mask, about="hides the values of these names"),
            *keys.clauses(),
            *within.clauses("sample", "tree", "threads", "slowest", "mask"),
            *chosen_calls.clauses("also the times of those that this is true of", "by", "top", *within.WORDS),
        ),
        row="methods",
        needs="time",
        samples=trees,
        wrong=wrong_rule,
        beside=beside,
        about="calls, exceptions, total and self time, minimum, maximum and percentiles of each method",
    ),
    kinds={
        PLAIN: CH_TIME_SLOTS,
        SAMPLED: CH_PACED_SLOTS,
        TREE: CH_TIME_SLOTS,
        BY: keys.SLOTS,
        RESUMED_BY: keys.RESUMED_SLOTS,
    },
    plan=plan,
    insert=insert,
    lost="not timed, only counted",
    cheaper=cheaper,
    record=record,
    obstacle=obstacle,
)

"""`time`: calls, exceptions and times of a method; where the rule says so, of a part of its activations only (`sample`, `budget`).

Code is put at the entry, before each return, and in a handler of all that is thrown. A new local keeps what the entry was told,
the activation's depth or 0, for the others to give back.

    number, enter, store            load, exit         load, thrown, athrow

Not every activation is timed under `sample` and `budget`: see paced.py.

`slowest N` is another rule beside this one, of `watch` (slowest.py).

`tree`: enterTree instead of enter, and each activation has its place in the exact tree of calls (native/counting/contexts.c).

At the method's own handlers, load and caught end the frames that were left without an exit: a constructor's before its super(). Sums of times
are the same without, so this is left out where activations are on no path: no `tree`, and no rule by which paths are sampled.
"""

from __future__ import annotations

from instrument.measures import count, paced
from instrument.measures.base import Measure, Planning, Probe
from instrument.measures.paced import Paced, tier_of
from instrument.measures.profile import obstacle
from instrument.measures.short import is_short
from instrument.measures.watch import wrong_mask, wrong_slowest
from native._slots import (
    CH_COUNT_CALLS,
    CH_COUNT_SLOTS,
    CH_PACED_CALLS,
    CH_PACED_RECORD,
    CH_PACED_SLOTS,
    CH_PACED_THROWN,
    CH_TIME_RECORD,
    CH_TIME_SLOTS,
)
from rules.words import METHODS, NO_VALUE, Clause, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classfile.code import Code
    from instrument.data.rows import Snapshot
    from instrument.data.tally import ClassReader, ProbeLine
    from instrument.weaving.method_weaver import MethodWeaver
    from rules.syntax import Rule

PLAIN, SAMPLED, BUDGETED, SHORT, TREE = "t", "p", "b", "h", "e"
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
    return None


def beside(rule: Rule) -> list[Rule]:
    """The rule that keeps the slowest calls."""
    from instrument.measures.slowest import rule_of

    return [rule_of(rule)] if rule.clause("slowest") else []


def restores(planning: Planning, code: Code) -> bool:
    """Whether the activations of a timed method are on the paths that are sampled, and it may catch what leaves others there."""
    if not code.exception_table:
        return False
    return any([rule.kind == "profile" or bool(rule.clause("budget")) for rule in planning.rules.rules])


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    for index in rules:
        rule = planning.rules.rules[index]
        if rule.kind == "time":  # the first `time` rule decides how often
            sample, budget = rule.clause("sample"), rule.clause("budget")
            every = int(sample.partition("/")[2] or 1)
            if rule.clause("tree"):
                probes.append(Probe(TIME, TREE, CH_TIME_SLOTS, rules[0]))
                return rules
            if every == 1 and not budget:
                break
            if budget and is_short(code):
                probes.append(Probe(TIME, SHORT, CH_COUNT_SLOTS, rules[0]))
                return rules
            place = planning.place()
            how = Paced(every, permille(budget) if budget else 0, tier_of(place, planning.verdicts))
            letter = BUDGETED if budget else SAMPLED
            probes.append(Probe(TIME, letter, CH_PACED_SLOTS, rules[0], f"{how.sample}/{how.budget}/{place}", how))
            return rules
    probes.append(Probe(TIME, PLAIN, CH_TIME_SLOTS, rules[0], detail=restores(planning, code)))
    return rules


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    if probe.letter == SHORT:
        count.insert_at(weaver, slot + CH_COUNT_CALLS)
    elif isinstance(probe.detail, Paced):
        paced.insert(weaver, probe.detail, slot)
    elif probe.letter == TREE:
        paced.insert_timed(weaver, slot + CH_TIME_RECORD, "enterTree", True)
    else:
        paced.insert_timed(weaver, slot + CH_TIME_RECORD, "enter", bool(probe.detail))


def cheaper(probe: Probe) -> Probe:
    return count.probe_of(probe.rule)


def read(reader: ClassReader, line: ProbeLine) -> None:
    row = reader.row(count.table(), line)
    if line.letter == SHORT:
        row.short = True
        row.calls += reader.total(line.slot + CH_COUNT_CALLS)
        return
    row.timed = True
    if line.letter != SAMPLED:  # of these, one activation of N would be in the tree
        reader.note_frame(line, CH_TIME_RECORD)
    given_up = False
    if line.letter in (SAMPLED, BUDGETED):
        calls = reader.total(line.slot + CH_PACED_CALLS)
        given_up = row.note_pace(reader.control(line.slot + CH_PACED_RECORD), calls)
        row.exceptions += reader.total(line.slot + CH_PACED_THROWN)
    row.unlimited |= line.letter in (PLAIN, TREE)
    if line.letter == BUDGETED:
        row.budgeted = True
        reader.note_frame(line, CH_PACED_CALLS)  # where it is on the path without being timed
        row.remember(reader, line.slot, calls)
    if not given_up:  # else its first calls say nothing about the others
        row.add_records(reader, line.slot + CH_TIME_RECORD)


def conclude(snapshot: Snapshot) -> None:
    from instrument.measures import floor  # only reports need it

    floor.take_off(snapshot.tables["methods"].values(), snapshot.contexts)


TIME = Measure(
    word=Word(
        "time",
        METHODS,
        (
            Clause("sample", "FRACTION", wrong_sample, ("budget", "tree")),
            Clause("budget", "PERCENT", wrong_budget, ("sample", "tree")),
            Clause("tree", NO_VALUE, None, ("sample", "budget")),
            Clause("slowest", "NUMBER", wrong_slowest),
            Clause("mask", "EXPRESSION", wrong_mask),
        ),
        row="methods",
        needs="t",
        wrong=wrong_rule,
        beside=beside,
    ),
    letters={PLAIN: CH_TIME_SLOTS, SAMPLED: CH_PACED_SLOTS, BUDGETED: CH_PACED_SLOTS, SHORT: CH_COUNT_SLOTS, TREE: CH_TIME_SLOTS},
    plan=plan,
    insert=insert,
    read=read,
    table=count.table,
    lost="not timed, only counted",
    gives_way=2,
    cheaper=cheaper,
    obstacle=obstacle,
    conclude=conclude,
)

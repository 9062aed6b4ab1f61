"""`time`: calls, exceptions and times of a method; with `sample` or `budget`, times of only some activations.

Code is inserted at the entry, before each return, and in a handler that catches everything. A new local holds the result of the entry
probe, the activation's depth or 0, for the others to pass back.

    plain    number, enter, store            load, exit         load, thrown, athrow
    paced    number, due, dup, ifeq A,       load, exitPaced    load, ifeq B, load, thrown,
             enterDue, A: store                                 B: number, count, athrow

The branches are in the paced method, not in the tracker, so that the JIT sees for each method whether it is ever timed
(docs/decisions.md). What an earlier run found too short is identified by the method's place in its class.

`tree`: enterTree instead of enter, and each activation has its place in the exact tree of calls (native/counting/contexts.c). At the
method's own handlers, load and caught end the frames that were left without an exit: a constructor's before its super().
"""

from __future__ import annotations

from classfile.frames import INTEGER
from classfile.insertions import BEFORE, Insertion, Label
from instrument.measures import count
from instrument.measures.base import Measure, Planning, Probe
from instrument.measures.exits import insert_exits
from instrument.weaving import reasons
from native._slots import CH_PACED_CALLS, CH_PACED_RECORD, CH_PACED_SLOTS, CH_PACED_THROWN, CH_TIME_RECORD, CH_TIME_SLOTS
from rules.words import METHODS, Clause, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classfile.code import Code
    from instrument.data.tally import ClassReader, ProbeLine
    from instrument.weaving.method_weaver import MethodWeaver

PLAIN, PACED, TREE = "t", "p", "e"
#: `sample 1/N`: the largest N; a method that is timed less often may as well be counted.
MOST_SAMPLE: Final = 1_000_000
#: These switch stacks, which timing cannot follow.
NEVER_TIMED: Final = frozenset({"java.lang.VirtualThread", "jdk.internal.vm.Continuation"})
DUP, IFEQ = b"\x59", b"\x99"
ENTER: Final = b"(I)I"  # descriptors of the tracker's methods
LEAVE: Final = b"(I)V"


class Paced:
    """How often a method is timed: one activation in `sample`; `budget`: per mille of the CPU time that timing may cost, 0: any;
    `counted`: it is only counted."""

    __slots__ = ("budget", "counted", "sample")

    def __init__(self, sample: int, budget: int, counted: bool) -> None:
        self.sample = sample
        self.budget = budget
        self.counted = counted


def permille(percent: str) -> int:
    return round(float(percent[:-1]) * 10)


def wrong_sample(value: str) -> tuple[str, str] | None:
    one, sample = value.split("/")
    if int(one) == 1 and 1 <= int(sample) <= MOST_SAMPLE:
        return None
    return "a sample is one activation in N", f"`1/100`, at most `1/{MOST_SAMPLE}`"


def wrong_budget(value: str) -> tuple[str, str] | None:
    return None if 1 <= permille(value) <= 1000 else ("a budget is a share of the process's CPU time", "a number from `0.1%` to `100%`")


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
            place = planning.place()
            paced = Paced(every, permille(budget) if budget else 0, place in planning.counted)
            probes.append(Probe(TIME, PACED, CH_PACED_SLOTS, rules[0], f"{paced.sample}/{paced.budget}/{place}", paced))
            return rules
    probes.append(Probe(TIME, PLAIN, CH_TIME_SLOTS, rules[0]))
    return rules


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    paced = probe.detail
    if not isinstance(paced, Paced):
        load = insert_plain(weaver, weaver.number(slot + CH_TIME_RECORD), "enterTree" if probe.letter == TREE else "enter")
        if probe.letter == TREE:
            insert_caught(weaver, load)
    elif paced.counted:
        count.insert_at(weaver, slot + CH_PACED_CALLS)
    else:
        insert_paced(weaver, slot)


def insert_plain(weaver: MethodWeaver, number: bytes, enter: str) -> bytes:
    load = weaver.new_local(number + weaver.call(enter, ENTER), 1)
    insert_exits(weaver, load + weaver.call("exit", LEAVE))
    if ranges := weaver.handled():
        weaver.handle(load + weaver.call("thrown", LEAVE), ranges, 1)
    return load


def insert_caught(weaver: MethodWeaver, load: bytes) -> None:
    caught = load + weaver.call("caught", LEAVE) if weaver.code.exception_table else b""
    for pc in sorted({entry[2] for entry in weaver.code.exception_table}):
        weaver.insertions.append(Insertion(pc, caught, BEFORE, stack=1))


def insert_paced(weaver: MethodWeaver, slot: int) -> None:
    number = weaver.number(slot + CH_PACED_CALLS)
    asked = number + weaver.call("due", ENTER) + DUP
    begun = weaver.call("enterDue", ENTER)
    landing = Label(len(asked) + 3 + len(begun), [INTEGER])
    load = weaver.new_local(asked + jump_over(begun) + begun, 2, [landing])
    insert_exits(weaver, load + weaver.call("exitPaced", LEAVE))
    if ranges := weaver.handled():
        told = load + weaver.call("thrown", LEAVE)
        counted = count.counting(weaver, slot + CH_PACED_THROWN)
        weaver.handle(load + jump_over(told) + told + counted, ranges, 1, [Label(len(load) + 3 + len(told), [])])


def jump_over(code: bytes) -> bytes:
    """Skips `code`, which follows, if the top of the stack is 0."""
    return IFEQ + (3 + len(code)).to_bytes(2, "big")


def cheaper(probe: Probe) -> Probe:
    return count.probe_of(probe.rule)


def obstacle(class_name: str) -> tuple[str, str] | None:
    if class_name in NEVER_TIMED:
        return reasons.TRACKER, "its methods are not timed: they switch the stacks of virtual threads"
    return None


def read(reader: ClassReader, line: ProbeLine) -> None:
    row = reader.row(count.table(), line)
    row.timed = True
    reader.note_frame(line)
    given_up = False
    if line.letter == PACED:
        given_up = row.note_pace(reader.control(line.slot + CH_PACED_RECORD), reader.total(line.slot + CH_PACED_CALLS))
        row.exceptions += reader.total(line.slot + CH_PACED_THROWN)
    if not given_up:  # else its first calls say nothing about the others
        row.add_records(reader, line.slot + CH_TIME_RECORD)


TIME = Measure(
    word=Word(
        "time",
        METHODS,
        (
            Clause("sample", "FRACTION", wrong_sample, ("budget", "tree")),
            Clause("budget", "PERCENT", wrong_budget, ("sample", "tree")),
            Clause("tree", "", lambda value: None, ("sample", "budget")),
        ),
        row="methods",
        needs="t",
    ),
    letters={PLAIN: CH_TIME_SLOTS, PACED: CH_PACED_SLOTS, TREE: CH_TIME_SLOTS},
    plan=plan,
    insert=insert,
    read=read,
    table=count.table,
    lost="not timed, only counted",
    gives_way=2,
    cheaper=cheaper,
    obstacle=obstacle,
)

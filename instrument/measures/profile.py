"""`profile`: exact calls and exceptions of a method, and CPU and wall time from samples of the path of calls that each thread is on.

Code is put at the entry, before each return, and in a handler of all that is thrown. A new local keeps the frame's depth on the path.

    number, push, store            load, pop          load, number, popThrown, athrow

A method with loops uses pushOpaque and popOpaque (native/building/tracker.py says why). At the method's own handlers, load and restore end the
frames that were left without either: a constructor's before its super().

A method that cannot take long is only counted (docs/decisions.md): its time is in its callers' self time, as if it were inlined.
The path is read by the agent's sampler (native/counting/sampler.c), which adds what it sees to a tree of calls in the data file.
"""

from __future__ import annotations

from instrument.measures import count
from instrument.measures.base import Measure, Planning, Probe
from instrument.measures.exits import insert_ending
from instrument.measures.short import is_short, loops
from instrument.weaving import reasons
from native._slots import CH_COUNT_CALLS, CH_COUNT_SLOTS, CH_PROFILE_CALLS, CH_PROFILE_SLOTS, CH_PROFILE_THROWN
from rules.words import METHODS, Clause, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classfile.code import Code
    from instrument.data.rows import Snapshot
    from instrument.data.tally import ClassReader, ProbeLine
    from instrument.weaving.method_weaver import MethodWeaver

SAMPLED, COUNTED = "f", "g"
#: In place of the time between two samples, in us, where the rule does not say it: the agent chooses (native/counting/period.c).
ANY_PERIOD: Final = 0
#: Paths and timing cannot follow these, which switch stacks.
SWITCHES_STACKS: Final = frozenset({"java.lang.VirtualThread", "jdk.internal.vm.Continuation"})
UNITS: Final = {"us": 1, "ms": 1000, "s": 1_000_000}


def microseconds(duration: str) -> int:
    number = duration.rstrip("ums")
    return round(float(number) * UNITS[duration[len(number) :]])


def wrong_period(value: str) -> tuple[str, str] | None:
    return None if 100 <= microseconds(value) <= 1_000_000 else ("so often no samples are taken", "from `100us` to `1s`")


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    for index in rules:
        rule = planning.rules.rules[index]
        if rule.kind == "profile":
            if is_short(code):
                probes.append(Probe(PROFILE, COUNTED, CH_COUNT_SLOTS, rules[0]))
                break
            every = rule.clause("every")
            period = microseconds(every) if every else ANY_PERIOD
            probes.append(Probe(PROFILE, SAMPLED, CH_PROFILE_SLOTS, rules[0], str(period)))
            break
    return rules


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    if probe.letter == COUNTED:
        count.insert_at(weaver, slot + CH_COUNT_CALLS)
        return
    insert_frame(weaver, slot + CH_PROFILE_CALLS, slot + CH_PROFILE_THROWN)


def insert_frame(weaver: MethodWeaver, calls: int, thrown: int) -> None:
    """Puts each activation on the path, and counts it and its exceptions in these slots."""
    kind = "Opaque" if loops(weaver.code) else ""
    load = weaver.new_local(weaver.number(calls) + weaver.call(f"push{kind}", b"(I)I"), 1)
    insert_ending(weaver, load, f"pop{kind}", "popThrown", "restore", thrown)


def obstacle(class_name: str) -> tuple[str, str] | None:
    if class_name in SWITCHES_STACKS:
        return reasons.TRACKER, "its methods are not timed: they switch the stacks of virtual threads"
    return None


def cheaper(probe: Probe) -> Probe:
    return count.probe_of(probe.rule)


def read(reader: ClassReader, line: ProbeLine) -> None:
    row = reader.row(count.table(), line)
    if line.letter == COUNTED:
        row.short = True
        row.calls += reader.total(line.slot + CH_COUNT_CALLS)
        return
    row.profiled = True
    row.calls += reader.total(line.slot + CH_PROFILE_CALLS)
    row.exceptions += reader.total(line.slot + CH_PROFILE_THROWN)
    reader.note_frame(line, CH_PROFILE_CALLS)


def conclude(snapshot: Snapshot) -> None:
    from instrument.data.calls import add_times

    add_times(snapshot.calls, snapshot.tables[count.table().name])


PROFILE = Measure(
    word=Word("profile", METHODS, (Clause("every", "DURATION", wrong_period),), row="methods", needs="p"),
    letters={SAMPLED: CH_PROFILE_SLOTS, COUNTED: CH_COUNT_SLOTS},
    plan=plan,
    insert=insert,
    read=read,
    table=count.table,
    lost="not profiled, only counted",
    gives_way=3,
    cheaper=cheaper,
    obstacle=obstacle,
    conclude=conclude,
)

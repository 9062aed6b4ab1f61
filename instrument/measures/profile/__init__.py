"""`profile`: exact calls and exceptions of a method, and CPU and wall time from samples of the path of calls that each
thread is on.

Code is put at the entry, before each return, and in a handler of all that is thrown. A new local keeps the frame's
depth on the path.

    number, push, store            load, pop          load, number, popThrown, athrow

At the method's own handlers, load and restore end the frames that were left without either: a constructor's before its
super().

A method that cannot take long is only counted. Its compiled code tells its time; until it is compiled, that is in its
callers' self time (docs/decisions/0083-profile-by-ticks.md).
Threads store their paths at ticks of their CPU time, and the agent's sampler (native/sampling/path_sampler.c) adds them
to a tree of calls in the data file.
"""

from __future__ import annotations

from classhook.base.units import microseconds
from classhook.classfile.opcodes import ICONST_M1
from classhook.measures import count, within
from classhook.measures.within import obstacle
from classhook.native._slots import (
    CH_COUNT_CALLS,
    CH_COUNT_SLOTS,
    CH_PROFILE_CALLS,
    CH_PROFILE_SLOTS,
    CH_PROFILE_THROWN,
)
from classhook.probes.exits import insert_ending
from classhook.probes.measure import Measure, Planning, Probe
from classhook.probes.records import ProbeRecord, ProfileRecord
from classhook.probes.short_methods import is_short
from classhook.rules.words import METHODS, Clause, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record

SAMPLED, SHORT = "profile", "profile-short"
#: In place of the time between two samples, in us, where the rule does not say it: the agent chooses
#: (native/sampling/sampling_period.c).
ANY_PERIOD: Final = 0


def wrong_period(value: str) -> tuple[str, str] | None:
    return (
        None
        if 100 <= microseconds(value) <= 1_000_000
        else ("samples cannot be taken at this interval", "from `100us` to `1s`")
    )


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    everywhere = within.plan_below(planning, rules, probes)
    for index in everywhere:
        rule = planning.rules.rules[index]
        if rule.kind == "profile":
            if is_short(code):
                probes.append(Probe(PROFILE, SHORT, CH_COUNT_SLOTS, everywhere[0]))
                break
            every = rule.clause("every")
            period = microseconds(every) if every else ANY_PERIOD
            probes.append(Probe(PROFILE, SAMPLED, CH_PROFILE_SLOTS, everywhere[0], period))
            break
    count.plan_keys(planning, code, everywhere, probes)
    return rules


NOWHERE: Final = bytes((ICONST_M1,))  # what pop takes for no path


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    if probe.kind == SHORT:
        count.insert_at(weaver, slot + CH_COUNT_CALLS)
        return
    load = weaver.new_local(weaver.number(slot + CH_PROFILE_CALLS) + weaver.call("push", b"(I)I"), 1, unset=NOWHERE)
    insert_ending(weaver, load, "pop", "popThrown", "restore", slot + CH_PROFILE_THROWN)


def record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
    if probe.kind == SHORT:
        return ProbeRecord(probe.kind, slot, probe.rule, method, descriptor)
    assert isinstance(probe.detail, int)
    return ProfileRecord(probe.kind, slot, probe.rule, method, descriptor, probe.detail)


def cheaper(probe: Probe) -> Probe:
    return count.probe_of(probe.rule)


PROFILE = Measure(
    word=Word(
        "profile",
        METHODS,
        (
            Clause(
                "every",
                "DURATION",
                wrong_period,
                about="the time between two of them, or the bytes between two samples",
            ),
        ),
        row="methods",
        needs="profile",
        about="exact calls and exceptions; CPU and wall time from samples of the call path; a call tree",
    ),
    kinds={SAMPLED: CH_PROFILE_SLOTS, SHORT: CH_COUNT_SLOTS},
    plan=plan,
    insert=insert,
    lost="not profiled, only counted",
    cheaper=cheaper,
    record=record,
    obstacle=obstacle,
)

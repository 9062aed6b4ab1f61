"""`profile`: exact calls and exceptions of a method, and its CPU and wall time from samples of all threads' stacks.

The samples are those of the rule `cpu` (native/sampling/cpu_sampler.c), so that no code is needed for them; of each
stack, the report keeps the profiled methods. Code is put at the entry, which counts calls, and in a handler of all that
is thrown:

    number, count          number, count, athrow

A method of a few instructions has no handler, which would cost more than the method itself.
"""

from __future__ import annotations

from classhook.measures import count, within
from classhook.measures.stack_samples import EVERY, sampler
from classhook.native._slots import CH_COUNT_SLOTS, CH_PROFILE_CALLS, CH_PROFILE_SLOTS, CH_PROFILE_THROWN
from classhook.probes.measure import Measure, Planning, Probe
from classhook.probes.records import ProbeRecord
from classhook.probes.short_methods import is_short
from classhook.rules.words import METHODS, Sampler, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record
    from classhook.rules.syntax import Rule

PROFILED, CALLS = "profile", "profile-calls"
PERIOD: Final = "4ms"  # Linux looks at the timers of CPU time when its own clock ticks, mostly every 4 ms


def samples(rule: Rule) -> Sampler:
    return sampler(rule.clause("every") or PERIOD)


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    everywhere = within.plan_below(planning, rules, probes)
    if any([planning.rules.rules[index].kind == "profile" for index in everywhere]):
        probes.append(
            cheaper_of(everywhere[0]) if is_short(code) else Probe(PROFILE, PROFILED, CH_PROFILE_SLOTS, everywhere[0])
        )
    count.plan_keys(planning, code, everywhere, probes)
    return rules


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    count.insert_at(weaver, slot + CH_PROFILE_CALLS)
    if probe.kind == PROFILED and (ranges := weaver.handled()):
        weaver.handle(count.counting(weaver, slot + CH_PROFILE_THROWN), ranges, 1)


def record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
    return ProbeRecord(probe.kind, slot, probe.rule, method, descriptor)


def cheaper_of(rule: int) -> Probe:
    """A probe that does not count exceptions."""
    return Probe(PROFILE, CALLS, CH_COUNT_SLOTS, rule)


def cheaper(probe: Probe) -> Probe:
    return cheaper_of(probe.rule)


PROFILE = Measure(
    word=Word(
        "profile",
        METHODS,
        (EVERY,),
        row="methods",
        samples=samples,
        about="exact calls and exceptions; CPU and wall time from samples of the stacks of all threads; a call tree",
    ),
    kinds={PROFILED: CH_PROFILE_SLOTS, CALLS: CH_COUNT_SLOTS},
    plan=plan,
    insert=insert,
    lost="its exceptions are not counted",
    cheaper=cheaper,
    record=record,
)

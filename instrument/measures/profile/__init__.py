"""`profile`: exact calls of a method, and its CPU and wall time from samples of all threads' stacks.

The samples are those of the rule `cpu` (native/sampling/cpu_sampler.c), so that no code is needed for them; of each
stack, the report keeps the profiled methods. Code is put at the entry, which counts calls, and with the clause
`exceptions` in a handler of all that is thrown:

    number, count          number, count, athrow

Without the clause there is no handler: it makes methods longer than the JIT would inline.
"""

from __future__ import annotations

from classhook.measures import count, within
from classhook.measures.stack_samples import EVERY, sampler
from classhook.native._slots import CH_COUNT_SLOTS, CH_PROFILE_CALLS, CH_PROFILE_SLOTS, CH_PROFILE_THROWN
from classhook.probes.measure import Measure, Planning, Probe
from classhook.probes.records import ProbeRecord
from classhook.rules.words import METHODS, NO_VALUE, Clause, Sampler, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record
    from classhook.rules.syntax import Rule

PROFILED, EXCEPTIONS = "profile", "profile-exceptions"
PERIOD: Final = "4ms"  # Linux looks at the timers of CPU time when its own clock ticks, mostly every 4 ms


def samples(rule: Rule) -> Sampler:
    return sampler(rule.clause("every") or PERIOD)


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    everywhere = within.plan_below(planning, code, rules, probes)
    profiling = [rule for index in everywhere if (rule := planning.rules.rules[index]).kind == "profile"]
    if any([rule.clause("exceptions") for rule in profiling]):
        probes.append(Probe(PROFILE, EXCEPTIONS, CH_PROFILE_SLOTS, everywhere[0]))
    elif profiling:
        probes.append(plain(everywhere[0]))
    count.plan_keys(planning, code, everywhere, probes)
    return rules


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    count.insert_at(weaver, slot + CH_PROFILE_CALLS)
    if ranges := weaver.handled():
        weaver.handle(count.counting(weaver, slot + CH_PROFILE_THROWN), ranges, 1)


def record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
    return ProbeRecord(probe.kind, slot, probe.rule, method, descriptor)


def plain(rule: int) -> Probe:
    """A probe that does not count exceptions: that of `count`, by another name."""
    return Probe(count.COUNT, PROFILED, CH_COUNT_SLOTS, rule)


def cheaper(probe: Probe) -> Probe:
    return plain(probe.rule)


PROFILE = Measure(
    word=Word(
        "profile",
        METHODS,
        (EVERY, Clause("exceptions", NO_VALUE, about="also counts the calls that end by an exception")),
        row="methods",
        samples=samples,
        about="exact calls; CPU and wall time from samples of the stacks of all threads; a call tree",
    ),
    kinds={PROFILED: CH_COUNT_SLOTS, EXCEPTIONS: CH_PROFILE_SLOTS},
    plan=plan,
    insert=insert,
    lost="its exceptions are not counted",
    cheaper=cheaper,
    record=record,
)

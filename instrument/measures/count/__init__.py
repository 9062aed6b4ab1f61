"""`count`: the exact number of calls, and nothing else. Resumptions of Kotlin's suspend functions are counted apart,
for other measures too."""

from __future__ import annotations

from classhook.measures import chosen_calls, keys, within
from classhook.native._slots import CH_COUNT_CALLS, CH_COUNT_SLOTS
from classhook.probes.measure import Measure, Planning, Probe
from classhook.probes.records import ProbeRecord
from classhook.rules.clause_values import is_of_end
from classhook.rules.words import METHODS, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from classhook.classfile.code import Code
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record
    from classhook.rules.syntax import Rule


CALLS, RESUMED, BY = "count", "resumed", "count-by"


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    if planning.is_plain("count", rules):
        probes.append(probe_of(rules[0]))
        return rules
    everywhere = within.plan_below(planning, code, rules, probes)
    if everywhere:
        probes.append(probe_of(everywhere[0]))
        plan_keys(planning, code, everywhere, probes)
    return rules


def plan_keys(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe], timed: str = "") -> None:
    """Adds what counts by key, beside the probe that the method has anyway: one for each key that rules ask for.
    `timed`: the one by which the method is timed, and so counted. By other keys it is not timed: frames of several
    would be entered at one place."""
    asked = [timed]
    for index in rules:
        rule = planning.rules.rules[index]
        by = keys.written(rule)
        if rule.kind not in ("count", "time") or by in asked:
            continue
        found = keys.end_key_of if is_of_end(by) else keys.key_of
        key = found(planning, code, index)
        if key is None:
            continue
        asked.append(by)
        probes.append(Probe(COUNT, BY, keys.SLOTS, index, detail=key, text_bytes=len(key.words)))
        if rule.kind == "time":
            name = f"{planning.cf.name.replace('/', '.')}.{planning.method.name}"
            planning.unfit.setdefault(
                (index, f"`by {by}`: {name} is only counted by this key, since another rule times it"), planning.method
            )


def beside(rule: Rule) -> list[Rule]:
    return [*chosen_calls.beside(rule), *within.beside(rule)]


def probe_of(rule: int) -> Probe:
    """A probe that only counts, whatever its rule asks for."""
    return Probe(COUNT, CALLS, CH_COUNT_SLOTS, rule)


def add_resumptions(planning: Planning, probes: list[Probe]) -> None:
    """Adds a probe that counts the entries that are no calls, if the method has such entries and its calls are
    counted."""
    if planning.resumable is not None and any([probe.measure.word.row == COUNT.word.row for probe in probes]):
        probes.append(Probe(COUNT, RESUMED, CH_COUNT_SLOTS, probes[0].rule))


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    if probe.kind == RESUMED:
        weaver.at_resumption(counting(weaver, slot + CH_COUNT_CALLS), 1)
        return
    if probe.kind == BY:
        probe.detail.insert(weaver, slot)  # type: ignore[attr-defined]  # a Key, or an EndKey
        return
    insert_at(weaver, slot + CH_COUNT_CALLS)


def record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
    if probe.kind == BY:
        return keys.record(probe, slot, method, descriptor)
    return ProbeRecord(probe.kind, slot, probe.rule, method, descriptor)


def insert_at(weaver: MethodWeaver, slot: int) -> None:
    """Counts each activation in this slot."""
    weaver.at_entry(counting(weaver, slot), 1)


def counting(weaver: MethodWeaver, slot: int) -> bytes:
    """Code that adds one to a slot; it needs one stack slot."""
    return weaver.number(slot) + weaver.call("count", b"(I)V")


COUNT = Measure(
    word=Word(
        "count",
        METHODS,
        (
            *keys.clauses(keys.wrong_by_also_of_end),
            *within.clauses(),
            *chosen_calls.clauses("also how many of them this is true of", "by", "top", *within.WORDS),
        ),
        row="methods",
        wrong=keys.wrong_rule,
        beside=beside,
        about="only the number of calls, at a fraction of the cost",
    ),
    kinds={CALLS: CH_COUNT_SLOTS, RESUMED: CH_COUNT_SLOTS, BY: keys.SLOTS},
    plan=plan,
    insert=insert,
    lost="not counted",
    needs_room=False,
    record=record,
)

"""`time ... below a.B::m` and `count ... below a.B::m`: only what runs inside of another method, whoever called it
there; with `not below`, only what does not.

Such a rule stands for two: itself, and a rule `within` for the methods after the word, whose activations are the
region. Their code:

    number, regionBegins, store          load, regionEnds          load, regionEnds, athrow

Probes that count only there, or only elsewhere, ask the agent first (native/timing/regions.c):

    number, countBelow                   number, enterBelow, store      load, exit      load, thrown, athrow

and where a suspend function is resumed that is timed there: number, countBelow. With `by`, what pushes the slot of the
key is left out elsewhere, and a key of the end is looked up by the tracker:

    number, isBelow, ifeq A, the key's slot, count, A: nop
    number, isBelow, dup, ifeq A, pop, the key's slot, enter, A: store      load, exit      load, thrown, athrow

A region must end with each of its activations. So a method is no region if an exception may leave it without meeting
our handler: a constructor before its super(), and where a monitor is held that nothing in the method releases.
"""

from __future__ import annotations

from classhook.classfile.errors import Unsupported
from classhook.classfile.frames import INTEGER
from classhook.classfile.insertions import Label
from classhook.classfile.monitors import locked_pcs
from classhook.classfile.opcodes import DUP_CODE, ICONST_M1, NOP_CODE, POP_CODE
from classhook.measures import keys
from classhook.native._slots import CH_COUNT_SLOTS, CH_TIME_SLOTS
from classhook.probes import reasons
from classhook.probes.exits import insert_ending
from classhook.probes.measure import Measure, Planning, Probe
from classhook.probes.method_weaver import unless_zero
from classhook.probes.records import KeyedWithinRecord, WithinRecord
from classhook.rules.clause_values import is_of_end
from classhook.rules.syntax import Rule
from classhook.rules.words import METHODS, Clause, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.measures.watch.end_key import EndKey
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record
    from classhook.rules.words import Mistaken

REGION, COUNTED, TIMED, RESUMED = "within", "count-below", "time-below", "resumed-below"
COUNTED_BY, TIMED_BY = "count-below-by", "time-below-by"
BELOW, NOT_BELOW = "below", "not below"
WORDS: Final[tuple[str, str]] = (BELOW, NOT_BELOW)
NOWHERE: Final = bytes((ICONST_M1,))  # what regionEnds takes for no region
EXPECTED = "methods: `com.acme.Checkout::pay`"
#: Timing cannot follow these, which switch stacks.
SWITCHES_STACKS: Final = frozenset({"java.lang.VirtualThread", "jdk.internal.vm.Continuation"})


class Region:
    """A region, by its name. `outside`: what counts does so elsewhere; `key`: by which it counts, if by one."""

    __slots__ = ("key", "name", "outside")

    def __init__(self, name: str, outside: bool = False, key: keys.Key | EndKey | None = None) -> None:
        self.name = name
        self.outside = outside
        self.key = key


def clauses(*instead_of: str) -> tuple[Clause, Clause]:
    """The clauses of words that may have them."""
    return (
        Clause(
            BELOW,
            "EXPRESSION",
            wrong_below,
            (*instead_of, NOT_BELOW),
            expects=EXPECTED,
            about="only calls inside another method",
        ),
        Clause(
            NOT_BELOW,
            "EXPRESSION",
            wrong_below,
            instead_of,
            expects=EXPECTED,
            about="only calls that are not inside another method",
        ),
    )


def written(rule: Rule) -> str:
    """The clause of a rule, as reports show it, after the values of a key; empty: it has none."""
    below = next((f"{word} {rule.clause(word)}" for word in WORDS if rule.clause(word)), "")
    return f"{keys.written(rule)} {below}" if below and rule.clause("by") else below


def region_rules(text: str) -> list[Rule]:
    """The methods after the word, as the targets of a rule. Raises RuleError."""
    from classhook.rules import parse

    return parse.parse_text(f"{REGION} {text}", parse.BELOW)


def wrong_below(value: str) -> Mistaken | None:
    from classhook.rules.errors import RuleError

    try:
        region_rules(value)
    except RuleError as error:
        return error.message, error.expected or EXPECTED, max(0, error.column - len(REGION) - 2)
    return None


def beside(rule: Rule) -> list[Rule]:
    """The rule for the region, if there is one."""
    text = rule.clause(BELOW) or rule.clause(NOT_BELOW)
    if not text:
        return []
    (region,) = region_rules(text)
    return [rule.beside(REGION, f"{REGION} {text} for {rule.text}", (("region", rule.text),), region, named=False)]


def plan_below(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    """Adds a probe for each region, and each key, of the rules that count only below a method; returns the others. A
    method is timed by one rule: frames of several would have to end in the order in which each of them was entered."""
    known = planning.rules.rules
    others = [index for index in rules if not written(known[index])]
    timed = any([known[index].kind != "count" for index in others])
    asked: set[str] = set()
    for index in sorted([one for one in rules if one not in others], key=lambda one: known[one].kind != "time"):
        rule = known[index]
        below, region = written(rule), Region(rule.text, bool(rule.clause(NOT_BELOW)))
        if rule.clause("by"):
            find = keys.end_key_of if is_of_end(rule.clause("by")) else keys.key_of
            region.key = find(planning, code, index)
            if region.key is None:
                continue
        seen = below in asked
        asked.add(below)
        by = region.key is not None
        if rule.kind == "time" and not timed and not (by and planning.resumable is not None):
            timed = True
            probes.append(_probe(TIMED_BY if by else TIMED, index, region))
            if planning.resumable is not None:
                probes.append(_probe(RESUMED, index, region))
            continue
        if seen:
            continue
        probes.append(_probe(COUNTED_BY if by else COUNTED, index, region))
        if rule.kind == "time":
            name = f"{planning.cf.name.replace('/', '.')}.{planning.method.name}"
            why = "since another rule times it" if timed else "since it is a suspend function"
            planning.unfit.setdefault((index, f"`{below}`: {name} is only counted there, {why}"), planning.method)
    return tuple(others)


def _probe(kind: str, rule: int, region: Region) -> Probe:
    text = len(region.name) + (len(region.key.words) if region.key is not None else 0)
    return Probe(WITHIN, kind, KINDS[kind], rule, region, text)


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    """Plans the probes of a region's methods; returns the rules whose region the method can be."""
    why = unfit(planning, code)
    for index in rules:
        if why:
            planning.unfit.setdefault((index, why), planning.method)
        else:
            region = planning.rules.rules[index].clause("region")
            probes.append(_probe(REGION, index, Region(region)))
    return () if why else rules


def unfit(planning: Planning, code: Code) -> str:
    """The reason why the method cannot be a region."""
    name = f"{planning.cf.name.replace('/', '.')}.{planning.method.name}"
    if planning.method.name == "<init>":
        return f"`below {name}`: an exception may leave a constructor unseen, before it calls that of its superclass"
    scan = code.scan()
    try:
        locked = locked_pcs(code.code, scan, code.exception_table) if scan.monitors else []
    except Unsupported:
        locked = [(0, 1)]
    return f"`below {name}`: an exception may leave it unseen, where it holds a monitor" if locked else ""


def obstacle(class_name: str) -> tuple[str, str] | None:
    if class_name in SWITCHES_STACKS:
        return reasons.TRACKER, "its methods are not timed: they switch the stacks of virtual threads"
    return None


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    number = weaver.number(slot)
    if probe.kind == COUNTED:
        weaver.at_call(number + weaver.call("countBelow", b"(I)V"), 1)
    elif probe.kind == RESUMED:
        weaver.at_resumption(number + weaver.call("countBelow", b"(I)V"), 1)
    elif probe.kind in (COUNTED_BY, TIMED_BY):
        insert_keyed(weaver, probe, slot)
    elif probe.kind == TIMED:
        load = weaver.new_local(number + weaver.call("enterBelow", b"(I)I"), 1)
        insert_ending(weaver, load, "exit", "thrown", "caught")
    else:
        load = weaver.new_local(number + weaver.call("regionBegins", b"(I)I"), 1, unset=NOWHERE)
        insert_ending(weaver, load, "regionEnds", "regionEnds")


def insert_keyed(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    key, asked = region_of(probe).key, weaver.number(slot) + weaver.call("isBelow", b"(I)Z")
    if not isinstance(key, keys.Key):
        key.insert(weaver, slot, below=True)  # type: ignore[union-attr]  # an EndKey
    elif probe.kind == COUNTED_BY:
        code = key.push(weaver, slot) + weaver.call("count", b"(I)V")
        code = asked + unless_zero(len(code)) + code
        weaver.at_call(code + NOP_CODE, keys.STACK, [Label(len(code), [])])
    else:
        code = POP_CODE + key.push(weaver, slot) + weaver.call("enter", b"(I)I")
        code = asked + DUP_CODE + unless_zero(len(code)) + code
        load = weaver.new_local(code, keys.STACK, [Label(len(code), [INTEGER])])
        insert_ending(weaver, load, "exit", "thrown")


def region_of(probe: Probe) -> Region:
    if not isinstance(probe.detail, Region):
        raise TypeError(probe.kind)
    return probe.detail


def record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
    region = region_of(probe)
    if region.key is None:
        return WithinRecord(probe.kind, slot, probe.rule, method, descriptor, region.name, region.outside)
    words, top = region.key.words, region.key.top
    return KeyedWithinRecord(probe.kind, slot, probe.rule, method, descriptor, words, top, region.name, region.outside)


KINDS: Final = {
    REGION: CH_COUNT_SLOTS,
    COUNTED: CH_COUNT_SLOTS,
    TIMED: CH_TIME_SLOTS,
    RESUMED: CH_COUNT_SLOTS,
    COUNTED_BY: keys.SLOTS,
    TIMED_BY: keys.SLOTS,
}

WITHIN = Measure(
    word=Word(REGION, METHODS, (Clause("region", "EXPRESSION"),), needs="time"),
    kinds=KINDS,
    plan=plan,
    insert=insert,
    lost="nothing counts below it",
    record=record,
    obstacle=obstacle,
)

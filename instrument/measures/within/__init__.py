"""`time ... below a.B::m` and `count ... below a.B::m`: only what runs inside of another method, whoever called it
there; with `not below`, only what does not.

Such a rule stands for two: itself, and a rule `within` for the methods after the word, whose activations are the
region. Their code:

    number, regionBegins, store          load, regionEnds          load, regionEnds, athrow

Probes that count only there, or only elsewhere, ask the agent first (native/timing/regions.c):

    number, countBelow                   number, enterBelow, store      load, exit      load, thrown, athrow

and where a suspend function is resumed that is timed there: number, countBelow.

A region must end with each of its activations. So a method is no region if an exception may leave it without meeting
our handler: a constructor before its super(), and where a monitor is held that nothing in the method releases.
"""

from __future__ import annotations

from classhook.classfile.errors import Unsupported
from classhook.classfile.monitors import locked_pcs
from classhook.classfile.opcodes import ICONST_M1
from classhook.native._slots import CH_COUNT_SLOTS, CH_TIME_SLOTS
from classhook.probes import reasons
from classhook.probes.exits import insert_ending
from classhook.probes.measure import Measure, Planning, Probe
from classhook.probes.records import WithinRecord
from classhook.rules.syntax import Rule
from classhook.rules.words import METHODS, Clause, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record
    from classhook.rules.words import Mistaken

REGION, COUNTED, TIMED, RESUMED = "within", "count-below", "time-below", "resumed-below"
BELOW, NOT_BELOW = "below", "not below"
WORDS: Final[tuple[str, str]] = (BELOW, NOT_BELOW)
NOWHERE: Final = bytes((ICONST_M1,))  # what regionEnds takes for no region
EXPECTED = "methods: `com.acme.Checkout::pay`"
#: Timing cannot follow these, which switch stacks.
SWITCHES_STACKS: Final = frozenset({"java.lang.VirtualThread", "jdk.internal.vm.Continuation"})


class Region:
    """A region, by its name; `outside`: what counts does so elsewhere."""

    __slots__ = ("name", "outside")

    def __init__(self, name: str, outside: bool = False) -> None:
        self.name = name
        self.outside = outside


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
    """The clause of a rule, as reports show it; empty: it has none."""
    return next((f"{word} {rule.clause(word)}" for word in WORDS if rule.clause(word)), "")


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


def plan_below(planning: Planning, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    """Adds a probe for each region of the rules that count only below a method; returns the others. A method is timed
    by one rule: frames of several would have to end in the order in which each of them was entered."""
    known = planning.rules.rules
    others = [index for index in rules if not written(known[index])]
    timed = any([known[index].kind != "count" for index in others])
    regions: set[str] = set()
    for index in sorted([one for one in rules if one not in others], key=lambda one: known[one].kind != "time"):
        rule = known[index]
        below, region = written(rule), Region(rule.text, bool(rule.clause(NOT_BELOW)))
        seen = below in regions
        regions.add(below)
        if rule.kind == "time" and not timed:
            timed = True
            probes.append(Probe(WITHIN, TIMED, CH_TIME_SLOTS, index, region, len(rule.text)))
            if planning.resumable is not None:
                probes.append(Probe(WITHIN, RESUMED, CH_COUNT_SLOTS, index, region, len(rule.text)))
            continue
        if seen:
            continue
        probes.append(Probe(WITHIN, COUNTED, CH_COUNT_SLOTS, index, region, len(rule.text)))
        if rule.kind == "time":
            name = f"{planning.cf.name.replace('/', '.')}.{planning.method.name}"
            planning.unfit.setdefault(
                (index, f"`{below}`: {name} is only counted there, since another rule times it"),
                planning.method,
            )
    return tuple(others)


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    """Plans the probes of a region's methods; returns the rules whose region the method can be."""
    why = unfit(planning, code)
    for index in rules:
        if why:
            planning.unfit.setdefault((index, why), planning.method)
        else:
            region = planning.rules.rules[index].clause("region")
            probes.append(Probe(WITHIN, REGION, CH_COUNT_SLOTS, index, Region(region), len(region)))
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
    elif probe.kind == TIMED:
        load = weaver.new_local(number + weaver.call("enterBelow", b"(I)I"), 1)
        insert_ending(weaver, load, "exit", "thrown", "caught")
    else:
        load = weaver.new_local(number + weaver.call("regionBegins", b"(I)I"), 1, unset=NOWHERE)
        insert_ending(weaver, load, "regionEnds", "regionEnds")


def record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
    region = probe.detail
    if not isinstance(region, Region):
        raise TypeError(probe.kind)
    return WithinRecord(probe.kind, slot, probe.rule, method, descriptor, region.name, region.outside)


WITHIN = Measure(
    word=Word(REGION, METHODS, (Clause("region", "EXPRESSION"),), needs="time"),
    kinds={REGION: CH_COUNT_SLOTS, COUNTED: CH_COUNT_SLOTS, TIMED: CH_TIME_SLOTS, RESUMED: CH_COUNT_SLOTS},
    plan=plan,
    insert=insert,
    lost="nothing counts below it",
    record=record,
    obstacle=obstacle,
)

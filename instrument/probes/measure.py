"""The definition of a measure for rules and weaver: its word in the rules, what it inserts and where. (Its modules
`reader` and `table` have the rest.)

A measure is a record of functions, so that one written in plain Python works with the compiled weaver.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from classhook.classfile.code import Code
    from classhook.classfile.reader import ClassFile, Method
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record
    from classhook.probes.resumptions import Resumable
    from classhook.rules.ruleset import RuleSet
    from classhook.rules.words import Word


class Probe:
    """One thing that is counted. `kind` tells its measure what its `slots` hold; `rule`: index of the rule that asked
    for it.

    `detail`: private to the measure; `text_bytes`: approximate size of its other fields in the probe table.
    """

    __slots__ = ("detail", "kind", "measure", "rule", "slots", "text_bytes")

    def __init__(
        self, measure: Measure, kind: str, slots: int, rule: int, detail: object = None, text_bytes: int = 0
    ) -> None:
        self.measure = measure
        self.kind = kind
        self.slots = slots
        self.rule = rule
        self.detail = detail
        self.text_bytes = text_bytes


class Timeout(Exception):
    """Weaving the class took longer than allowed."""


class Planning:
    """A class whose probes are planned. `family`: a class's supertypes, None if they are not known yet; `unfit`: by
    rule and why it does not fit a method that it names, the method; `method`: the one that is being planned, whose code
    may be a copy without subroutines; `resumable`: where its calls begin and go on, if it is a suspend function that
    waits."""

    __slots__ = ("_check_time", "cf", "family", "method", "resumable", "rules", "unfit")
    method: Method

    def __init__(
        self,
        cf: ClassFile,
        rules: RuleSet,
        family: Callable[[str], frozenset[str] | None] | None = None,
        check_time: Callable[..., None] | None = None,
    ) -> None:
        self._check_time = check_time
        self.cf = cf
        self.rules = rules
        self.family = family
        self.unfit: dict[tuple[int, str], Method] = {}
        self.resumable: Resumable | None = None

    def is_plain(self, kind: str, rules: tuple[int, ...]) -> bool:
        """True for one rule of this kind without clauses, as for most methods: it needs one probe, and no more."""
        return len(rules) == 1 and self.rules.rules[rules[0]].is_plain(kind)

    def check_time(self) -> None:
        """Limits the time of a measure that may need long for a method. Raises Timeout once half of the class's time is
        over: the rest is for other measures."""
        if self._check_time is not None:
            self._check_time(0.5)


class Measure:
    """All that is known of one measure.

    word: how rules ask for it
    kinds: of its probes, with the number of slots of each (0: each its own, CoverRecord); no other measure has them
    plan: adds the probes of a method that these rules match (ascending indices); their slots are consecutive; returns
    the rules that also
        match what they ask for in the method
    insert: puts a probe into a method; the number is its first slot within the class
    cheaper: the probe to use if the method would get too large; None: no probe
    steps: how often a probe can be made cheaper
    lost: the message about that; lost_with: the same, given the probe that is left
    gives_way: measures with smaller numbers become cheaper first (GIVE_WAY in instrument/measures/__init__.py)
    needs_room: it needs a local, or more stack than a probe in front of the first instruction has
    obstacle: why no method of a class can have it: reason, detail; None: any can
    record: of a probe, its first slot, and the method's name and descriptor: its record in the probe table; None: a
    ProbeRecord about: a record for a class with such probes; None: none flat: in a method with subroutines (jsr), each
    call of one has probes of its own outgrows: whether, by these rules, its probes may make a method larger than
    HotSpot compiles; None: never absent: why a class has nothing of what the rule with this index names, if it is none
    of its methods; None: nothing is to be said
    """

    __slots__ = (
        "about",
        "absent",
        "cheaper",
        "flat",
        "gives_way",
        "insert",
        "kinds",
        "lost",
        "lost_with",
        "needs_room",
        "obstacle",
        "outgrows",
        "plan",
        "record",
        "steps",
        "word",
    )

    def __init__(
        self,
        word: Word,
        kinds: dict[str, int],
        plan: Callable[[Planning, Code, tuple[int, ...], list[Probe]], tuple[int, ...]],
        insert: Callable[[MethodWeaver, Probe, int], None],
        lost: str,
        cheaper: Callable[[Probe], Probe] | None = None,
        needs_room: bool = True,
        obstacle: Callable[[str], tuple[str, str] | None] | None = None,
        record: Callable[[Probe, int, str, str], Record] | None = None,
        steps: int = 1,
        about: Callable[[ClassFile], Record] | None = None,
        lost_with: Callable[[Probe], str] | None = None,
        flat: bool = False,
        outgrows: Callable[[RuleSet, tuple[int, ...]], bool] | None = None,
        absent: Callable[[Planning, int], str] | None = None,
    ) -> None:
        self.absent = absent
        self.word = word
        self.kinds = kinds
        self.plan = plan
        self.insert = insert
        self.lost = lost
        self.gives_way = 0
        self.cheaper = cheaper
        self.needs_room = needs_room
        self.obstacle = obstacle
        self.record = record
        self.flat = flat
        self.outgrows = outgrows
        self.steps = steps
        self.about = about
        self.lost_with = lost_with


def _plan_nothing(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    return ()  # never called: such a rule matches no class


def _insert_nothing(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    """There are no probes."""


def unwoven(word: Word) -> Measure:
    """One that the agent takes by itself: nothing is woven, and there are no probes."""
    return Measure(word=word, kinds={}, plan=_plan_nothing, insert=_insert_nothing, lost="")

"""What a measure is: its word in the rules, what it inserts and where, how its slots are read, and in which table they are shown.

A measure is a record of functions, so that one written in plain Python works with the compiled weaver.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from classfile.code import Code
    from classfile.reader import ClassFile, Method
    from instrument.data.rows import Snapshot
    from instrument.data.tally import ClassReader, ProbeLine
    from instrument.measures.table import Table
    from instrument.weaving.method_weaver import MethodWeaver
    from rules.ruleset import RuleSet
    from rules.words import Word


class Probe:
    """One thing that is counted. `letter` tells its measure what its `slots` hold; `rule`: index of the rule that asked for it.

    `mark`: text after the letter in the probe table; `detail`: private to the measure; `text_bytes`: approximate size of its other fields
    in the table.
    """

    __slots__ = ("detail", "letter", "mark", "measure", "rule", "slots", "text_bytes")

    def __init__(
        self, measure: Measure, letter: str, slots: int, rule: int, mark: str = "", detail: object = None, text_bytes: int = 0
    ) -> None:
        self.measure = measure
        self.letter = letter
        self.slots = slots
        self.rule = rule
        self.mark = mark
        self.detail = detail
        self.text_bytes = text_bytes


class Planning:
    """A class whose probes are planned. `verdicts`: what an earlier run found of methods that are too short to be timed within
    their rule's budget (instrument/measures/paced.py); `family`: a class's supertypes, None if they are not known yet; `unfit`: what rules
    name that a method does not have; `method`: the one that is being planned, whose code may be a copy without subroutines."""

    __slots__ = ("_places", "cf", "family", "method", "rules", "unfit", "verdicts")
    method: Method

    def __init__(self, cf: ClassFile, rules: RuleSet, verdicts: frozenset[int], family: Callable[[str], frozenset[str] | None] | None = None) -> None:
        self.cf = cf
        self.rules = rules
        self.verdicts = verdicts
        self.family = family
        self.unfit: list[str] = []
        self._places = 0

    def place(self) -> int:
        """The next place in the class, from 0 on; planning the class with the same rules always gives the same places."""
        self._places += 1
        return self._places - 1


class Measure:
    """All that is known of one measure.

    word: how rules ask for it
    letters: of its probes, with the number of slots of each (0: each its own, the first of its `fields`); no other measure has them
    plan: adds the probes of a method that these rules match (ascending indices); their slots are consecutive; returns the rules that also
        match what they ask for in the method
    insert: puts a probe into a method; the number is its first slot within the class
    read: adds the counts of a line of the probe table to its row
    table: the table of its rows
    further: another table, of rows that are not its probes'; None: it has none
    cheaper: the probe to use if the method would get too large; None: no probe
    steps: how often a probe can be made cheaper
    lost: the message about that; lost_with: the same, given the probe that is left
    gives_way: measures with smaller numbers become cheaper first; no other measure has the same
    needs_room: it needs a local, or more stack than a probe in front of the first instruction has
    obstacle: why no method of a class can have it: reason, detail; None: any can
    fields: further fields of the probe table for the probes of a method; None: none
    about: a line of the probe table for a class with such probes; None: none
    flat: in a method with subroutines (jsr), each call of one has probes of its own
    outgrows: whether, by these rules, its probes may make a method larger than HotSpot compiles; None: never
    conclude: called with the snapshot once all files are read
    """

    __slots__ = ("about", "cheaper", "conclude", "fields", "flat", "further", "gives_way", "insert", "letters", "lost", "lost_with", "needs_room",
                 "obstacle", "outgrows", "plan", "read", "steps", "table", "word")  # fmt: skip

    def __init__(
        self,
        word: Word,
        letters: dict[str, int],
        plan: Callable[[Planning, Code, tuple[int, ...], list[Probe]], tuple[int, ...]],
        insert: Callable[[MethodWeaver, Probe, int], None],
        read: Callable[[ClassReader, ProbeLine], None],
        table: Callable[[], Table],
        lost: str,
        gives_way: int,
        cheaper: Callable[[Probe], Probe] | None = None,
        needs_room: bool = True,
        obstacle: Callable[[str], tuple[str, str] | None] | None = None,
        fields: Callable[[Code, list[Probe]], list[tuple[object, ...]]] | None = None,
        conclude: Callable[[Snapshot], None] | None = None,
        steps: int = 1,
        about: Callable[[ClassFile], tuple[object, ...]] | None = None,
        lost_with: Callable[[Probe], str] | None = None,
        further: Callable[[], Table] | None = None,
        flat: bool = False,
        outgrows: Callable[[RuleSet, tuple[int, ...]], bool] | None = None,
    ) -> None:
        self.word = word
        self.letters = letters
        self.plan = plan
        self.insert = insert
        self.read = read
        self.table = table
        self.lost = lost
        self.gives_way = gives_way
        self.cheaper = cheaper
        self.needs_room = needs_room
        self.obstacle = obstacle
        self.fields = fields
        self.flat = flat
        self.outgrows = outgrows
        self.conclude = conclude
        self.steps = steps
        self.about = about
        self.lost_with = lost_with
        self.further = further

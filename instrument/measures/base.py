"""What a measure is: its word in the rules, what it inserts and where, how its slots are read, and in which table it shows.

A measure is a record of functions, so that one written in plain Python works with the compiled weaver.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from classfile.code import Code
    from classfile.reader import ClassFile
    from instrument.data.rows import Snapshot
    from instrument.data.tally import ClassReader, ProbeLine
    from instrument.measures.table import Table
    from instrument.weaving.method_weaver import MethodWeaver
    from rules.ruleset import RuleSet
    from rules.words import Word


class Probe:
    """One thing that is counted. `letter` says to its measure what its `slots` hold; `rule` is the index of the one that asked for it.

    `mark`: what stands behind the letter in the probe table; `detail`: the measure's own; `text_bytes`: of what else the table says
    of it, about.
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
    """A class whose probes are planned. `counted`: the places of the methods that an earlier run found too short to be timed within
    their rule's budget."""

    __slots__ = ("_places", "cf", "counted", "rules")

    def __init__(self, cf: ClassFile, rules: RuleSet, counted: frozenset[int]) -> None:
        self.cf = cf
        self.rules = rules
        self.counted = counted
        self._places = 0

    def place(self) -> int:
        """The next one of the class, from 0 on: the same each time that the class is planned by the same rules."""
        self._places += 1
        return self._places - 1


class Measure:
    """All that is known of one measure.

    word: how rules ask for it
    letters: those of its probes, with the number of slots of each
    plan: adds the probes of a method's code that the rules of these indices match, ascending; their slots will follow each other
    insert: puts a probe, whose first slot has this number within the class, into a method
    read: adds what a line of the probe table counted to its row
    table: where its rows show
    cheaper: what a probe becomes where the method would get too large with it; None: it is left out
    lost: what is said of that
    gives_way: those of a smaller number become cheaper first
    needs_room: it needs more of the stack than an empty one has in front of the first instruction, or a local
    at_sites: a rule matches a method only where it has a probe there
    obstacle: why no method of a class can have it, and what is said of that: reason, detail; None: any can
    fields: what else the probe table says of probes of one method; None: nothing
    conclude: is given the snapshot once all files are read
    """

    __slots__ = ("at_sites", "cheaper", "conclude", "fields", "gives_way", "insert", "letters", "lost", "needs_room", "obstacle", "plan",
                 "read", "table", "word")  # fmt: skip

    def __init__(
        self,
        word: Word,
        letters: dict[str, int],
        plan: Callable[[Planning, Code, tuple[int, ...], list[Probe]], None],
        insert: Callable[[MethodWeaver, Probe, int], None],
        read: Callable[[ClassReader, ProbeLine], None],
        table: Callable[[], Table],
        lost: str,
        gives_way: int,
        cheaper: Callable[[Probe], Probe] | None = None,
        needs_room: bool = True,
        at_sites: bool = False,
        obstacle: Callable[[str], tuple[str, str] | None] | None = None,
        fields: Callable[[Code, list[Probe]], list[tuple[object, ...]]] | None = None,
        conclude: Callable[[Snapshot], None] | None = None,
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
        self.at_sites = at_sites
        self.obstacle = obstacle
        self.fields = fields
        self.conclude = conclude

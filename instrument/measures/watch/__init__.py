"""`watch`: what values there are at a place, each time that the program comes there. The places are methods (when an
activation ends), lines, and writes of a field.

rules/condition_parser.py explains conditions. The probes of each place are in a module of its own, which is
imported if there is such a rule.
"""

from __future__ import annotations

from classhook.measures.chosen_calls import wrong_over
from classhook.measures.event import BOXES
from classhook.measures.lines import absent
from classhook.native._slots import CH_WATCH_SLOTS
from classhook.probes import reasons
from classhook.probes.measure import Measure, Planning, Probe
from classhook.rules.clause_values import wrong_first, wrong_mask, wrong_slowest, wrong_text
from classhook.rules.words import FIELDS, LINES, METHODS, Clause, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Protocol

    from classhook.classfile.code import Code
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record
    from classhook.rules.syntax import Rule
    from classhook.rules.words import Mistaken

    class Wanted(Protocol):
        """The request of a rule at a place."""

        rule: Rule

    class Probes(Protocol):
        """The module of a place: how the rule's expressions are read, which raises Wrong, what the rules want of a
        method, and the probes."""

        def read_condition(self, text: str) -> object: ...
        def read_shown(self, text: str) -> object: ...
        def wanted_by(
            self, planning: Planning, code: Code, rules: tuple[int, ...]
        ) -> Mapping[int, Sequence[Wanted]]: ...
        def insert(self, weaver: MethodWeaver, probe: Probe, slot: int) -> None: ...
        def record(self, probe: Probe, slot: int, method: str, descriptor: str) -> Record: ...


def of_methods() -> Probes:
    from classhook.measures.watch import insertion

    return insertion


def of_lines() -> Probes:
    from classhook.measures.watch import line_insertion

    return line_insertion


def of_writes() -> Probes:
    from classhook.measures.watch import write_insertion

    return write_insertion


def wrong_rule(rule: Rule) -> tuple[str, str, str, int] | None:
    """Checks the rule's arguments for targets whose parameters are all named: then the arguments are known."""
    from classhook.measures.watch.insertion import conditions_of, shown_of

    numbers = [
        len(target.method.parameters)
        for target in rule.targets
        if target.method is not None and target.method.parameters is not None and ".." not in target.method.parameters
    ]
    if len(numbers) < len(rule.targets):
        return None
    most = max(numbers)
    for word, paths in (
        ("when", [path for one in conditions_of(rule) for path in one]),
        ("show", list(shown_of(rule).paths)),
    ):
        for path in paths:
            if path.argument >= most:
                there = (
                    f"`arg0` to `arg{most - 1}`"
                    if most > 1
                    else "`arg0`"
                    if most
                    else "`this` and `result`: it has no arguments"
                )
                return (
                    word,
                    f"the method has no argument `{path.root}`",
                    there,
                    max(rule.clause(word).find(path.root), 0),
                )
    return None


def clauses_of(probes: Callable[[], Probes], examples: tuple[str, str], take_time: bool) -> tuple[Clause, ...]:
    """The clauses of a place's rules, in their order."""
    condition, names = examples
    slowest = ("slowest",) if take_time else ()

    def wrong_when(value: str) -> Mistaken | None:
        return wrong_text(probes().read_condition, value)

    def wrong_show(value: str) -> Mistaken | None:
        return wrong_text(probes().read_shown, value)

    clauses = (
        Clause("when", "EXPRESSION", wrong_when, expects=f"a condition ({condition})", about="only if this is true"),
        Clause("show", "EXPRESSION", wrong_show, expects=f"names ({names})", about="the values to show of each"),
        Clause("over", "DURATION", wrong_over, about="leaves out shorter calls and waits"),
        Clause("first", "NUMBER", wrong_first, ("every", *slowest), about="only the first ones"),
        Clause(
            "every",
            "DURATION",
            None,
            ("first", *slowest),
            about="the time between two of them, or the bytes between two samples",
        ),
        Clause(
            "slowest",
            "NUMBER",
            wrong_slowest,
            ("first", "every"),
            about="keeps the slowest calls, with arguments, result and callers",
        ),
        Clause(
            "mask",
            "EXPRESSION",
            wrong_mask,
            expects="names to hide (`password, **.token`)",
            about="hides the values of these names",
        ),
    )
    return tuple([clause for clause in clauses if take_time or clause.word not in ("over", "slowest")])


def place(
    word: str,
    subject: str,
    kind: str,
    probes: Callable[[], Probes],
    lost: str,
    kept: str,
    examples: tuple[str, str],
    about: str,
    take_time: bool = False,
    wrong: Callable[[Rule], tuple[str, str, str, int] | None] | None = None,
    absent: Callable[[Planning, int], str] | None = None,
    flat: bool = False,
) -> Measure:
    """The measure of what is watched at one place.

    kind: of its probes
    probes: imports its module
    kept: what the tracker keeps, and why classes that it needs are not watched
    examples: of a condition, and of what may be shown
    take_time: what is watched takes time, by which rules can choose
    """

    def plan(planning: Planning, code: Code, rules: tuple[int, ...], found: list[Probe]) -> tuple[int, ...]:
        wanted = probes().wanted_by(planning, code, rules)
        for index, several in wanted.items():
            for one in several:
                size = len(one.rule.text)
                found.append(Probe(measure, kind, CH_WATCH_SLOTS, index, detail=one, text_bytes=size))
        return tuple([index for index, several in wanted.items() if several])

    def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
        probes().insert(weaver, probe, slot)

    def record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
        return probes().record(probe, slot, method, descriptor)

    def obstacle(class_name: str) -> tuple[str, str] | None:
        return (reasons.TRACKER, kept) if class_name in BOXES else None

    measure = Measure(
        word=Word(word, subject, clauses_of(probes, examples, take_time), needs="watch", wrong=wrong, about=about),
        kinds={kind: CH_WATCH_SLOTS},
        plan=plan,
        insert=insert,
        lost=lost,
        obstacle=obstacle,
        record=record,
        absent=absent,
        flat=flat,
    )
    return measure


WATCH = place(
    "watch",
    METHODS,
    "watch",
    of_methods,
    lost="not watched",
    kept="its calls are not watched: it keeps the arguments",
    examples=("`arg0 > 100`", "`args, result`"),
    about="single calls with arguments, result or exception, fields, and callers, if a condition is true",
    take_time=True,
    wrong=wrong_rule,
)
WATCH_LINE = place(
    "watch line",
    LINES,
    "watch-line",
    of_lines,
    lost="its lines are not watched",
    kept="its lines are not watched: it keeps the values",
    examples=("`total > 100`", "`total, items.size`"),
    about="the values of local variables at a line",
    absent=absent,
    flat=True,
)
WATCH_WRITES = place(
    "watch writes",
    FIELDS,
    "watch-write",
    of_writes,
    lost="its writes are not watched",
    kept="its writes are not watched: it keeps the values",
    examples=('`value == "PAID"`', "`old, value, object.id, stack 4`"),
    about="which places write a field, and with which values",
)

"""The words that statements begin with, and the clauses that may follow: a table, filled by the measures.

The grammar is generated from it (rules/parse.py); only its measure knows what a clause's value means. This module is
imported inside the JVM and imports next to nothing.
"""

from __future__ import annotations

from classhook.rules.syntax import ImmutableValue, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Final

    Mistaken = tuple[str, str] | tuple[str, str, int]

# The subject of a statement, which follows its word.
METHODS: Final = "methods"  # `a.B::m`
LINES: Final = "source_lines"  # `a.B:12`; written as METHODS, and rules/build.py appends ` line` to the word
FIELDS: Final = "fields"  # `a.B.f in c.D`
TYPES: Final = "types"  # `a.B in c.D`
CALLS: Final = "calls"  # `a.B::m in c.D`
CLASSES: Final = "classes"  # `a.**`
PROCESS: Final = "process"  # nothing: all that runs

#: The kinds of values: by name, a description for users and a regular expression.
VALUES: Final = {
    "FRACTION": ("a fraction (`1/100`)", r"\d+\/\d+"),
    "DURATION": ("a duration (`10ms`)", r"\d+(\.\d+)?(us|ms|s)"),
    "NUMBER": ("a number (`64`)", r"\d+"),
    "SIZE": ("a size (`4KB`)", r"\d+(KB|MB)?"),
    # until the next clause; what it means, its clause's `wrong` says
    "EXPRESSION": (
        "an expression (`arg0 > 100`)",
        r"""(?!\s)("([^"\\\n]|\\.)*"|'([^'\\\n]|\\.)*'|(?!\s+(when|show|over|first|every|mask|slowest|onward|top|by|(not\s+)?below|as)(?=[\s"]|$))[^"'])+""",
    ),
}
SAMPLED: Final = "sampled"  # the clause of rules for which nothing is woven, though they have targets
#: Instead of one of them, for a clause that is a word alone.
NO_VALUE: Final = ""


class Clause(ImmutableValue):
    """A word, or two with a blank between them, and a value of one of VALUES, after a statement's subject; with
    NO_VALUE the word stands for itself. In another measure's statements, the same word may have a value of another
    kind. `wrong` returns what is wrong with a value, what is expected, and perhaps at which of its characters; None if
    it is valid. `instead_of`: clauses that cannot be combined with it; `expects`: the value, in words, if VALUES says
    too little; `about`: what the clause does, in a sentence.
    """

    __slots__ = ("about", "expects", "instead_of", "value", "word", "wrong")

    def __init__(
        self,
        word: str,
        value: str,
        wrong: Callable[[str], Mistaken | None] | None = None,
        instead_of: tuple[str, ...] = (),
        expects: str = "",
        about: str = "",
    ) -> None:
        self.about = about
        self.expects = expects
        self.word = word
        self.value = value
        self.wrong = wrong
        self.instead_of = instead_of

    def _fields(self) -> tuple[object, ...]:
        return (self.instead_of, self.value, self.word)


class Sampler(ImmutableValue):
    """The agent's sampling of the process: `what` it samples, and the fields that native/table/rules_text.h lists for
    it, in that order."""

    __slots__ = ("fields", "what")

    def __init__(self, what: str, **fields: int) -> None:
        self.what = what
        self.fields = tuple(fields.items())

    def _fields(self) -> tuple[object, ...]:
        return (self.fields, self.what)


class Word(ImmutableValue):
    """The first word of a statement, or the first two with a blank between them. `row`: if several words have the same,
    their rules for a method share one row, and the word that comes first decides what is counted. `needs`: what the
    agent has to prepare (native/table/rules_text.h): `time`, `cover`, `watch`, `context`, or nothing. `samples`: the
    sampler that a rule asks for; None: none. `wrong`: what is wrong with a rule whose clauses are valid by themselves:
    the clause's word, empty if a clause is missing, and as `wrong` of a clause. `beside`: further rules that such a
    rule stands for. `rank`: its place in the order of precedence, which instrument/measures gives it. `about`: what a
    rule with it measures, in a sentence, as docs/reference/rules.md has it; empty for one that users do not write.
    """

    __slots__ = ("about", "beside", "clauses", "needs", "rank", "row", "samples", "subject", "text", "wrong")

    def __init__(
        self,
        text: str,
        subject: str,
        clauses: tuple[Clause, ...] = (),
        row: str = "",
        needs: str = "",
        samples: Callable[[Rule], Sampler | None] | None = None,
        wrong: Callable[[Rule], tuple[str, str, str, int] | None] | None = None,
        beside: Callable[[Rule], list[Rule]] | None = None,
        about: str = "",
    ) -> None:
        self.about = about
        self.beside = beside
        self.text = text
        self.subject = subject
        self.clauses = clauses
        self.rank = 0
        self.row = row or text
        self.needs = needs
        self.samples = samples
        self.wrong = wrong

    def _fields(self) -> tuple[object, ...]:
        return (self.clauses, self.needs, self.row, self.subject, self.text)


#: By text; of all measures, or of those that the rules need.
WORDS: Final[dict[str, Word]] = {}


def terminal_of(word: str) -> str:
    """The name of a word in the grammar."""
    return word.upper().replace(" ", "_")


def weaves(rule: Rule) -> bool:
    """True if classes are woven for a rule."""
    return WORDS[rule.kind].subject != PROCESS and not rule.clause(SAMPLED)


def further(rule: Rule) -> list[Rule]:
    """The further rules that a rule stands for."""
    beside = WORDS[rule.kind].beside
    return beside(rule) if beside is not None else []


def needs(rule: Rule) -> list[str]:
    """Names what the agent has to prepare for a rule: as `needs` of Word says, and `watch` for conditions."""
    wanted = (WORDS[rule.kind].needs, "watch" if rule.clause("when") else "")
    return list(dict.fromkeys([need for need in wanted if need]))


def in_order(words: Iterable[Word]) -> list[Word]:
    """Sorts words by precedence."""
    return sorted(words, key=lambda word: word.rank)

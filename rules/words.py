"""The words that statements begin with, and the clauses that may follow: a table, filled by who knows what the words mean.

The grammar is made of it (rules/parse.py); what a clause's value means is the affair of its measure. This module is imported inside
the JVM and imports next to nothing.
"""

from __future__ import annotations

from rules.syntax import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

# What a statement speaks of, behind its word.
METHODS: Final = "methods"  # `a.B::m`
TYPES: Final = "types"  # `a.B in c.D`
CLASSES: Final = "classes"  # `a.**`

#: The kinds of values: a name, in a user's words, as a regular expression.
VALUES: Final = {
    "FRACTION": ("a fraction (`1/100`)", r"\d+\/\d+"),
    "DURATION": ("a duration (`10ms`)", r"\d+(\.\d+)?(us|ms|s)"),
    "PERCENT": ("a percentage (`5%`)", r"\d+(\.\d+)?%"),
}


class Clause(Record):
    """A word and a value of one of VALUES, behind what a statement speaks of. `wrong` says what is wrong with a value and what is
    expected; None where nothing is. `instead_of`: clauses that cannot stand beside it.
    """

    __slots__ = ("instead_of", "value", "word", "wrong")

    def __init__(
        self, word: str, value: str, wrong: Callable[[str], tuple[str, str] | None], instead_of: tuple[str, ...] = ()
    ) -> None:
        self.word = word
        self.value = value
        self.wrong = wrong
        self.instead_of = instead_of

    def _fields(self) -> tuple[object, ...]:
        return (self.instead_of, self.value, self.word)


class Word(Record):
    """What begins a statement. `row`: where several words have the same, a method's rules share one row, and the first word of the table
    that is among them says what is counted. `needs`: letters by which the agent knows what it must prepare (native/classes/filter.c).
    """

    __slots__ = ("clauses", "needs", "row", "subject", "text")

    def __init__(self, text: str, subject: str, clauses: tuple[Clause, ...] = (), row: str = "", needs: str = "") -> None:
        self.text = text
        self.subject = subject
        self.clauses = clauses
        self.row = row or text
        self.needs = needs

    def _fields(self) -> tuple[object, ...]:
        return (self.clauses, self.needs, self.row, self.subject, self.text)


#: By their text, in the order in which they take precedence.
WORDS: Final[dict[str, Word]] = {}

"""The rule `when` beside one with `when CONDITION` or `over DURATION`, for the calls of which that is true."""

from __future__ import annotations

from classhook.base.units import microseconds
from classhook.rules.clause_values import wrong_text
from classhook.rules.syntax import Rule
from classhook.rules.words import NO_VALUE, Clause

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.rules.words import Mistaken

CHOICE: Final = ("when", "over")  # the clauses by which a rule chooses calls
TIMES: Final = "times"  # the clause of a rule `when` beside one that times


def wrong_when(value: str) -> Mistaken | None:
    from classhook.rules.condition_parser import condition

    return wrong_text(condition, value)


def wrong_over(value: str) -> Mistaken | None:
    return None if microseconds(value) <= 3_600_000_000 else ("the limit is too long", "up to `3600s`")


def clauses(about: str, *instead_of: str) -> tuple[Clause, Clause]:
    """The clauses of words that may have them. `about`: what they do with the calls."""
    return (
        Clause("when", "EXPRESSION", wrong_when, instead_of, expects="a condition (`arg0 > 100`)", about=about),
        Clause("over", "DURATION", wrong_over, instead_of, about="also those that took longer"),
    )


def of_rule() -> tuple[Clause, ...]:
    """The clauses of the rule `when`."""
    return (
        *[Clause(word, value) for word, value in (("when", "EXPRESSION"), ("over", "DURATION"), ("of", "EXPRESSION"))],
        Clause(TIMES, NO_VALUE),
    )


def choice(rule: Rule) -> str:
    """The calls that a rule chooses, as reports show it: `when arg0 > 100 over 10ms`; empty: all."""
    return " ".join([f"{word} {rule.clause(word)}" for word in CHOICE if rule.clause(word)])


def beside(rule: Rule) -> list[Rule]:
    """The rule `when` that goes with this one, if it chooses calls."""
    chosen = choice(rule)
    if not chosen:
        return []
    clauses = [(word, rule.clause(word)) for word in (*CHOICE, "of") if rule.clause(word)]
    if rule.kind == "time":
        clauses.append((TIMES, TIMES))
    return [rule.beside("when", f"{chosen} for {rule.text}", tuple(clauses))]

"""Rules that a JVM has taken, but which match none of its loaded classes: only class files say which lines have code,
which local variables are in scope there, and what parameters are called."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from classhook.base.names import printable
from classhook.model.reading.files import read
from classhook.model.unweavable_methods import SEEN, why_not_woven
from classhook.rules.parameters import parameters_of
from classhook.rules.syntax import Rule
from classhook.rules.words import LINES, WORDS, weaves


def some_unmatched(data: Path, rules: Iterable[Rule]) -> bool:
    """True if some rule has matched no method yet. Raises DataError."""
    known = read([data], suggest=False, exact_tree=False).rules
    return any(rule.text in known and not known[rule.text].matched_methods for rule in rules if weaves(rule))


def unmatched_lines(data: Path, rules: Iterable[Rule]) -> dict[str, str]:
    """The mistakes of such rules, by their text. Raises DataError."""
    about = [rule for rule in rules if WORDS[rule.kind].subject == LINES or parameters_of(rule)]
    snapshot = read([data], suggest=False, exact_tree=False) if about else None
    found: dict[str, str] = {}
    for rule in about:
        row = snapshot.rules.get(rule.text) if snapshot is not None else None
        if row is not None and not row.matched_methods and row.unweavable is not None:
            found[rule.text] = f"{printable(rule.text)}\n    {printable(why_not_woven(rule, row.unweavable, SEEN))}"
    return found

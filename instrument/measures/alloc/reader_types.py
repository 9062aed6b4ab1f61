"""Which rules match an allocated type, or the method that a call names, by the supertypes that the JVM saw."""

from __future__ import annotations

from classhook.model.parts import Part
from classhook.model.snapshot import Snapshot
from classhook.rules.ruleset import RuleSet

MOST_COMPARISONS = 1_000_000  # of a rule with a supertype of an allocated type, which take a second or two


class TypeMatches:
    """What was compared. `methods`: rule, class, method and descriptor of those found to match by supertypes; `left`: comparisons."""

    def __init__(self) -> None:
        self.methods: set[tuple[str, str, str, str]] = set()
        self.left = MOST_COMPARISONS
        self._known: dict[tuple[str, str | tuple[str, str, str], frozenset[str]], bool] = {}  # by rule, type or call, and supertypes

    def matches(self, snapshot: Snapshot, text: str, asked: str | tuple[str, str, str], supertypes: frozenset[str]) -> bool:
        """Whether the rule with this text matches a type with these supertypes, or the call of a method whose class has them: class, method,
        descriptor. Raises ValueError after so many comparisons as no program needs."""
        key = (text, asked, supertypes)
        if text not in snapshot.parsed_rules:
            return False
        if key not in self._known:
            self.left -= len(supertypes) + 1
            if self.left < 0:
                raise ValueError("too many supertypes")
            rule = RuleSet([snapshot.parsed_rules[text]])
            self._known[key] = rule.match_type(0, asked, supertypes) if isinstance(asked, str) else rule.match_call(0, *asked, supertypes)
        return self._known[key]


#: Of a snapshot.
TYPE_MATCHES: Part[TypeMatches] = Part(TypeMatches)

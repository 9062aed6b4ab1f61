"""Which rules match an allocated type, by the supertypes that the JVM saw."""

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
        self._known: dict[tuple[str, str, frozenset[str]], bool] = {}  # by rule, type and its supertypes

    def matches(self, snapshot: Snapshot, text: str, type_name: str, supertypes: frozenset[str]) -> bool:
        """Whether the rule with this text matches a type with these supertypes. Raises ValueError after so many comparisons as no program needs."""
        key = (text, type_name, supertypes)
        if text not in snapshot.parsed_rules:
            return False
        if key not in self._known:
            self.left -= len(supertypes) + 1
            if self.left < 0:
                raise ValueError("too many supertypes")
            self._known[key] = RuleSet([snapshot.parsed_rules[text]]).match_type(0, type_name, supertypes)
        return self._known[key]


#: Of a snapshot.
TYPE_MATCHES: Part[TypeMatches] = Part(TypeMatches)

"""Finds the runs that would have seen a method, by their rules: a class that was never loaded has no rows, perhaps for
want of a rule."""

from __future__ import annotations

from collections.abc import Iterable

from classhook.extensions.fleet.dead.observations import Observation, Observed
from classhook.model.call_tree import MethodKey
from classhook.rules.errors import RuleError
from classhook.rules.ruleset import BoundRules, RuleSet
from classhook.rules.words import WORDS

ROWS = ("methods", "cover")  # of words whose rules say whether a method ran


class RunsByRules:
    """The runs of production by what their rules match."""

    def __init__(self, observed: Observed) -> None:
        import classhook.measures.every  # noqa: F401  # registers the words of rules

        self._sets = [(rules_of(texts), runs) for texts, runs in observed.runs[False].items()]
        self._bound: dict[str, list[tuple[BoundRules, Observation]]] = {}

    def runs(self, key: MethodKey, flags: int, annotations: tuple[str, ...], versions: set[str]) -> Observation:
        """The runs whose rules match the method. `versions`: those in which it is known to be; empty if that is
        unknown."""
        if key[0] not in self._bound:
            self._bound[key[0]] = [
                (bound, runs)
                for rules, runs in self._sets
                if (bound := rules.bind(key[0], False, frozenset, frozenset)) is not None
            ]
        found = Observation()
        for bound, runs in self._bound[key[0]]:
            if bound.match_method(flags, key[1], key[2], lambda: frozenset(annotations)) is not None:
                found.add(runs)
        return found if not versions or not found.versions or versions & found.versions else Observation()


def rules_of(texts: Iterable[str]) -> RuleSet:
    """The rules that count or cover methods, whoever calls them."""
    from classhook.rules.parse import parse_text

    found = []
    for text in texts:
        try:
            found += [
                rule
                for rule in parse_text(text, "dataset")
                if WORDS[rule.kind].row in ROWS and not (rule.clause("below") or rule.clause("not below"))
            ]
        except (RuleError, ValueError):
            continue  # of a newer classhook
    return RuleSet(found)

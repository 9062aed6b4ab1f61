"""Finds the classes and methods of a project that a rule matches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from time import monotonic

from classhook.base.readable import Readable
from classhook.checking.class_facts import CODELESS, Classes, ClassFacts, MethodFacts
from classhook.checking.verdicts import named_like, written_like
from classhook.rules.ruleset import JDK_PACKAGES, RuleSet
from classhook.rules.syntax import Rule

PATIENCE = 1.0  # seconds for reading classes; what was read is kept, so more are looked at the next time


@dataclass(slots=True)
class Matches:
    """`shown`: the first methods, at most as many as were asked for; `whole`: whether all classes were looked at."""

    classes: int = 0
    methods: int = 0
    shown: list[str] = field(default_factory=list)
    whole: bool = True


def count(rule: Rule, known: Classes, shown: int) -> Matches:
    """Counts what the rule matches, apart from methods without code."""
    found = Matches()
    until = monotonic() + PATIENCE
    for facts, methods in matched(rule, known):
        with_code = [method for method in methods if not method.flags & CODELESS]
        found.classes += bool(with_code)
        found.methods += len(with_code)
        names = Readable(
            {facts.name: facts.file}, {(facts.name, one.name, one.descriptor): (one.flags, 0) for one in facts.methods}
        )
        found.shown += [
            names.text(facts.name, one.name, one.descriptor) for one in with_code[: shown - len(found.shown)]
        ]
        if monotonic() > until:
            found.whole = False
            break
    return found


def matched(rule: Rule, known: Classes, most: int | None = None) -> Iterator[tuple[ClassFacts, list[MethodFacts]]]:
    """The classes that a rule's places match, in the order of their names, and the methods, which may be none. `most`:
    so many classes are read."""
    rules = RuleSet([rule])
    for name in islice((name for name in _names(rule, known) if rules.for_class(name, _in_jdk(rule, name))), most):
        for facts in known.named(name):
            yield facts, _methods(rules, rule, facts, known)


def _methods(rules: RuleSet, rule: Rule, facts: ClassFacts, known: Classes) -> list[MethodFacts]:
    """The methods of the class that the rule matches."""
    bound = rules.bind(
        facts.name,
        _in_jdk(rule, facts.name),
        partial(above, facts, known),
        lambda: facts.annotations,
        facts.source,
        facts.written,
    )
    if bound is None:
        return []
    return [
        one
        for one in facts.methods
        if bound.match_method(one.flags, one.name, one.descriptor, partial(facts.annotations_of, one))
    ]


def above(facts: ClassFacts, known: Classes) -> frozenset[str]:
    """The supertypes that are known."""
    found: set[str] = set()
    left = [facts]
    while left:
        one = left.pop()
        for name in filter(None, [one.super_name, *one.interfaces]):
            if name not in found:
                found.add(name)
                left += known.named(name)[:1]
    return frozenset(found)


def _names(rule: Rule, known: Classes) -> list[str]:
    names: set[str] = set()
    for target in rule.targets:
        pattern = target.class_pattern
        names |= known.names() if pattern.subtypes else named_like(target, known)
        names |= written_like(target, known)
        if "*" not in pattern.glob and known.named(pattern.glob):
            names.add(pattern.glob)  # also one of the JDK's
    return sorted(names)


def _in_jdk(rule: Rule, name: str) -> bool:
    return name.startswith(JDK_PACKAGES) or any(target.class_pattern.jdk for target in rule.targets)

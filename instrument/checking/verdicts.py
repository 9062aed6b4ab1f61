"""Decides whether a rule can match, and be true, among the known classes.

1. By the names of classes: if none matches, the nearest one is named. A JVM may load it later, so the rule may still
   match.
2. By the members of the classes that match, unless they are too many: a method that is not there, has no code, or lacks
   an annotation or a modifier.
3. By the types of the values that the rule names (instrument/checking/paths.py). Only the weaver knows the names at
   lines.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from classhook.base.names import method_text
from classhook.checking.class_facts import Classes, ClassFacts, MethodFacts
from classhook.checking.named_members import methods_of, no_field, no_method
from classhook.checking.paths import PathChecks
from classhook.model.unweavable_methods import UnweavableMethod, why_not_woven
from classhook.rules.patterns import compile_glob, result_type
from classhook.rules.readable_patterns import may_be_renamed, other_globs, owners
from classhook.rules.ruleset import BoundRules, RuleSet
from classhook.rules.suggest import nearest, nearest_method, nearest_name
from classhook.rules.syntax import MethodPattern, Rule, Target
from classhook.rules.targets import CompiledTarget
from classhook.rules.words import CALLS, FIELDS, LINES, TYPES, WORDS, weaves

MOST_CLASSES = 50  # whose methods are written otherwise


@dataclass(slots=True)
class Verdict:
    """`never`: the rule names known classes, but matches none of their methods, or is never true there; `waits`: it
    matches none of the known classes, but may match others; `nearest`: what it may have meant, in the form of a rule;
    `why`: what is wrong, a sentence each."""

    never: bool = False
    waits: bool = False
    nearest: str = ""
    why: list[str] = field(default_factory=list)

    @property
    def lines(self) -> list[str]:
        return list(dict.fromkeys(self.why)) + ([f"did you mean {self.nearest}?"] if self.nearest else [])


def judge(rule: Rule, classes: Classes) -> Verdict:
    """Looks at a rule that is not in force yet."""
    if not weaves(rule):
        return Verdict()
    named = {FIELDS: no_field, CALLS: no_method}.get(WORDS[rule.kind].subject)
    if named is not None:
        why = [text for target in rule.called if (text := named(target, classes))]
        if why or WORDS[rule.kind].subject == FIELDS:
            return Verdict(never=len(why) == len(rule.called), why=why)
    targets = [(target, CompiledTarget(target, everywhere=False)) for target in rule.targets]
    matched = sorted(
        {name for target, one in targets for name in named_like(target, classes) if _could_match(one, name)}
    )
    written = _written(rule, classes)
    if not matched:
        # a class that cannot be enumerated, such as one of the JDK's, has an exact name
        exact = [target.class_pattern.glob for target in rule.targets if "*" not in target.class_pattern.glob]
        matched = [name for name in exact if classes.named(name)]
    if not matched and not written:
        return Verdict(waits=True, nearest=nearest(rule, with_owners(classes.names())) or "")
    open_ended = any(target.class_pattern.subtypes for target in rule.targets)
    if WORDS[rule.kind].subject in (TYPES, LINES) or open_ended or len(matched) > classes.most_looked_at:
        return Verdict()
    verdict = _Members(rule, classes, [facts for name in matched for facts in classes.named(name)] + written).verdict()
    if verdict.never and not written and not {target.class_pattern.glob for target in rule.targets} <= {*matched}:
        verdict.never, verdict.waits = False, True
    return verdict


def _written(rule: Rule, classes: Classes) -> list[ClassFacts]:
    """The classes of other names whose methods their language gives a class that the rule names: Kotlin's companions,
    and the like."""
    names = sorted({name for target in rule.targets for name in written_like(target, classes)})
    return [facts for name in names[:MOST_CLASSES] for facts in classes.named(name) if facts.written() is not None]


def written_like(target: Target, classes: Classes) -> set[str]:
    """The names of classes whose methods their language may give one that the target names."""
    others = [compile_glob(glob) for glob in other_globs(target)]
    there = classes.names() if others else ()
    return {name for name in there if may_be_renamed(name) and any(matches(name) for matches in others)}


def with_owners(names: AbstractSet[str]) -> set[str]:
    """Adds the classes, packages and namespaces that users may name instead."""
    others = {owner for name in names if may_be_renamed(name) for owner in owners(name)}
    return {*names, *(owner for owner in others if owner.replace("-", "_") not in names)}


def named_like(target: Target, classes: Classes) -> AbstractSet[str]:
    """The names that are worth comparing with a target's pattern: one, if that is an exact name."""
    glob = target.class_pattern.glob
    return classes.names() if "*" in glob else classes.names() & {glob}


def _could_match(target: CompiledTarget, name: str) -> bool:
    """True if the target could match; with subtypes: if it names the supertype."""
    return target.name(name) and (target.could_match(name, False) or target.could_match(name, True))


class _Members:
    """A rule, and all classes that it matches by their names."""

    def __init__(self, rule: Rule, classes: Classes, matched: list[ClassFacts]) -> None:
        self.rule = rule
        self.classes = classes
        self.matched = matched
        self.paths = PathChecks(rule, classes)
        self.unweavable: UnweavableMethod | None = None
        self.unfit: list[str] = []  # of methods that the rule names, and not by a wildcard
        self.others: list[str] = []  # of other methods

    def verdict(self) -> Verdict:
        sources = self.rule.sources if self.classes.sources_known else ()
        alone = RuleSet([_with(self.rule, sources=sources)])
        fits, unknown = False, False
        for facts in self.matched:
            bound = self._bound(alone, facts)
            unknown |= not facts.whole
            for method in facts.methods if bound is not None else ():
                if bound is not None and bound.match_method(
                    method.flags, method.name, method.descriptor, _once(facts.annotations_of(method))
                ):
                    fits |= self._method(facts, method)
        if fits or unknown:
            return Verdict(why=self.unfit)
        return self._never(sources)

    def _bound(self, rules: RuleSet, facts: ClassFacts) -> BoundRules | None:
        # what the target says of the JDK's classes was compared with the name
        in_jdk = any(target.class_pattern.jdk for target in self.rule.targets)
        above = frozenset([facts.super_name, *facts.interfaces])
        return rules.bind(facts.name, in_jdk, _once(above), _once(facts.annotations), facts.source, facts.written)

    def _method(self, facts: ClassFacts, method: MethodFacts) -> bool:
        """True if the rule can be true of a method that it matches."""
        if method.without_code:
            self.unweavable = self.unweavable or UnweavableMethod(
                facts.name, method.name, method.descriptor, method.without_code
            )
            return False
        wrong, not_shown = self.paths.wrong(facts, method)
        named = any(target.method is not None and target.method.glob == method.name for target in self.rule.targets)
        texts = self.unfit if named else self.others
        texts += [*wrong, *not_shown]
        return not wrong

    def _never(self, sources: tuple[str, ...]) -> Verdict:
        if self.unfit or self.others:
            return Verdict(never=True, why=self.unfit or self.others)
        if self.unweavable is not None:
            return Verdict(never=True, why=[why_not_woven(self.rule, self.unweavable, self.classes.seen)])
        named = [(facts.name, method.name, method.descriptor) for facts in self.matched for method in facts.methods]
        named += [method for facts in self.matched for method in facts.written_methods()]
        for target in self.rule.targets:
            if target.method is not None and (found := nearest_method(target.method, named)):
                return Verdict(never=True, nearest=found)
        for lacking in (self._annotation, self._modifier, self._result):
            for target in self.rule.targets:
                verdict = lacking(target)
                if verdict is not None:
                    return verdict
        if sources:
            there = ", ".join(sorted({facts.source for facts in self.matched})[:3])
            return Verdict(never=True, why=[f"`from {', '.join(sources)}`: the classes come from {there}"])
        return Verdict(never=True, why=[methods_of(facts) for facts in self.matched[:1]])

    def _annotation(self, target: Target) -> Verdict | None:
        """A suggestion for an annotation that nothing has."""
        of_classes = {name for facts in self.matched for name in facts.annotations}
        of_methods = {
            name for facts in self.matched for method in facts.methods for name in facts.annotations_of(method)
        }
        method = target.method.annotations if target.method is not None else ()
        for globs, there, owner in ((target.class_annotations, of_classes, "class"), (method, of_methods, "method")):
            for glob in globs:
                bare = CompiledTarget(
                    Target(target.class_pattern, None, (), (glob,)), everywhere=True
                ).class_annotations
                if bare is None or bare(there):
                    continue
                found = nearest_name(glob, there if "." in glob else {name.rpartition(".")[2] for name in there})
                return Verdict(
                    never=True,
                    nearest=f"@{found}" if found else "",
                    why=[f"no {owner} that the rule names has the annotation @{glob}"],
                )
        return None

    def _modifier(self, target: Target) -> Verdict | None:
        """A method that only lacks a modifier."""
        found = (
            self._first(Target(target.class_pattern, target.method, (), target.class_annotations))
            if target.modifiers
            else None
        )
        if found is None:
            return None
        written = " ".join(("!" if negated else "") + word for negated, word in target.modifiers)
        return Verdict(
            never=True, why=[f"`{written}`: {method_text(*found)} is not {written.replace('!', 'without ')}"]
        )

    def _result(self, target: Target) -> Verdict | None:
        """A method that only has another result."""
        method = target.method
        if method is None or not method.returns:
            return None
        any_result = MethodPattern(method.glob, method.annotations, method.parameters)
        found = self._first(Target(target.class_pattern, any_result, target.modifiers, target.class_annotations))
        if found is None:
            return None
        return Verdict(never=True, why=[f"`: {method.returns}`: {method_text(*found)} returns {result_type(found[2])}"])

    def _first(self, target: Target) -> tuple[str, str, str] | None:
        """The first method that this target matches: class, name, descriptor."""
        alone = RuleSet([_with(self.rule, targets=(target,), sources=())])
        for facts in self.matched:
            bound = self._bound(alone, facts)
            for method in facts.methods if bound is not None else ():
                if bound is not None and bound.match_method(
                    method.flags, method.name, method.descriptor, _once(facts.annotations_of(method))
                ):
                    return facts.name, method.name, method.descriptor
        return None


def _once(names: frozenset[str]) -> Callable[[], frozenset[str]]:
    return lambda: names


def _with(rule: Rule, targets: tuple[Target, ...] | None = None, sources: tuple[str, ...] = ()) -> Rule:
    targets = rule.targets if targets is None else targets
    return Rule(
        rule.kind,
        rule.text,
        rule.origin,
        rule.line,
        rule.name,
        targets,
        rule.types,
        rule.excepts,
        rule.clauses,
        sources,
        rule.called,
    )

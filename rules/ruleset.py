"""Matches a set of rules with a class, its methods and the types that it allocates.

1. `for_class` finds the rules that could match the class by its name; most classes have none.
2. `bind` decides for the class, asking for supertypes and annotations only if a remaining rule needs them.
3. `BoundRules.match_method` decides for each method. One of the words that share a row decides what is counted
   (rules/words.py).
4. `match_type` decides for each allocated type, by its name.

This module is imported inside the JVM and imports next to nothing.
"""

from __future__ import annotations

from classhook.rules.patterns import compile_glob, compile_source, compile_type
from classhook.rules.syntax import PRIMITIVES, ImmutableValue, Rule, TypePattern
from classhook.rules.targets import ClassContext, CompiledCallee, CompiledTarget, MethodContext, unwritten
from classhook.rules.words import WORDS, in_order

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from classhook.rules.targets import Names, Writing


#: The JDK's own classes: those in modules or packages with these prefixes (before JDK 18, generated accessors of
#: reflection are in no named module). native/classes/filter.c has the same four prefixes.
JDK_MODULES = ("java.", "jdk.")
JDK_PACKAGES = ("java.", "jdk.internal.")


class MethodMatch(ImmutableValue):
    """The rules and measures of a method: `rules`: indices of the matching rules, ascending; `wanted`: pairs of a word,
    whose measure is needed, and the rules of its row, in the order of the words.
    """

    __slots__ = ("rules", "wanted")

    def __init__(self, rules: tuple[int, ...], wanted: tuple[tuple[str, tuple[int, ...]], ...]) -> None:
        self.rules = rules
        self.wanted = wanted

    def _fields(self) -> tuple[object, ...]:
        return (self.rules, self.wanted)


class RuleSet:
    """Rules in the order of their files; a rule is identified by its index in `rules`. `contexts`: whether some tell
    contexts apart."""

    __slots__ = ("_compiled", "_matches", "contexts", "rules")

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self.contexts = any([WORDS[rule.kind].needs == "context" for rule in self.rules])
        self._compiled = tuple(map(_CompiledRule, self.rules))
        self._matches: dict[tuple[int, ...], MethodMatch] = {}

    def __len__(self) -> int:
        return len(self.rules)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RuleSet) and self.rules == other.rules

    def __hash__(self) -> int:
        return hash(self.rules)

    def for_class(self, name: str, in_jdk: bool) -> list[int]:
        """Returns the rules that could match the class, judged by its dotted name."""
        return [index for index, rule in enumerate(self._compiled) if rule.could_match(name, in_jdk)]

    def bind(
        self,
        name: str,
        in_jdk: bool,
        supertypes: Names,
        class_annotations: Names,
        source: str = "",
        writing: Writing = unwritten,
    ) -> BoundRules | None:
        """Returns the rules for the class, or None if none matches. `source`: the jar or directory that it comes from;
        empty if unknown.

        `name` is dotted. `in_jdk`: its module belongs to the JDK. `supertypes` (all that are known) and
        `class_annotations` return dotted names; each is called at most once, and only if a rule depends on it; so is
        `writing`, which returns how the class's methods are written in its language.
        """
        in_jdk = in_jdk or name.startswith(JDK_PACKAGES)
        candidates = self.for_class(name, in_jdk)
        if not candidates:
            return None
        context = ClassContext(name, in_jdk, supertypes, class_annotations, writing)
        bound = [entry for index in candidates for entry in self._compiled[index].bind(index, context, source)]
        return BoundRules(self, bound, context) if bound else None

    def match_type(self, rule_index: int, type_name: str, supertypes: Iterable[str] = ()) -> bool:
        """Returns whether a rule matches the type, in the form `java.util.HashMap` or `byte[][]`. `supertypes`: those
        of its class, or of the element's, as far as they are known."""
        rule = self._compiled[rule_index]
        return any([matches(type_name) for matches in rule.types]) or any(
            [matches(type_name, supertypes) for matches in rule.families]
        )

    def may_match_type(self, rule_index: int, type_name: str) -> bool:
        """Returns whether a rule would match the type if its class had the right supertypes."""
        return any([is_array_of(type_name, dimensions) for dimensions in self._compiled[rule_index].dimensions])

    def match_call(
        self, rule_index: int, owner: str, name: str, descriptor: str, supertypes: Iterable[str] = ()
    ) -> bool:
        """Returns whether a rule matches a call of this method, as the call instruction names it. `owner`: dotted, or
        an array's type; `supertypes`: those of the owner, as far as they are known."""
        called = self._compiled[rule_index].called
        return any([one.matches_method(name, descriptor) and one.matches_class(owner, supertypes) for one in called])

    def may_match_call(self, rule_index: int, owner: str, name: str, descriptor: str) -> bool:
        """Returns whether a rule would match the call if its owner had the right supertypes."""
        called = self._compiled[rule_index].called
        return any(
            [one.subtypes and not owner.endswith("]") and one.matches_method(name, descriptor) for one in called]
        )

    def method_match(self, matched: tuple[int, ...]) -> MethodMatch:
        """Returns what to do with a method that these rules match (ascending)."""
        known = self._matches.get(matched)
        if known is None:
            rows: dict[str, list[int]] = {}
            for index in matched:
                rows.setdefault(WORDS[self.rules[index].kind].row, []).append(index)
            wanted = []
            for word in in_order({WORDS[self.rules[index].kind] for index in matched}):
                if word.row in rows:
                    wanted.append((word.text, tuple(rows.pop(word.row))))
            known = self._matches[matched] = MethodMatch(matched, tuple(wanted))
        return known


class BoundRules:
    """The rules that match one class: `rules`: their indices, ascending; `every`: the match of every method, if the
    rules have no condition on methods."""

    __slots__ = ("_entries", "_ruleset", "_written", "every", "rules")

    def __init__(self, ruleset: RuleSet, entries: list[_BoundRule], context: ClassContext) -> None:
        self._ruleset = ruleset
        self._entries = entries
        self.rules = tuple([entry.index for entry in entries])
        self.every = ruleset.method_match(self.rules) if all([entry.any_method for entry in entries]) else None
        self._written = context.written() if self.every is None else None

    def match_method(self, access_flags: int, name: str, descriptor: str, annotations: Names) -> MethodMatch | None:
        """Returns what to do with a method of the class, None if nothing.

        `access_flags` and `descriptor` are as in the class file (JVMS 4.6, 4.3.3); `annotations` returns dotted names
        and is called at most once, and only if a rule depends on it.
        """
        method = MethodContext(access_flags, name, descriptor, annotations, self._written)
        matched = tuple([entry.index for entry in self._entries if entry.matches(method)])
        return self._ruleset.method_match(matched) if matched else None


def is_array_of(type_name: str, dimensions: int) -> bool:
    """True if the type is a class (0), or an array of so many dimensions whose element is one."""
    element = type_name.removesuffix("[]" * dimensions)
    return len(element) + 2 * dimensions == len(type_name) and not element.endswith("]") and element not in PRIMITIVES


def _family(pattern: TypePattern) -> Callable[[str, Iterable[str]], bool]:
    """The function that says whether a type is matched by its supertypes."""
    dimensions, matches = pattern.dimensions, compile_glob(pattern.glob)
    return lambda type_name, supertypes: (
        is_array_of(type_name, dimensions) and any([matches(name) for name in supertypes])
    )


class _CompiledRule:
    __slots__ = ("called", "class_excepts", "dimensions", "families", "method_excepts", "sources", "targets", "types")

    def __init__(self, rule: Rule) -> None:
        # Exceptions only narrow, so they apply to the JDK even with a leading wildcard.
        excepts = [CompiledTarget(target, everywhere=True) for target in rule.excepts]
        self.targets = [CompiledTarget(target, everywhere=False) for target in rule.targets]
        self.class_excepts = [target for target in excepts if target.whole_class]
        self.method_excepts = [target for target in excepts if not target.whole_class]
        self.sources = [compile_source(source) for source in rule.sources]
        self.types = [compile_type(f"{pattern.glob}{'[]' * pattern.dimensions}") for pattern in rule.types]
        self.families = [_family(pattern) for pattern in rule.types if pattern.subtypes]
        self.called = [CompiledCallee(target) for target in rule.called]
        self.dimensions = [pattern.dimensions for pattern in rule.types if pattern.subtypes]

    def could_match(self, name: str, in_jdk: bool) -> bool:
        # Not any(): this runs for every rule and class, and a generator costs more than most checks.
        for target in self.targets:  # noqa: SIM110
            if target.could_match(name, in_jdk):
                return True
        return False

    def bind(self, index: int, context: ClassContext, source: str) -> Iterator[_BoundRule]:
        """Yields the rule narrowed to the class, or nothing."""
        if self.sources and not any([matches(source) for matches in self.sources]):
            return
        targets = [(target, target.matches_name(context)) for target in self.targets if target.matches_class(context)]
        if targets and not any(target.matches_class(context) for target in self.class_excepts):
            yield _BoundRule(
                index, targets, [(t, t.matches_name(context)) for t in self.method_excepts if t.matches_class(context)]
            )


class _BoundRule:
    __slots__ = ("any_method", "excepts", "index", "targets")

    def __init__(
        self, index: int, targets: list[tuple[CompiledTarget, bool]], excepts: list[tuple[CompiledTarget, bool]]
    ) -> None:
        self.index = index
        self.targets = targets
        self.excepts = excepts
        self.any_method = not excepts and any([target.any_method and by_name for target, by_name in targets])

    def matches(self, method: MethodContext) -> bool:
        if not any([target.matches_method(method, by_name) for target, by_name in self.targets]):
            return False
        return not any([target.matches_method(method, by_name) for target, by_name in self.excepts])

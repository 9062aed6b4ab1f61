"""Finds the methods of never loaded classes that `cover` rules match: those that an `except` leaves out do not count.

1. Each method is matched with the rules, and with the rules without their `except`; what only the latter match was left
   out.
2. A rule's jar (`@`) is not looked at: class files that are built may lie elsewhere. Only the supertypes that the class
file names are known, so with a rule about subtypes it is unknown whether one covers a class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from classhook.classfile.reader import ClassFile, Method
from classhook.coverage.placement import OUT
from classhook.rules.languages.written import Written, written
from classhook.rules.ruleset import RuleSet
from classhook.rules.syntax import Rule


class CoverRules:
    """The methods that `cover` rules match; all methods if there is no such rule."""

    def __init__(self, rules: Iterable[Rule] = ()) -> None:
        cover = [rule for rule in rules if rule.kind == "cover"]
        self._rules = RuleSet([_relaxed(rule) for rule in cover])
        self._without_except = RuleSet([_relaxed(rule, with_except=False) for rule in cover])
        self._narrowed = any(rule.excepts for rule in cover)
        self._sure = bool(cover) and not any(target.class_pattern.subtypes for rule in cover for target in rule.targets)

    def left_out(self, data: bytes) -> tuple[dict[int, int] | None, bool]:
        """The result for a class file: the numbers of the methods that are left out with the level OUT, None if the
        class is; whether no rule covers it."""
        if not self._narrowed and not self._sure:
            return {}, False
        cf = ClassFile.parse(data)
        covered = _methods(cf, self._rules)
        left = _methods(cf, self._without_except) - covered if self._narrowed else set[int]()
        if left and not covered:
            return None, False
        return dict.fromkeys(sorted(left), OUT), self._sure and not covered


def _relaxed(rule: Rule, with_except: bool = True) -> Rule:
    """The rule for class files from anywhere."""
    return Rule(
        rule.kind, rule.text, rule.origin, rule.line, targets=rule.targets, excepts=rule.excepts if with_except else ()
    )


def _methods(cf: ClassFile, rules: RuleSet) -> set[int]:
    """The numbers of the methods with code that these rules match."""
    supertypes = frozenset(name.replace("/", ".") for name in [cf.super_name, *cf.interface_names] if name)
    name = cf.name.replace("/", ".")

    def writing() -> Written | None:
        return written(cf.source_file, name, lambda: [(method.name, method.descriptor) for method in cf.methods])

    bound = rules.bind(name, False, lambda: supertypes, _annotations(cf), writing=writing)
    if bound is None:
        return set()
    found = set()
    for number, method in enumerate(cf.methods):
        if method.code_at and (
            bound.every or bound.match_method(method.access_flags, method.name, method.descriptor, _annotations(method))
        ):
            found.add(number)
    return found


def _annotations(owner: ClassFile | Method) -> Callable[[], frozenset[str]]:
    return lambda: frozenset(owner.annotations())

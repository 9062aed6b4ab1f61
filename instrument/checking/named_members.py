"""The fields and methods that rules about accesses and calls name, in a class that is known and its supertypes."""

from __future__ import annotations

from classhook.checking.class_facts import Classes, ClassFacts
from classhook.rules.suggest import nearest_method, nearest_name
from classhook.rules.syntax import Target
from classhook.rules.targets import CompiledCallee

MOST_LISTED = 12  # methods or fields
MOST_CLASSES = 50  # in a line of superclasses


def no_field(target: Target, classes: Classes) -> str:
    """The message that a known class and its superclasses lack a field; empty if they have it, or may have it."""
    owner, name = target.class_pattern.glob, target.method.glob if target.method is not None else "*"
    found = classes.named(owner)
    if "*" in name or not found or not all(facts.whole for facts in found):
        return ""
    there = sorted({field for facts in found for field in facts.fields})
    if name in there:
        return ""
    by = next((above for facts in found for above in _above(facts, classes) if name in above.fields), None)
    if by is not None:
        return f"`{owner}.{name}`: the field is declared by {by.name}; write `{by.name}.{name}`"
    more = f", and {len(there) - MOST_LISTED} more" if len(there) > MOST_LISTED else ""
    close = nearest_name(name, there)
    hint = f"; did you mean `{owner}.{close}`?" if close else ""
    listed = f"its fields: {', '.join(there[:MOST_LISTED]) or 'none'}{more}"
    return f"`{owner}.{name}`: {owner} has no field {name}; {listed}{hint}"


def no_method(target: Target, classes: Classes) -> str:
    """The message that a known class and its supertypes lack a method that a rule about calls names; empty if they
    have it, or may have it."""
    owner, method = target.class_pattern.glob, target.method
    found = classes.named(owner)
    if method is None or target.class_pattern.subtypes or not found:
        return ""
    every = _with_supertypes(found, classes)
    if not all(facts.whole for facts in every):
        return ""
    there = [(owner, one.name, one.descriptor) for facts in every for one in facts.methods]
    alone = CompiledCallee(target)
    if any(alone.matches_method(name, descriptor) for _, name, descriptor in there):
        return ""
    close = nearest_method(method, there)
    hint = f"; did you mean `{close}`?" if close else f"; {methods_of(found[0])}"
    return f"`{owner}::{method.glob}`: {owner} has no such method{hint}"


def _with_supertypes(found: list[ClassFacts], classes: Classes) -> list[ClassFacts]:
    """The classes and their supertypes; one of those that are not known is not whole."""
    every = {facts.name: facts for facts in found}
    left = list(found)
    while left:
        facts = left.pop()
        for name in filter(None, [facts.super_name, *facts.interfaces]):
            if name not in every:
                above = next(iter(classes.named(name)), ClassFacts(name, whole=False))
                every[name] = above
                left.append(above)
    return list(every.values())


def _above(facts: ClassFacts, classes: Classes) -> list[ClassFacts]:
    """The superclasses that are known."""
    found: list[ClassFacts] = []
    while facts.super_name and len(found) < MOST_CLASSES and (next_ := classes.named(facts.super_name)):
        facts = next_[0]
        found.append(facts)
    return found


def methods_of(facts: ClassFacts) -> str:
    """The methods that a class has."""
    names = sorted({method.name for method in facts.methods if "<" not in method.name})
    more = f", and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    return f"the methods of {facts.name}: {', '.join(names[:MOST_LISTED]) or 'none'}{more}"

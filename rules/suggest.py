"""Finds suggestions for a rule that matched nothing. Never imported inside the JVM.

1. A class with the same simple name in another package, nested differently, or in another case.
2. A name, or for `com.amce.**` a package, with a similar spelling.
3. If the class exists, its method with the same name and other parameters, or with a similar name.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches

from classhook.rules.patterns import compile_glob, compile_method_name, parameter_types
from classhook.rules.syntax import ClassPattern, MethodPattern, Rule

# (dotted class name, method name, descriptor)
Method = tuple[str, str, str]

LONGEST = 500  # characters: comparing long names takes long, and nobody types them


def nearest(rule: Rule, class_names: Iterable[str], methods: Iterable[Method] = ()) -> str | None:
    """Returns what a target of the rule probably meant, in the form of a rule; None if nothing is close.

    `class_names`: the dotted names seen; `methods`: those of the classes that the rule matches, if any.
    """
    for target in rule.targets:
        own = [method for method in methods if _matches_class(target.class_pattern, method[0])]
        if target.method is not None and own:
            found = nearest_method(target.method, own)
            if found is not None:
                return found
    names = list(class_names)
    for target in rule.targets if names else ():
        if not any(_matches_class(target.class_pattern, name) for name in names):
            close = nearest_class(target.class_pattern.glob, names)
            if close is not None:
                return close
    return None


def nearest_type(rule: Rule, class_names: Iterable[str]) -> str | None:
    """Returns the class name that is nearest to a type that the rule spells out; None if nothing is close."""
    names = list(class_names)
    close = (nearest_class(pattern.glob, names) for pattern in rule.types if "*" not in pattern.glob)
    return next((name for name in close if name is not None), None)


def nearest_class(glob: str, class_names: Iterable[str]) -> str | None:
    """Returns the class name, or the pattern with a corrected package, that is nearest to a dotted glob."""
    names = sorted({name for name in class_names if len(name) <= LONGEST})
    head, rest = _literal_head(glob)
    if not head or len(head) > LONGEST:
        return None
    if not rest:
        alike = [name for name in names if _simple(name) == _simple(head) and name != head]
        if alike:
            return max(alike, key=lambda name: SequenceMatcher(None, name, head).ratio())
    segments = head.count(".") + 1
    heads = {".".join(name.split(".")[:segments]) for name in names}
    if head in heads:
        return None
    close = get_close_matches(head, sorted(heads), n=1, cutoff=0.75)
    return close[0] + rest if close else None


def nearest_name(name: str, names: Iterable[str]) -> str | None:
    """Returns the name that is spelt most like this one, or differs from it in case."""
    names = sorted({one for one in names if len(one) <= LONGEST})
    same = [one for one in names if one.lower() == name.lower()]
    return next(iter(same or get_close_matches(name[:LONGEST], names, n=1, cutoff=0.75)), None)


def nearest_method(pattern: MethodPattern, methods: Iterable[Method]) -> str | None:
    """Returns the method nearest to a pattern, as `Class::name`, with parameters if the pattern has some."""
    methods = sorted({method for method in methods if len(method[1]) + len(method[2]) <= LONGEST})
    matches = compile_method_name(pattern.glob)
    named = [method for method in methods if matches(method[1])]
    if not named:
        close = get_close_matches(pattern.glob[:LONGEST], {name for _, name, _ in methods}, n=1)
        named = [method for method in methods if method[1] in close]
    elif pattern.parameters is None:
        return None  # the name is right: an annotation or a modifier does not match
    if not named:
        return None
    if pattern.parameters is None:
        return f"{named[0][0]}::{_spelt(named[0][1])}"
    wanted = ", ".join(pattern.parameters)[:LONGEST]
    written = [
        (class_name, name, ", ".join(parameter_types(descriptor) or ())) for class_name, name, descriptor in named
    ]
    best = max(written, key=lambda method: SequenceMatcher(None, method[2], wanted).ratio())
    return f"{best[0]}::{_spelt(best[1])}({best[2]})"


def _spelt(name: str) -> str:
    """A method's name as rules have it: in backquotes if it has other characters than a word."""
    return name if all(c.isalnum() or c in "_$-<>." for c in name) else f"`{name}`"


def _matches_class(pattern: ClassPattern, name: str) -> bool:
    return pattern.subtypes or compile_glob(pattern.glob)(name)


def _literal_head(glob: str) -> tuple[str, str]:
    """Returns the segments before the first with a wildcard, and the rest with its dot."""
    segments = glob.split(".")
    count = next((index for index, segment in enumerate(segments) if "*" in segment), len(segments))
    head = ".".join(segments[:count])
    return head, glob[len(head) :]


def _simple(name: str) -> str:
    return name.replace("$", ".").rpartition(".")[2].lower()

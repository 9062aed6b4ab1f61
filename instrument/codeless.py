"""Abstract and native methods that a rule matches: there is no code to instrument. What the user is told of a rule that matches no others."""

from __future__ import annotations

from typing import NamedTuple

from instrument.names import method_label
from rules.patterns import compile_glob
from rules.syntax import Rule

NATIVE = "native"
ABSTRACT = "abstract"
SEEN = "were not loaded"  # in a JVM


class Codeless(NamedTuple):
    """A method without code; `why`: ABSTRACT or NATIVE."""

    class_name: str
    method: str
    descriptor: str
    why: str


def why_not_woven(rule: Rule, one: Codeless, seen: str) -> str:
    """Why this method, which the rule matches, cannot be instrumented, and what rule reaches the code behind it. `seen`: how classes came to be
    known."""
    label = method_label(one.class_name, one.method, one.descriptor)
    if one.why == NATIVE:
        return f"{label} is native: it has no bytecode to instrument; match its callers instead"
    target = next((target for target in rule.targets if compile_glob(target.class_pattern.glob)(one.class_name)), rule.targets[0])
    if target.class_pattern.subtypes:
        return f"{label} is abstract: the classes that implement it {seen}"
    method = target.method.glob if target.method is not None else "*"
    return f"{label} is abstract: it has no code; '{one.class_name}+::{method}' matches the methods that implement it"

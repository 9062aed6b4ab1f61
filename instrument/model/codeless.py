"""Methods that a rule matches but cannot instrument: they have no code, or the rule does not fit them. What the user is told of a rule that matches
no others."""

from __future__ import annotations

from typing import NamedTuple

from classhook.names import method_label
from classhook.rules.patterns import compile_glob
from classhook.rules.syntax import Rule

NATIVE = "native"
ABSTRACT = "abstract"
SEEN = "were not loaded"  # in a JVM


class Codeless(NamedTuple):
    """Such a method; `why`: ABSTRACT, NATIVE, or why the rule does not fit it."""

    class_name: str
    method: str
    descriptor: str
    why: str


def matched(one: Codeless) -> str:
    """What a rule matched that matched only such methods."""
    return "only methods without code" if one.why in (ABSTRACT, NATIVE) else "only methods that it does not fit"


def why_not_woven(rule: Rule, one: Codeless, seen: str) -> str:
    """Why this method, which the rule matches, cannot be instrumented, and what rule reaches the code behind it. `seen`: how classes came to be
    known."""
    if one.why not in (ABSTRACT, NATIVE):
        return one.why
    label = method_label(one.class_name, one.method, one.descriptor)
    if one.why == NATIVE:
        return f"{label} is native: it has no bytecode to instrument; match its callers instead"
    target = next((target for target in rule.targets if compile_glob(target.class_pattern.glob)(one.class_name)), rule.targets[0])
    if target.class_pattern.subtypes:
        return f"{label} is abstract: the classes that implement it {seen}"
    method = target.method.glob if target.method is not None else "*"
    return f"{label} is abstract: it has no code; '{one.class_name}+::{method}' matches the methods that implement it"

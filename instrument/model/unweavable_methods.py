"""Methods that a rule matches but cannot instrument: they have no code, or the rule does not fit them. Messages about a
rule that matches no others."""

from __future__ import annotations

from typing import NamedTuple

from classhook.base.names import method_text
from classhook.rules.patterns import compile_glob
from classhook.rules.syntax import Rule

NATIVE = "native"
ABSTRACT = "abstract"
SEEN = "were not loaded"  # in a JVM
NO_LINE = "no-line "  # of a class: classhook.measures.lines.absent


class UnweavableMethod(NamedTuple):
    """A method that cannot be instrumented; `why`: ABSTRACT, NATIVE, or why the rule does not fit it. Without a method:
    a class that has none of the lines that the rule names; `why`: NO_LINE and the lines next to them."""

    class_name: str
    method: str
    descriptor: str
    why: str


def nearer(one: UnweavableMethod | None, other: UnweavableMethod) -> UnweavableMethod:
    """The message for a rule with both: of a class and its nested ones, the nearest lines."""
    if one is None or not (one.why.startswith(NO_LINE) and other.why.startswith(NO_LINE)):
        return (
            one if one is not None and other.why.startswith(NO_LINE) else other
        )  # the line has code, where the rule does not fit
    (_, lines, below, above), (_, _, other_below, other_above) = one.why.split(" "), other.why.split(" ")
    after = min((number for number in (int(above), int(other_above)) if number), default=0)
    outer = min(one.class_name, other.class_name, key=len)
    return UnweavableMethod(outer, "", "", f"{NO_LINE}{lines} {max(int(below), int(other_below))} {after}")


def no_line(one: UnweavableMethod) -> str:
    """Names the lines with code, if those of a rule have none."""
    _, lines, below, above = one.why.split(" ")
    first, _, last = lines.partition("-")
    none = (
        f"line {first} of {one.class_name} and its nested classes has no code"
        if first == last
        else f"lines {lines} of {one.class_name} have no code"
    )
    near = " and ".join(number for number in (below, above) if number != "0")
    if not near:
        return f"{none}: there are no line numbers (javac -g writes them)"
    return f"{none}; the nearest {'lines' if ' ' in near else 'line'} with code: {near}"


def matched(one: UnweavableMethod) -> str:
    """Describes the matches of a rule that matched only such methods."""
    if one.why.startswith(NO_LINE):
        return "no code"
    return "only methods without code" if one.why in (ABSTRACT, NATIVE) else "only methods that it does not fit"


def why_not_woven(rule: Rule, one: UnweavableMethod, seen: str) -> str:
    """Explains why this method, which the rule matches, cannot be instrumented, and which rule reaches the code behind
    it. `seen`: how classes came to be known."""
    if one.why.startswith(NO_LINE):
        return no_line(one)
    if one.why not in (ABSTRACT, NATIVE):
        return one.why
    named = method_text(one.class_name, one.method, one.descriptor)
    if one.why == NATIVE:
        return f"{named} is native: it has no bytecode to instrument; match its callers instead"
    target = next(
        (target for target in rule.targets if compile_glob(target.class_pattern.glob)(one.class_name)), rule.targets[0]
    )
    if target.class_pattern.subtypes:
        return f"{named} is abstract: the classes that implement it {seen}"
    method = target.method.glob if target.method is not None else "*"
    return f"{named} is abstract: it has no code; '{one.class_name}+::{method}' matches the methods that implement it"

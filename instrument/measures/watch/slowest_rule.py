"""`time ... slowest N`: a rule `watch` beside the one that times, which keeps the slowest calls with what they were
called with, and by whom."""

from __future__ import annotations

from classhook.measures.chosen_calls import CHOICE
from classhook.rules.syntax import Rule

SHOWN = "args, result, stack 4"
KEPT = ("mask", *CHOICE)  #: which the rule `watch` has, too


def rule_of(rule: Rule) -> Rule:
    """The rule `watch` that goes with a rule `time`."""
    title = f' as "{rule.name}"' if rule.name is not None else ""
    clauses = [
        ("show", SHOWN),
        ("slowest", rule.clause("slowest")),
        *((word, value) for word, value in rule.clauses if word in KEPT),
    ]
    text = (
        f"watch{about(rule, rule.text.removesuffix(title).removeprefix(rule.kind))}"
        f" {' '.join(f'{word} {value}' for word, value in clauses)}{title}"
    )
    return rule.beside("watch", text, tuple(clauses))


def about(rule: Rule, text: str) -> str:
    """The rule's text, up to its name, without its clauses."""
    for word, value in reversed(rule.clauses):
        text = text.removesuffix(f" {word} {value}").removesuffix(f" {word}")
    return text

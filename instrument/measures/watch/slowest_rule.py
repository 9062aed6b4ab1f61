"""`time ... slowest N`: a rule `watch` beside the one that times, which keeps the slowest calls with what they were
called with, and by whom."""

from __future__ import annotations

import re

from classhook.rules.syntax import Rule

SHOWN = "args, result, stack 4"
#: Clauses of `time` at the end of a rule's text; that of `mask` takes what follows, so it is looked for when the others
#: are off.
CLAUSES = (r" (?:tree|sample \d+/\d+|slowest \d+)$", r" mask (?:(?! mask ).)+$")


def rule_of(rule: Rule) -> Rule:
    """The rule `watch` that goes with a rule `time`."""
    title = f' as "{rule.name}"' if rule.name is not None else ""
    clauses = [
        ("show", SHOWN),
        ("slowest", rule.clause("slowest")),
        *((word, value) for word, value in rule.clauses if word == "mask"),
    ]
    text = (
        f"watch{about(rule.text.removesuffix(title).removeprefix(rule.kind))}"
        f" {' '.join(f'{word} {value}' for word, value in clauses)}{title}"
    )
    return Rule(
        "watch",
        text,
        rule.origin,
        rule.line,
        rule.name,
        targets=rule.targets,
        excepts=rule.excepts,
        clauses=tuple(clauses),
        sources=rule.sources,
    )


def about(text: str) -> str:
    """The text without the clauses of `time`."""
    before = ""
    while before != text:
        before = text
        for clause in CLAUSES:
            text, n = re.subn(clause, "", text)
            if n:
                break
    return text

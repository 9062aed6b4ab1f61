"""Rules that are added to a session: checked against the loaded classes first, and afterwards by what they matched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from classhook.live import rule_changes
from classhook.live.checked_rules import check
from classhook.live.class_changes import TAKE_BACK
from classhook.live.jvms import Jvm
from classhook.live.observe.unmatched_lines import unmatched_lines
from classhook.live.rule_changes import Entry
from classhook.rules.ruleset import RuleSet

#: Changes the rules; what the agent says of it.
Change = Callable[[Callable[[list[Entry]], list[Entry]]], dict[str, Any]]


def add(
    jvm: Jvm, data: Path, rules: RuleSet, change: Change, said: Callable[[str], None]
) -> tuple[dict[str, Any] | None, list[str]]:
    """Adds the rules that may match: what the agent says of it, None if there are none; and why others were refused.
    `said`: is given notes about rules, before they are added. Raises UsageError, Failure."""
    rule_changes.adding(rules)(rule_changes.entries(data))  # one that the session has needs no other answer
    checked = check(jvm, data, rules)
    for note in checked.notes:
        said(note)
    if not checked.good:
        return None, checked.refused
    answer = change(rule_changes.adding(RuleSet(checked.good)))
    refused = unmatched_lines(data, checked.good)
    for text, why in refused.items():
        rule_changes.change(jvm, data, rule_changes.remove(text), TAKE_BACK)
        checked.refused.append(f"this rule matches nothing, so it was removed again: {why}")
    return answer if len(refused) < len(checked.good) else None, checked.refused

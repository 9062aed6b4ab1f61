"""What the user is told of a rule that matched no method."""

from __future__ import annotations

from classhook.model.codeless import SEEN, matched, why_not_woven
from classhook.model.snapshot import RuleRow
from classhook.rules.syntax import Rule


def unmatched(text: str, rule: Rule | None, row: RuleRow) -> str:
    """A sentence about the rule, with what it may have meant. `text`: the rule, as it was written; `rule`: None if it cannot be read."""
    if row.unknown:
        return f"it is unknown what this rule matched, since descriptions of classes are missing: {text}"
    if row.codeless:
        return f"this rule matched {matched(row.codeless)}: {text}" + (f"; {why_not_woven(rule, row.codeless, SEEN)}" if rule else "")
    what = "no method of the classes it names" if row.matched_classes else "nothing that was loaded"
    what = "only classes that were not instrumented" if row.left_classes else what
    return f"this rule matched {what}: {text}" + (f"; did you mean {row.nearest}?" if row.nearest else "")

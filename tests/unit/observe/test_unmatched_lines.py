"""The message about a rule for lines without code, in a JVM that runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from classhook.live.observe import unmatched_lines
from classhook.model.snapshot import RuleRow, Snapshot
from classhook.model.unweavable_methods import NO_LINE, UnweavableMethod
from classhook.rules.parse import parse_text


def test_the_rule_and_the_reason_are_on_lines_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    rule, fits = parse_text("count S\u200c:500\ncount S:3", "x")
    unweavable = UnweavableMethod("S\u200c", "", "", f"{NO_LINE}500-500 24 0")
    snapshot = Snapshot(rules={rule.text: RuleRow(unweavable=unweavable), fits.text: RuleRow(matched_methods=1)})
    monkeypatch.setattr(unmatched_lines, "read", lambda *_, **__: snapshot)
    assert unmatched_lines.unmatched_lines(Path("data"), [rule, fits]) == {
        rule.text: (
            "count S\\u200c:500\n    line 500 of S\\u200c and its nested classes has no code; the nearest line with"
            " code: 24"
        )
    }

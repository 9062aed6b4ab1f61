"""Rules that are paused and resumed, with those that they stand for."""

from __future__ import annotations

import pytest

from classhook.live.rule_changes import Entry, compiled, entries_of, pause, remove
from classhook.rules.parse import load


@pytest.mark.parametrize(
    "rule",
    [
        "count a.B::c",
        "count a.B::c when arg0 > 3",
        "count a.B::c below d.E::f",
        "time a.B::c slowest 3",
        "time a.B::c slowest 3 mask *.secret",
    ],
)
def test_a_paused_rule_is_the_same_when_it_is_resumed(rule: str) -> None:
    """Each change goes through the compiled text, as it does in a JVM's session."""
    first = [Entry(one) for one in load([], ["time x.Y::*", rule, "profile z.Z::*"]).rules]
    every = first
    for paused in (True, False, True, False):
        every = entries_of(compiled(every, pause("2", paused)(every)))
        assert [one.rule.text for one in every] == [one.rule.text for one in first]
        assert [one.paused for one in every] == [paused and 0 < i < len(first) - 1 for i in range(len(first))]
    assert [one.rule.text for one in remove(rule)(every)] == ["time x.Y::*", "profile z.Z::*"]

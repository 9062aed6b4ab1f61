"""Rules of a session, changed."""

from __future__ import annotations

import pytest

from classhook.errors import UsageError
from classhook.live.rule_changes import add, add_file, pause, remove

COUNTED, TIMED = "count a.B::c", "time a.B::d slowest 3"


@pytest.mark.parametrize("which", ["2", TIMED])
def test_a_rule_goes_with_the_one_that_keeps_its_slowest_calls(which: str) -> None:
    every = add(TIMED)(add(COUNTED)([]))
    assert [one.rule.kind for one in every] == ["count", "time", "watch"]
    paused = pause(which, True)(every)
    assert [one.paused for one in paused] == [False, True, True]
    assert pause(which, False)(paused) == every
    assert [one.rule.text for one in remove(which)(every)] == [COUNTED]


def test_the_slowest_calls_may_be_given_up_alone() -> None:
    every = add(TIMED)([])
    assert [one.rule.text for one in remove("2")(every)] == [TIMED]
    with pytest.raises(UsageError, match="no such rule"):
        remove("3")(every)


def test_the_rules_of_a_file_are_added() -> None:
    every = add_file("jdbc")(add(COUNTED)([]))
    assert len(every) > 3
    assert every[1].rule.origin == "jdbc"

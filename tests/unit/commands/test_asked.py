"""Options among the words of a `ctl` command."""

from __future__ import annotations

import pytest

from classhook.base.errors import UsageError
from classhook.commands.control.answers import Asked, asked


@pytest.mark.parametrize(
    ("words", "left", "now", "at_most"),
    [
        ("", "", False, 0),
        ("--at-most 5ms add x", "add x", False, 0.005),
        ("add --at-most 5ms x", "add x", False, 0.005),
        ("add x --at-most 5ms", "add x", False, 0.005),
        ("add x --now --at-most=5ms", "add x", True, 0.005),
        ("--now 1", "1", True, 0),
        ("add --now x", "add x", True, 0),
        ("--now", "", True, 0),
    ],
)
def test_options_may_stand_at_either_end(words: str, left: str, now: bool, at_most: float) -> None:
    assert asked(words.split()) == (left.split(), Asked(now, at_most))


@pytest.mark.parametrize("words", ["add x --at-most soon", "--at-most", "--at-most="])
def test_a_time_is_needed(words: str) -> None:
    with pytest.raises(UsageError, match=r"--at-most: .* is not a time"):
        asked(words.split())

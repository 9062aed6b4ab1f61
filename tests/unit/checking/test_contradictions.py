"""Conditions that no call can fulfil, and others that look like them."""

from __future__ import annotations

import pytest

import classhook.measures.every  # noqa: F401  # registers the rules' words
from classhook.checking.contradictions import contradiction
from classhook.rules.parse import parse_text


@pytest.mark.parametrize(
    ("condition", "never"),
    [
        ("arg0 > 5 && arg0 < 3", "`arg0 > 5` and `arg0 < 3`"),
        ("arg0 >= 5 && arg0 < 5", "`arg0 >= 5` and `arg0 < 5`"),
        ("arg0 >= 5 && arg0 <= 5", ""),
        ("arg0 > 3 && (arg0 < 3.5 || arg1 == 1)", ""),
        ("arg0 == 1 && arg0 == 2", "`arg0 == 1` and `arg0 == 2`"),
        ("arg0 == 1 && arg0 != 2", ""),
        ('arg0.name == "a" && arg1 && arg0.name == "b"', '`arg0.name == "a"` and `arg0.name == "b"`'),
        ("arg0 == null && arg0 > 1", "`arg0 == null` and `arg0 > 1`"),
        ("arg0 && !arg0", "`arg0 == true` and `arg0 == false`"),
        ("arg0 in {1, 2} && arg0 == 1", ""),
        ("!(arg0 <= 5 || arg0 >= 3)", "`arg0 > 5` and `arg0 < 3`"),
        ("arg0 > 5 && arg0 < 3 || arg1 == 2", ""),
        ("arg0 > 5 && arg0 < 3 || arg1 == 2 && arg1 == 3", "`arg0 > 5` and `arg0 < 3`"),
        ("arg0 % 2 == 0 && arg0 == 3", ""),
    ],
)
def test_what_excludes_what(condition: str, never: str) -> None:
    (rule,) = parse_text(f"watch a.B::c when {condition}", "-e")
    assert contradiction(rule).removesuffix(" exclude each other") == never

"""Names of differing tests in the section about suites of others."""

from __future__ import annotations

import pytest

from tools.strangers.outcome import Difference, Outcome, Row
from tools.strangers.page import remarks, together


@pytest.mark.parametrize(
    ("tests", "expected"),
    [
        (["folder/one.java"], "`folder/one.java`"),
        (["folder/tests/one1.java", "folder/tests/one2.java"], "`folder/tests/{one1, one2}.java`"),
        (["int[]", "long[]"], "`int[]`, `long[]`"),
    ],
)
def test_what_names_share_is_written_once(tests: list[str], expected: str) -> None:
    assert together(tests) == expected


def test_a_reason_has_each_test_once() -> None:
    names = ("a (17)", "a (25)", "b, call 3 from")
    outcome = Outcome("1", [Row("part", "17", "count", 3, [Difference(one, "Failed", "why") for one in names])], ["n"])
    assert remarks(outcome) == ["`a`, `b`: why", "n"]

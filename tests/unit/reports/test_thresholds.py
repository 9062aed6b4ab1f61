"""`--fail-if`: what an expression means, and where it is wrong."""

from __future__ import annotations

import pytest

from classhook.reports.comparison.thresholds import Threshold, parse
from classhook.rules.errors import RuleError

RIGHT = {
    "self > +10%": [("self", True, 10, "%")],
    "self > +1.5e6ns, self < -2E-1 %": [("self", True, 1.5e6, "ns"), ("self", False, -0.2, "%")],
    "calls>+0": [("calls", True, 0, "")],
    " p99 > +5ms ": [("p99", True, 5, "ms")],
    "bytes < -1.5MiB, calls > +0": [("bytes", False, -1.5, "MiB"), ("calls", True, 0, "")],
}


@pytest.mark.parametrize(("text", "parts"), RIGHT.items())
def test_expressions(text: str, parts: list[tuple[str, bool, float, str]]) -> None:
    assert parse(text) == [Threshold(part.strip(), *one) for part, one in zip(text.split(","), parts, strict=True)]


WRONG = {
    "": (1, "expected a column"),
    "self": (5, "expected `>` or `<`"),
    "self >": (7, "expected a change with its sign"),
    "self > 10%": (8, "expected a change with its sign"),
    "self > +": (9, "expected a number"),
    "self > +10% more": (13, "the expression ends here"),
    "selves > +1": (1, "there is no column `selves`"),
    "self > +10 calls": (12, "a change of `self` has another unit"),
    "calls > +5ms": (11, "a change of `calls` has another unit"),
    "calls > +0, self > 1%": (20, "expected a change with its sign"),
    "calls > +0,": (12, "expected a column"),
}


@pytest.mark.parametrize("text", WRONG)
def test_a_mistake_is_shown_at_its_column(text: str) -> None:
    column, why = WRONG[text]
    with pytest.raises(RuleError) as error:
        parse(text)
    assert (error.value.column, why in str(error.value)) == (column, True), str(error.value)

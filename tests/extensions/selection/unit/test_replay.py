"""The table of `python -m tools.replay`."""

from __future__ import annotations

from tools.replay.outcome import Outcome, Row
from tools.replay.page import table


def row(**values: object) -> Row:
    told = {"commit": "c0ffee", "day": "2026-01-01", "title": "a change", "base": "abad1dea", "tests": 200, "ran": 20}
    return Row(**{**told, "selected": 50, "of_time": 0.4, "failing": 3, **values})  # type: ignore[arg-type]


def test_shares_are_means_over_the_commits() -> None:
    outcome = Outcome([row(), row(selected=100, of_time=0.6, failing=2, missed=["a.BTest#c"])], {"does not compile": 1})
    *_, line = table({"library": outcome}).splitlines()
    assert line == "| library | 2 | 200 | 5 | 1 | 10.0 % | 37.5 % | 37.5 % | 50.0 % |"

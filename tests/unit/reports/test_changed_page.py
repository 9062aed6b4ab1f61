"""The HTML page of two sets of data: what it holds, and what a browser shows of it."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from classhook.measures.methods.reader import MethodRow
from classhook.reports import Options
from classhook.reports.comparison import Side, compared
from classhook.reports.comparison.html import report
from classhook.reports.comparison.thresholds import broken, parse
from tests.browser import Look
from tests.unit.reports.test_changed_flamegraph import MS, side

CALLS = {"same": (10, 10), "more": (10, 12), "fewer": (1000, 40), "gone": (7, 0), "new": (0, 3)}


def with_calls(made: Side, at: int) -> Side:
    for name, calls in CALLS.items():
        if calls[at]:
            row = MethodRow(
                calls=calls[at],
                completed=calls[at],
                timed=True,
                total_ns=calls[at] * MS,
                self_ns=calls[at] * MS,
                rule="r",
            )
            made.whole.tables["methods"]["a.<b>", name, "()V"] = row
    return made


@pytest.fixture
def page() -> str:
    out, sides = io.StringIO(), (with_calls(side("old", 1, slower=20), 0), with_calls(side("new", 1, slower=40), 1))
    sections = compared(*sides, "calls")
    report(sides, sections, broken(sections, parse("calls > +0")), Options(columns=("calls",)), out)
    return out.getvalue()


def test_rows_have_both_sides_and_the_largest_change_comes_first(page: str) -> None:
    data: dict[str, Any] = json.loads(re.search(r"^const data = (.*);$", page, re.MULTILINE)[1])  # type: ignore[index]
    (table,) = data["tables"]
    assert [column["head"] for column in table["columns"]] == ["", "calls before", "after", "change", "%"]
    assert {name.partition("b>.")[2]: values for name, *values in table["rows"]} == {
        "fewer()": ["changed", 1000, 40, -960, -96],
        "gone()": ["gone", 7, 0, -7, -100],
        "new()": ["new", 0, 3, 3, None],
        "more()": ["changed", 10, 12, 2, 20],
        "same()": ["", 10, 10, None, None],
    }
    assert table["rows"][0][0] == "a.<b>.fewer()"
    assert "calls > +0: 2 rows beyond this limit" in data["notes"]
    assert "</script><" not in page.replace("</script>\n", "")


def test_a_browser_shows_changes_and_the_flame_graph_of_both_sides(page: str, tmp_path: Path, look: Look) -> None:
    (tmp_path / "page.html").write_text(page)
    found: dict[str, Any] = look(
        tmp_path / "page.html",
        """
      const lines = () => [...document.querySelectorAll("section:not([hidden]) tbody tr:not(.space)")];
      const rows = () => lines().map(row => [...row.cells].map(cell => cell.textContent));
      const colours = () => [...document.querySelectorAll(".more, .less")].map(cell => cell.className + " " + cell.textContent);
      const result = {tabs: [...document.querySelectorAll("nav button")].map(tab => tab.textContent), first: rows(), colours: colours()};
      document.querySelectorAll("th button")[3].click();
      await pause(50);
      result.byChange = rows().map(row => row[3]);
      document.querySelectorAll("nav button")[1].click();
      await pause(50);
      result.before = document.querySelector("section:not([hidden]) .before").textContent;
      result.about = document.querySelector(".about").textContent;
      return result;
    """,
        width=1000,
    )
    assert found["tabs"] == ["Timed methods", "Flame graph"]
    assert found["first"][0] == ["changed", "1,000", "40", "-960", "-96.0%", "a.<b>.fewer()"]
    assert found["colours"][:2] == ["less -960", "less -96.0%"]
    assert "more +3" in found["colours"]
    assert found["byChange"] == ["+3", "+2", "-7", "-960", ""], "those without a change come last"
    assert found["before"] == "Before"
    assert "before 30.0 ms, after 50.0 ms, +20.0 ms" in found["about"]

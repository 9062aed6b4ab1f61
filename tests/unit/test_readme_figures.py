"""The README's figures of cost are those of docs/explained/performance.md, which is written anew after each
measurement."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
PAGE = (ROOT / "docs" / "explained" / "performance.md").read_text()
#: Figures in the README's order: the digits after the point, the section of the page where the figure comes from, and
#: the beginning of its row there.
FIGURES = (
    (2, "## Whole programs", "| h2 | `count **::*` | x"),
    (2, "## Whole programs", "| h2 | `profile **::*` | x"),
    (2, "## Whole programs", "| h2 | `time **::*` | x"),
    (2, "## Coverage", "| h2 | `cover`, cache warm | x"),
    (2, "## Coverage", "| h2 | JaCoCo 0.8.16 | x"),
    (2, "| H2 | wall time", "| async-profiler, CPU each ms | x"),
    (2, "| H2 | wall time", "| JFR, profile | x"),
    (0, "## Handlers", "| BTrace 2.2.6, counts | "),
    (0, "## Handlers", "| classhook, a queued handler, counts | "),
    (0, "## Handlers", "| classhook, a sync handler, counts | "),
)


def test_the_readme_has_the_figures_of_the_page() -> None:
    wall, better = (
        line
        for line in README.splitlines()
        if line.startswith(("| wall time of a run of the H2", "| does better than"))
    )
    said = [*re.findall(r"\d+\.\d+", wall), *re.findall(r"(\d+) ns", better)]
    found = [re.match(r"[\d.]+", PAGE.split(section, 1)[1].split(row, 1)[1]) for _, section, row in FIGURES]
    measured = [f"{float(one[0]):.{digits}f}" for one, (digits, _, _) in zip(found, FIGURES, strict=True) if one]
    assert said == measured


def test_a_timed_call_costs_what_the_page_says() -> None:
    measured = re.search(r"^\| a call, `time` \| (\d+ ns) \|.* (\d+ ns) \|$", PAGE, re.MULTILINE)
    assert measured
    limit = README.split("- A timed call costs")[1]
    assert re.findall(r"\d+ ns", limit)[0] == measured[1]
    assert re.findall(r"method timing: (\d+ ns)", limit) == [measured[2]]

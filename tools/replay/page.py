"""The section of docs/explained/selection.md about real commits."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from tools.replay.changes import BACK, BUGS
from tools.replay.outcome import Outcome, Row, kept, kept_as
from tools.replay.projects import BEFORE, PROJECTS

SECTION = "replay"  # in its markers
TEXT = """### Real commits

`python -m tools.replay` wrote this section. For the newest commits that change a library's code, the tests are recorded
before the commit; its changes of the library, but not of the tests, are applied; all tests run, and those that fail are
compared with those that are selected.

{table}

Shares are means over the commits. *Ran* is the share of tests that ran a method which changed: no selection can be safe
with less.

### Commits taken back

`python -m tools.replay --back` undoes what a commit changed in the library, but keeps its tests, which should fail.

{back}

### Bugs

`python -m tools.replay --bugs` undoes the fixes of the bugs that [Defects4J](https://github.com/rjust/defects4j) lists.

{bugs}
"""


def page() -> str:
    return TEXT.format(table=_all(""), back=_all(BACK), bugs=_all(BUGS))


def _all(kind: str) -> str:
    """The table of a kind of changes, with all libraries of which there are results."""
    names = sorted({*PROJECTS, *BEFORE})
    return table(
        {name: one for name in names if (one := kept(kept_as(name, kind)))}, kind if kind == BUGS else "commits"
    )


def table(outcomes: dict[str, Outcome], cases: str = "commits") -> str:
    """A line for each project. `cases`: a word for what was replayed."""
    head = f"library | {cases} | tests | failing tests | missed | ran | selected tests | median | of their time"
    lines = [f"| {head} |", "|---|" + "---:|" * head.count("|")]
    for name, one in outcomes.items():
        rows = one.rows
        cells = [
            name,
            f"{len(rows)}",
            f"{max((row.tests for row in rows), default=0):,}",
            f"{sum(row.failing for row in rows):,}",
            f"{len(one.missed)}",
            mean([row.ran / row.tests for row in rows]),
            mean(shares(rows)),
            percent(median(shares(rows) or [0])),
            mean([row.of_time for row in rows]),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def shares(rows: Sequence[Row]) -> list[float]:
    return [row.selected / row.tests for row in rows]


def mean(values: Sequence[float]) -> str:
    return percent(sum(values) / (len(values) or 1))


def percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def listed(outcome: Outcome) -> str:
    """A line for each commit."""
    return "\n".join(
        f"{row.commit} {row.day} {row.selected:6,} of {row.tests:,} ({row.ran:,} ran it), {percent(row.of_time)} of the"
        f" time, {row.failing} failing, {len(row.missed)} missed: {row.title}"
        + (f" [{row.every}]" if row.every else "")
        for row in outcome.rows
    )

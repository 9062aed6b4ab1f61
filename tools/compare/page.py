"""docs/explained/coverage-compared.md, and the table of the comparison with JaCoCo."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent

from tests import peers
from tools.compare.running import Compared

PAGE = Path(__file__).parents[2] / "docs" / "explained" / "coverage-compared.md"
HEAD = (
    "| library | what runs | compiled by | classes | ran | lines | numbers | same data: differ | same tests: differ |"
    " unsteady | coarser |"
)
#: Rows that the page leaves to a newer table, with more compilers.
ELSEWHERE = "JaCoCo's targets"
TEXT = """# Coverage, compared with JaCoCo's

`make compare-jacoco` writes this page. Libraries come from Maven Central; jsoup and gson come from Debian's source packages,
because only these contain their tests. [JaCoCo's own targets](verification.md#suites-of-others) are compared by another tool. All are compiled here, except those *as published*. Java libraries
compiled by javac 17 and ecj, and programs in Kotlin and Scala, run on JDK 17; all others on JDK 25.

Their tests run once with the agent of JaCoCo {jacoco}, and once with `cover`, each in a JVM of its own.

- **Same data**: the data file of JaCoCo's agent, analysed by JaCoCo and by us; and our own data, reported by us, and by JaCoCo from the file that
  `-f jacoco-exec` writes. All counters, and all numbers of lines, must be equal.
- **Same tests**: our report of our run, compared with JaCoCo's report of its own run. If a number differs, there are more runs, up to four of each.
  If runs with the same agent differ from each other, the tests themselves varied: such methods, classes, files and packages are
  *unsteady*. For example, jsoup checks whether the garbage collector has emptied a cache.
- **Coarser**: classes with a method that has no room for all probes; the report lists them. They are not compared.

{head}
|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|
{rows}

*Numbers* are those of one comparison. Measured on {today}.

## Tests by themselves

`python -m tools.compare.by_test` runs all tests of a library once, each as a context. For some tests, evenly spread, it
compares the lines covered there with those that JaCoCo's agent finds when the test runs alone in a JVM. Where the lines
differ, the test also runs alone with `cover`.

| library | tests | lines of these alone | the same in the run of all | less: static initialisers | \
less: set-up and tear-down | less: what earlier tests left | more | alone: differ |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
| jsoup 1.15.3 | 30 | 32,242 | 2 | 5,171 | 6 | 1,805 | 7 | 0 |

- What earlier tests left: mostly what static initialisers call, and filled caches.
- Set-up and tear-down run outside of the test's method, which is the context of a rule `context **::@Test *`.
- Alone: how many of these tests cover other lines with `cover` than with JaCoCo's agent.

## What differs

{differences}
"""


@dataclass
class Row:
    """A library by one compiler; `missing`: why it was not compared."""

    title: str
    tests: str
    compiler: str
    found: Compared | None = None
    missing: str = ""

    def __str__(self) -> str:
        if self.found is None:
            return f"{self.key} not compared | | | | | | | |"
        one = self.found
        numbers = [
            one.classes,
            one.ran,
            one.lines,
            one.counters,
            len(one.same_data),
            len(one.differ),
            len(one.unsteady),
            len(one.coarse),
        ]
        return f"{self.key} {' | '.join(f'{number:,}' for number in numbers)} |"

    @property
    def different(self) -> list[str]:
        """The differences that were found, a text for each."""
        return [*self.found.same_data, *self.found.differ] if self.found else []

    @property
    def key(self) -> str:
        ran = (
            self.tests
            if self.found is None or "passed" not in self.found.passed[0]
            else f"{self.tests}: {self.found.passed[0]}"
        )
        return f"| {self.title} | {ran} | {self.compiler} |"


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")]


def table(rows: Iterable[Row]) -> str:
    """For terminals."""
    lines = [cells(line)[1:-1] for line in (HEAD, *map(str, rows))]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    sides = [str.ljust] * 3 + [str.rjust] * (len(widths) - 3)
    return "\n".join(
        "  ".join(side(cell, width) for side, cell, width in zip(sides, line, widths, strict=True)).rstrip()
        for line in lines
    )


def page(rows: Sequence[Row]) -> str:
    told = [f"- {row.title}, {row.compiler}:\n\n{indent(text, '      ')}" for row in rows for text in row.different]
    lines = "\n".join(str(row) for row in rows if not row.title.startswith(ELSEWHERE))
    today = datetime.date.today().isoformat()
    return TEXT.format(
        jacoco=peers.JACOCO.version, head=HEAD, rows=lines, today=today, differences="\n".join(told) or "Nothing."
    )

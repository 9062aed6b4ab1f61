"""The section of docs/explained/verification.md about suites of others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from textwrap import fill

from tools.strangers.outcome import Outcome, Row, kept, kept_whole
from tools.strangers.suites import SUITES

SECTION = "strangers"  # in its markers
WIDTH = 120
SHOWN = 3  # tests of a reason
DETAIL = re.compile(r" \(|, call ")  # what follows a test's name
WORTH = 8  # characters; names that share less are written in full
NONE = "none"  # in place of a JVM

TEXT = """## Suites of others

`python -m tools.strangers` wrote this section. Tests and programs of others run without the agent and with each set of
rules, and the verdicts must be the same. A test whose verdict differs is repeated, both ways. The table has the number
of verdicts that were compared.

{table}

{follow}

{suites}
"""
FOLLOW = "For each suite follow the differences that remained, with their reasons, and what was left out."


def page() -> str:
    outcomes = {name: outcome for name in SUITES if (outcome := kept(name))}
    suites = [[wrapped(source(name, one)), *map(item, remarks(one))] for name, one in outcomes.items()]
    return TEXT.format(
        table=summary(outcomes),
        follow=wrapped(f"{kept_whole()} {FOLLOW}".lstrip()),
        suites="\n\n".join("\n".join(lines) for lines in suites),
    )


def wrapped(text: str, indent: str = "") -> str:
    """A paragraph in lines of the page's width."""
    return fill(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def item(text: str) -> str:
    """An item of a list."""
    return wrapped(f"- {text}", "  ")


def summary(outcomes: Mapping[str, Outcome]) -> str:
    """A line for each suite, with all parts and rules together: what was compared on each JVM, and what differs."""
    jvms = sorted(
        {release(row) for one in outcomes.values() for row in one.rows}, key=lambda name: (name != NONE, name)
    )
    heads = ["suite", *("without a JVM" if jvm == NONE else f"on {jvm}" for jvm in jvms), "differences"]
    lines = [f"| {' | '.join(heads)} |", "|---|" + "---:|" * (len(heads) - 1)]
    for name, outcome in outcomes.items():
        compared = [sum(row.tests for row in outcome.rows if release(row) == jvm) for jvm in jvms]
        differ = sum(len(row.differences) for row in outcome.rows)
        cells = [SUITES[name].title, *(f"{tests:,}" if tests else "" for tests in compared), f"{differ:,}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def release(row: Row) -> str:
    """The JVM's feature release; NONE if there was none."""
    found = re.search(r"\d+", row.jvm)
    return found[0] if found else NONE


def source(name: str, outcome: Outcome) -> str:
    """Says what a suite is, where it is from, and with which rules it ran. Its parts are in the kept results."""
    suite = SUITES[name]
    rules = "; ".join(f"`{one}`" for one in dict.fromkeys(row.rules for row in outcome.rows) if one)
    about = f"**{suite.title}** ({outcome.version}): {suite.about}. From {suite.source}."
    return f"{about}{rules and f' Rules: {rules}.'} {outcome.day}, {max(outcome.minutes, 1):.0f} min.\n"


def table(outcomes: Mapping[str, Outcome]) -> str:
    """A line for each row of each suite."""
    lines = ["| suite | version | part | JVM | rules | tests | differences |", "|---|---|---|---|---|---:|---:|"]
    for name, outcome in outcomes.items():
        for row in outcome.rows:
            cells = [SUITES[name].title, outcome.version, row.part, row.jvm, row.rules, f"{row.tests:,}"]
            lines.append("| " + " | ".join([*cells, str(len(row.differences))]) + " |")
    return "\n".join(lines)


def remarks(outcome: Outcome) -> list[str]:
    """A text for each reason, with the tests that it explains, and each note."""
    by_reason: dict[str, list[str]] = {}
    for row in outcome.rows:
        for one in row.differences:
            tests = by_reason.setdefault(one.why or f"not explained: {one.what}", [])
            if (test := DETAIL.split(one.test)[0]) not in tests:
                tests.append(test)
    found = []
    for why, tests in by_reason.items():
        more = f" and {len(tests) - SHOWN} more" if len(tests) > SHOWN else ""
        found.append(f"{together(tests[:SHOWN])}{more}: {why}")
    return [*found, *outcome.notes]


def together(tests: Sequence[str]) -> str:
    """Names of tests, with what all of them begin with, and what all end with, once."""
    begin = re.sub(r"\w+$", "", begin_of(tests))
    rest = [one.removeprefix(begin) for one in tests]
    end = re.sub(r"^\w+", "", begin_of(one[::-1] for one in rest)[::-1])
    if len(tests) > 1 and len(begin + end) > WORTH:
        return f"`{begin}{{{', '.join(one.removesuffix(end) for one in rest)}}}{end}`"
    return ", ".join(f"`{one}`" for one in tests)


def begin_of(texts: Iterable[str]) -> str:
    """The characters that all begin with."""
    return "".join(chars[0] for chars in takewhile(lambda chars: len({*chars}) == 1, zip(*texts, strict=False)))

"""Reads docs/explained/performance.md, so that the sections of parts without kept results stay as they are.

A field is found by the words before it, so a change of these words has to be made in the template and on the page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

#: The length of the template's text around a field that must be on the page.
AROUND = 60
#: The last words of a section, unless it also lists what was not measured: prose after it is the template's.
LAST_WORDS = re.compile(r"machine load at the start [\d.]+\.(?=\n\n(?!Not measured))")


def pattern(text: str) -> str:
    """A pattern for a text whose lines may be broken at other words."""
    return r"\s+".join(map(re.escape, re.split(r"\s+", text)))


def fields(template: str, page: str) -> dict[str, str]:
    """The text on the page for each field of the template. It ends before the template's next words, or before the
    next heading."""
    pieces = re.split(r"\{(\w+)\}", template)
    texts, names = pieces[::2], pieces[1::2]
    found, at, here = {}, 0, True
    for before, name, after in zip(texts, names, texts[1:], strict=False):
        words = after[:AROUND].partition("\n\n##")[0]
        end = pattern(words) if words.strip() else "$"
        place = re.compile(rf"{pattern(before[-AROUND:])}(.*?)(?:{end}|\n\n##)", re.DOTALL)
        match = place.search(page, at) if here or "\n\n" in before else None  # words of a line may recur
        here = match is not None
        if match:
            last = LAST_WORDS.search(match[1])
            found[name], at = match[1][: last.end() if last else None], match.end(1)
    return found


def rows(table: str) -> list[list[str]]:
    """The cells of each row of a table."""
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if line.startswith("|")]
    return cells[2:]


def missed(table: str) -> dict[tuple[str, str], dict[str, str]]:
    """The figures of a table of goals by what is measured and the goal, then by the case, which may be empty."""
    found = {}
    for what, figures, goal in rows(table):
        cases = [figure.rpartition(": ") for figure in figures.split("; ")]
        found[what, goal] = {case: figure for case, _, figure in cases}
    return found


class Previous:
    """The page before it is written again. `fields`: the text for each field of the template; `measured`: the fields
    whose text does not begin with `nothing`; `goals`: figures of missed goals; `lines`: the rows of the summary."""

    def __init__(self, template: str, page: str, nothing: str) -> None:
        self.fields: Mapping[str, str] = fields(template, page)
        self.measured = {name for name, text in self.fields.items() if not text.startswith(nothing)}
        self.goals = missed(self.fields.get("goals", ""))
        self.lines = {row[0]: row for row in rows(self.fields.get("summary", ""))}

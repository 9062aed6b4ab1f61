"""What docs/explained/performance.md says already: it stays, if a part has no kept results, as on another machine."""

from __future__ import annotations

import re
from collections.abc import Mapping

#: How much of the template's text around a field must be on the page.
AROUND = 60


def pattern(text: str) -> str:
    """Of a text whose lines may be broken elsewhere."""
    return r"\s+".join(map(re.escape, re.split(r"\s+", text)))


def fields(template: str, page: str) -> dict[str, str]:
    """What is on the page in the place of each field of the template, where it is found: up to the text that follows, or
    the next heading."""
    pieces = re.split(r"\{(\w+)\}", template)
    texts, names = pieces[::2], pieces[1::2]
    found, at = {}, 0
    for before, name, after in zip(texts, names, texts[1:], strict=False):
        end = pattern(after[:AROUND]) if after.strip() else "$"
        place = re.compile(rf"{pattern(before[-AROUND:])}(.*?)(?:{end}|\n\n##)", re.DOTALL)
        if match := place.search(page, at):
            found[name], at = match[1], match.end(1)
    return found


def rows(table: str) -> dict[str, list[str]]:
    """The cells of each row of a table by the first one."""
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if line.startswith("|")]
    return {row[0]: row for row in cells[2:]}


class Previous:
    """The page as it is. `fields`: of the template; `measured`: those that do not begin with the text `nothing`; `goals`: the
    rows of missed goals; `lines`: of the summary."""

    def __init__(self, template: str, page: str, nothing: str) -> None:
        self.fields: Mapping[str, str] = fields(template, page)
        self.measured = {name for name, text in self.fields.items() if not text.startswith(nothing)}
        self.goals = rows(self.fields.get("goals", ""))
        self.lines = rows(self.fields.get("summary", ""))

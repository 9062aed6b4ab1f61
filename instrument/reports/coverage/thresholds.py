"""`--fail-under`: the least coverage that a build accepts, and by how much it falls short."""

from __future__ import annotations

from classhook.base.errors import UsageError
from classhook.base.names import plural
from classhook.coverage.counters import KINDS, LINE
from classhook.reports.coverage import Whole

NEW = "new"
NAMES = (*(kind.lower() for kind in KINDS), NEW)
NAMES_OF = {plural(name, 2): name for name in NAMES}  # the table's headings are plurals


def parse(text: str) -> dict[str, float]:
    """`line=80,branch=70` as percentages by name. Raises UsageError."""
    found: dict[str, float] = {}
    for part in text.split(","):
        name, equals, number = part.partition("=")
        name = NAMES_OF.get(name.strip().lower(), name.strip().lower())
        try:
            value = float(number.strip().removesuffix("%")) if equals else -1.0
        except ValueError:
            value = -1.0
        if name not in NAMES or not 0 <= value <= 100:
            from difflib import get_close_matches

            close = get_close_matches(name, NAMES, n=1) if name not in NAMES else []
            near = f"; did you mean {close[0]}?" if close else ""
            said = f"'{part}' is not NAME=PERCENT{near}{' The' if near else '; the'} names are {', '.join(NAMES)}"
            raise UsageError(f"--fail-under: {said}. Example: line=80,branch=70")
        found[name] = value
    return found


def shortfalls(whole: Whole, least: dict[str, float]) -> list[str]:
    """A line for each counter below its limit. Counters with nothing to count always pass."""
    found = []
    for name, percent in least.items():
        if name == NEW:
            covered = sum(len(one.covered) for one in whole.changed)
            total = covered + sum(len(one.missed) for one in whole.changed)
            what, noun = "coverage of changed lines", "line"
        else:
            kind = LINE if name == "line" else 2 * [kind.lower() for kind in KINDS].index(name)
            covered = whole.counters[kind + 1]
            total = covered + whole.counters[kind]
            what, noun = f"{name} coverage", name
        if total and covered * 100 < percent * total:
            more = -int(-percent * total // 100) - covered
            here = covered * 100 / total
            found.append(
                f"{what} is {here:.2f} %, {percent - here:.2f} points below the required {percent:g} %: "
                f"{covered:,} of {total:,}, {more:,} more {plural(noun, more)} must be covered"
            )
    return found

"""Annotations of GitHub's workflow commands: changed lines that no test covers, and changed branches that were never
taken.

GitHub shows ten of a kind for a step, so the longest stretches of lines come first, and the last says how many more
there are.
"""

from __future__ import annotations

from typing import TextIO

from classhook.base.errors import UsageError
from classhook.base.names import several
from classhook.reports.coverage import AnalysedPackage, Whole, Wishes, ranges

WORDS = True
MOST = 10


def piece(part: AnalysedPackage, wishes: Wishes) -> str:
    """Nothing: all is said by the changed lines."""
    return ""


def report(whole: Whole, wishes: Wishes, out: TextIO) -> None:
    """Writes a line for each annotation. Raises UsageError without a range of commits."""
    if wishes.changes is None:
        raise UsageError("-f github annotates changed lines: name the commits, such as --changes origin/main...HEAD")
    missed = [
        (first, last, one.path) for one in whole.changed for first, last in ranges(_with_gaps(one.missed, one.covered))
    ]
    missed.sort(key=lambda one: (one[0] - one[1], one[2], one[0]))
    _write(
        out,
        "warning",
        [(path, first, last, "Not covered by tests", _lines(first, last)) for first, last, path in missed],
    )
    partly = [
        (one.path, line, line, "Partly covered by tests", words) for one in whole.changed for line, words in one.partly
    ]
    _write(out, "notice", partly)
    covered = sum(len(one.covered) for one in whole.changed)
    total = covered + sum(len(one.missed) for one in whole.changed)
    said = (
        f"{covered} of {several(total, 'changed line')} with code covered ({covered * 100 // total} %)"
        if total
        else "no changed line has code"
    )
    out.write(f"{said}\n")


def _with_gaps(missed: list[int], covered: list[int]) -> list[int]:
    """The missed lines and those between them without code: a comment does not divide an annotation."""
    found: list[int] = []
    other = set(covered)
    for line in missed:
        if found and line - found[-1] <= 3 and not other.intersection(range(found[-1], line)):
            found += range(found[-1] + 1, line)
        found.append(line)
    return found


def _lines(first: int, last: int) -> str:
    return (
        f"Line {first} was changed, and no test covers it"
        if first == last
        else f"Lines {first} to {last} were changed, and no test covers them"
    )


def _write(out: TextIO, level: str, rows: list[tuple[str, int, int, str, str]]) -> None:
    shown = rows if len(rows) <= MOST else rows[: MOST - 1]
    for path, first, last, title, text in shown:
        out.write(
            f"::{level} file={_property(path)},line={first},endLine={last},title={_property(title)}::{_message(text)}\n"
        )
    if len(shown) < len(rows):
        out.write(
            f"::{level} title={_property(rows[0][3])}::{several(len(rows) - len(shown), 'more stretch')} of changed"
            " lines\n"
        )


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")

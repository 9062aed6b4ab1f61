"""`classhook report --diff BEFORE AFTER`: two directories of data compared."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from pathlib import Path

from instrument.commands.reading import found, read_data
from instrument.errors import Failure, UsageError
from instrument.names import several
from instrument.reports import Options
from instrument.reports.comparison import Side, compared
from instrument.reports.comparison.thresholds import Broken, Threshold, broken, parse, uncertain, unknown, without_rows
from instrument.reports.selection import Selection
from instrument.terminal import say

FORMATS = ("text", "json")
SHOWN = 20  # rows that a threshold is about
NOISY = 5  # rows that may be beyond one


def is_data(path: str | None) -> bool:
    """Whether --diff names data, and not a range of commits."""
    return path is not None and os.path.lexists(path)


def thresholds(texts: Sequence[str]) -> list[Threshold]:
    """What --fail-if says. Raises RuleError."""
    return [one for text in texts for one in parse(text)]


def compare(before: Path, after: Sequence[Path], form: str, selected: Selection, limits: list[Threshold], options: Options) -> tuple[bytes, bool]:
    """The report, and whether all is well: nothing is missing, nothing is beyond a threshold. Raises UsageError."""
    if form not in FORMATS:
        raise UsageError(f"-f {form} does not compare; with --diff BEFORE AFTER there are {' and '.join(FORMATS)}")
    sides = (_side([before], selected), _side(after, selected))
    sections = compared(*sides, options.sort)
    for limit in without_rows(sections, limits):
        columns = dict.fromkeys(name for one in sections for name in one.section.by_name)
        missing = f"there is no column {limit.column} in what was recorded, only {', '.join(columns)}"
        there = missing if columns else "there are no rows on either side"
        raise Failure(f"--fail-if '{limit.text}' compares nothing: {there}")
    bad = broken(sections, limits)
    out = io.StringIO()
    if form == "json":
        from instrument.reports.comparison.json import report

        report(sides, sections, bad, out)
    else:
        from instrument.reports.comparison.text import report as text_report

        text_report(sides, sections, options, out)
    _say(sides[1], bad)
    _say_uncertain(sides, uncertain(sections, limits))
    _say_unknown(sides, unknown(sections, limits))
    return out.getvalue().encode("utf-8", "backslashreplace"), not bad and all(side.whole.complete for side in sides)


def _side(paths: Sequence[Path], selected: Selection) -> Side:
    from instrument.data.runs import repetitions
    from instrument.data.snapshot import read

    whole, _, complaints = read_data(paths)
    for complaint in complaints:
        say(complaint)
    selected.apply(whole)
    side = Side([str(path) for path in paths], whole)
    for program, runs in repetitions(found(paths)[0]).items():
        side.runs[program] = [read(run.files) for run in runs]
        for one in side.runs[program]:
            selected.apply(one)
    return side


def _say(after: Side, bad: list[Broken]) -> None:
    from instrument.reports.comparison.text import cells

    by_text: dict[str, list[Broken]] = {}
    for one in bad:
        by_text.setdefault(one.expression, []).append(one)
    for text, rows in by_text.items():
        say(f"{text}: {len(rows):,} of the rows")
        for one in rows[:SHOWN]:
            change = one.change
            before, now, by, percent, error = cells(one.column, change.differences[one.column.name], change.status)
            say(f"  {_label(after, one)}: {before.strip() or 'new'} -> {now.strip() or 'gone'}, {' '.join(filter(None, [by, percent, error]))}")
        if len(rows) > SHOWN:
            say(f"  and {len(rows) - SHOWN:,} more")


def _say_uncertain(sides: tuple[Side, Side], rows: list[Broken]) -> None:
    runs = min(side.repetitions for side in sides)
    for one in rows[:NOISY]:
        percent = one.change.differences[one.column.name].percent
        say(f"{_label(sides[1], one)}: {one.column.name} {percent:+.0f} %, not certain with {several(runs, 'run')}; record more")
    if len(rows) > NOISY:
        say(f"and {len(rows) - NOISY:,} more")


def _say_unknown(sides: tuple[Side, Side], rows: list[Broken]) -> None:
    """Why limits that were exceeded let the build pass: one line for each of them."""
    before, after = (several(side.repetitions, "run") for side in sides)
    for text in dict.fromkeys(one.expression for one in rows):
        count = several(sum(one.expression == text for one in rows), "row")
        say(f"{text}: not decided for {count}: {before} before and {after} after do not show how much times vary from run to run; "
            "record several runs of each side, each side in a directory of its own")  # fmt: skip


def _label(side: Side, row: Broken) -> str:
    from instrument.reports.view import labels

    return labels(side.whole, row.section, [row.change.key])[row.change.key].text()

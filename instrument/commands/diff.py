"""`classhook diff`: compares two sets of data, before and after a change."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from classhook.api.reading import find_data, read_data
from classhook.api.recording import DEFAULT_DATA
from classhook.base.errors import Failure, UsageError
from classhook.base.names import several
from classhook.base.run_labels import pairs
from classhook.base.terminal import say
from classhook.commands.arguments import data_paths, selection
from classhook.commands.output import add_label, add_output, add_rows, buffer, deliver, options_of
from classhook.reports.comparison import Side, compared
from classhook.reports.comparison.thresholds import Broken, Threshold, broken, parse, uncertain, unknown, without_rows
from classhook.reports.forms import CHANGES, forms
from classhook.reports.selection import Selection
from classhook.store.files_by_label import grouped

FORMS = forms(CHANGES)
SHOWN = 20  # rows for each limit
NOISY = 5  # rows that may be beyond a limit

EPILOG = """\
BEFORE and AFTER are data directories, each with one or more runs, or data
files. If AFTER is given several times, the data is added up.
Calls and bytes are exact: one run on each side is enough. For times, record
several runs on each side: diff then knows how much a number varies from run to
run, and shows only changes that are larger than this noise.

With --by, limits are for the last value, and forms other than text show it with
the one before.

A limit (--fail-if) is a column, `>` or `<`, and a change with its sign: in
percent, or in the column's unit (self > +10%, calls > +0, p99 > +5ms).

Exit status:
  0  all data was read, and no change is beyond a limit
  1  some data is missing, a change is beyond a limit, or a limit applies to no
     row
  2  there is no data, or an argument is invalid

examples:
  classhook diff before after
  classhook diff before after --filter 'com.acme.**' --columns calls,self
  classhook diff baseline classhook-data --fail-if 'self > +10%'
  classhook diff classhook-data --by version
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("before", metavar="BEFORE", help="data from before the change")
    parser.add_argument(
        "after", metavar="AFTER", nargs="*", default=[], help=f"data from after the change (default: {DEFAULT_DATA})"
    )
    add_output(parser, FORMS)
    add_label(parser, "--before-label", "of BEFORE, ")
    add_label(parser, "--label", "of AFTER, or with --by of both, ")
    parser.add_argument(
        "--by",
        metavar="LABEL",
        help=(
            "compare all runs of BEFORE and AFTER by a label, such as version: the runs of each value with those of the"
            " value before, in the order of their first runs"
        ),
    )
    parser.add_argument(
        "--fail-if",
        metavar="CHANGE",
        action="append",
        default=[],
        help=(
            "exit with status 1 if a row changed by more than this: 'self > +10%%', 'calls > +0', 'p99 > +5ms'; may be"
            " repeated"
        ),
    )
    add_rows(parser, "show all rows")


def execute(args: argparse.Namespace) -> int:
    if args.by is not None:
        return compare_groups(args, data_paths([args.before, *args.after]))
    (before,) = data_paths([args.before])
    return compare(args, before, data_paths(args.after))


def compare(args: argparse.Namespace, before: Path, after: Sequence[Path]) -> int:
    """Compares and reports; the exit status. Raises UsageError, RuleError, Failure."""
    selected, limits = selection(args.filter, args.group), limits_of(args)
    sides = (_side([before], selected, pairs(args.before_label)), _side(after, selected, pairs(args.label)))
    report, status = compared_sides(args, sides, limits)
    deliver(args, report)
    return status


def compare_groups(args: argparse.Namespace, paths: Sequence[Path]) -> int:
    """Compares the runs of each value of a label with those of the value before; limits are for the last one. Raises as
    `compare`."""
    if args.before_label:
        raise UsageError("--by compares all values of a label; leave out --before-label, and choose runs with --label")
    selected, limits = selection(args.filter, args.group), limits_of(args)
    groups = grouped(find_data(paths, pairs(args.label))[0], args.by)
    without = groups.pop("", [])
    values = [*groups]
    if len(values) < 2:
        there = f"the runs have only {args.by}={values[0]}" if values else f"no run has the label {args.by}"
        raise UsageError(f"--by {args.by}: nothing to compare: {there}")
    if without:
        say(f"{several(len(without), 'data file')} left out, without the label {args.by}")
    if args.format != "text" and len(values) > 2:
        say(f"-f {args.format} shows one comparison: {args.by}={values[-2]} and {values[-1]}")
        values = values[-2:]
    sides = [replace(_side(groups[value], selected, {}), names=[f"{args.by}={value}"]) for value in values]
    reports, status = [], 0
    for at, pair in enumerate(pairwise(sides), 2):
        report, status = compared_sides(args, pair, limits if at == len(sides) else [])
        reports.append(report)
    deliver(args, b"\n".join(reports))
    return status if all(side.whole.complete for side in sides) else 1


def limits_of(args: argparse.Namespace) -> list[Threshold]:
    return [one for text in args.fail_if for one in parse(text)]


def compared_sides(args: argparse.Namespace, sides: tuple[Side, Side], limits: list[Threshold]) -> tuple[bytes, int]:
    """The report, and the exit status. Raises UsageError, Failure."""
    options = options_of(args)
    for side in sides:
        side.whole.raw = args.raw
    sides[1].whole.class_sources = {
        **sides[0].whole.class_sources,
        **sides[1].whole.class_sources,
    }  # of rows that are gone
    sides[1].whole.made = {**sides[0].whole.made, **sides[1].whole.made}
    sections = compared(*sides, options.sort)
    for limit in without_rows(sections, limits):
        columns = dict.fromkeys(column.word for one in sections for column in one.section.by_name.values())
        missing = f"there is no column {limit.column} in what was recorded, only {', '.join(columns)}"
        there = missing if columns else "there are no rows on either side"
        raise Failure(f"--fail-if '{limit.text}' applies to no row: {there}")
    bad = broken(sections, limits)
    out = buffer()
    FORMS[args.format].load().report(sides, sections, bad, options, out)
    _say(sides[1], bad)
    _say_uncertain(sides, uncertain(sections, limits))
    _say_unknown(sides, unknown(sections, limits))
    return out.buffer.getvalue(), 0 if not bad and all(side.whole.complete for side in sides) else 1


def _side(paths: Sequence[Path], selected: Selection, labels: Mapping[str, str]) -> Side:
    from classhook.model.reading.files import read
    from classhook.store.runs import repetitions

    recorded = read_data(paths, labels)
    for complaint in recorded.complaints:
        say(complaint)
    selected.apply(recorded.snapshot)
    names = [f"{name}={value}" for name, value in labels.items()]
    side = Side([", ".join([str(path), *names]) for path in paths], recorded.snapshot)
    for program, runs in repetitions(find_data(paths, labels)[0]).items():
        side.runs[program] = [read(run.files) for run in runs]
        for one in side.runs[program]:
            selected.apply(one)
    return side


def _say(after: Side, bad: list[Broken]) -> None:
    from classhook.reports.comparison.text import cells

    by_text: dict[str, list[Broken]] = {}
    for one in bad:
        by_text.setdefault(one.expression, []).append(one)
    for text, rows in by_text.items():
        say(f"{text}: {several(len(rows), 'row')} beyond this limit")
        for one in rows[:SHOWN]:
            change = one.change
            before, now, by, percent, error = cells(one.column, change.differences[one.column.name], change.status)
            say(
                f"  {_label(after, one)}: {before.strip() or 'new'} -> {now.strip() or 'gone'},"
                f" {' '.join(filter(None, [by, percent, error]))}"
            )
        if len(rows) > SHOWN:
            say(f"  and {len(rows) - SHOWN:,} more")


def _say_uncertain(sides: tuple[Side, Side], rows: list[Broken]) -> None:
    runs = min(side.repetitions for side in sides)
    for one in rows[:NOISY]:
        percent = one.change.differences[one.column.name].percent
        say(
            f"{_label(sides[1], one)}: {one.column.name} {percent:+.0f} %, not certain with {several(runs, 'run')};"
            " record more"
        )
    if len(rows) > NOISY:
        say(f"and {len(rows) - NOISY:,} more")


def _say_unknown(sides: tuple[Side, Side], rows: list[Broken]) -> None:
    """Explains why exceeded limits let the build pass: one line for each of them."""
    before, after = (several(side.repetitions, "run") for side in sides)
    for text in dict.fromkeys(one.expression for one in rows):
        count = several(sum(one.expression == text for one in rows), "row")
        say(
            f"{text}: not decided for {count}: {before} before and {after} after do not show how much times vary from"
            " run to run; record several runs of each side, each side in a directory of its own"
        )


def _label(side: Side, row: Broken) -> str:
    from classhook.reports.section_view import row_names

    return row_names(side.whole, row.section, [row.change.key])[row.change.key].text()

"""`classhook report`: shows the counts as tables and call trees, in its own forms and those of other tools. Text and
JSON also have the coverage, if any was recorded."""

from __future__ import annotations

import argparse
from pathlib import Path

from classhook.api.recording import DEFAULT_DATA
from classhook.base.errors import UsageError
from classhook.base.names import printable
from classhook.base.terminal import say
from classhook.commands import coverage
from classhook.commands.arguments import selection, split_arguments
from classhook.commands.otlp import add_otlp, send
from classhook.commands.output import (
    add_label,
    add_output,
    add_rows,
    add_watch,
    destination,
    repeated,
    without_collections,
)
from classhook.commands.report_view import BY_THREAD, Asked, View, view, write
from classhook.commands.values import percentage
from classhook.reports.call_trees import TREES as MEASURES
from classhook.reports.forms import COVERAGE, TABLES_AND_TREES, forms

LIMITED = (
    "--fail-if of `report` is about methods: 'calls of java.sql.**::execute* > 10 by test'; changes between two sets of"
    " data are limited by classhook diff BEFORE AFTER --fail-if 'self > +10%'"
)

EPILOG = """\
Adds up all data files and directories given, including the files of JVMs that
are still running or were killed. A word after the data that is not a file is
the name of a method or class; one with `::` or `*` is a pattern, as in rules.
All that is known of the matches is printed, a line for each row of a table.
`-f text` and `-f json` also show coverage; for its other formats, see
`classhook coverage --help`.

Exit status:
  0  all data was read
  1  some data is missing (the report says what), nothing matches a name or
     pattern, or a limit of --fail-if is exceeded
  2  there is no data, or an argument is invalid

examples:
  classhook report                            what is in classhook-data/
  classhook report --top 100 --sort calls
  classhook report classhook-data place       all that is known of a method
  classhook report 'com.acme.Orders::place'   the same, of this class only
  classhook report --filter 'com.acme.**' --group package --columns self,calls
  classhook report --watch 2s --top 5 --columns calls,self
  classhook report -f json -o counts.json run1/ run2/
  classhook report -f flamegraph -o calls.html    open it in a browser
  classhook report -f tree --clock wall --cut 2
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "words",
        metavar="DIR|FILE|NAME",
        nargs="*",
        help=f"data (default: {DEFAULT_DATA}), and names or patterns of methods and classes",
    )
    add_output(parser, TABLES_AND_TREES, elsewhere=dict.fromkeys(forms(COVERAGE), "coverage"))
    add_label(parser, "--label")
    add_watch(parser)
    add_otlp(parser, "behind the data")
    add_rows(parser, "show all rows, including methods that never ran, and whole call trees")
    parts = parser.add_argument_group("contexts, tests (`run --tests`) and threads (a rule `threads`)")
    parts.add_argument(
        "--by",
        choices=["context", "test", *BY_THREAD],
        default="",
        metavar="WHAT",
        help=(
            "also show each table by context, test or thread; pool: threads whose names differ only in their last"
            " number together"
        ),
    )
    parts.add_argument(
        "--context", metavar="NAME", help="show only the counts of this context; '' for those outside of all contexts"
    )
    parts.add_argument(
        "--test",
        metavar="NAME",
        help="show only the counts of this test, or container of tests (`classhook run --tests`)",
    )
    parts.add_argument(
        "--thread", metavar="NAME", help="show only the counts of the threads with this name; `*` is a wildcard"
    )
    parts.add_argument(
        "--fail-if",
        metavar="LIMIT",
        action="append",
        default=[],
        help=(
            "exit with status 1 if methods exceed this, in all, by test or by context; may be repeated: "
            "'calls of java.sql.**::execute* > 10 by test'"
        ),
    )
    trees = parser.add_argument_group("call trees")
    trees.add_argument(
        "--clock",
        choices=["cpu", "wall"],
        default="",
        help="the time that a call tree shows (default: cpu, if it was measured)",
    )
    trees.add_argument(
        "--measure",
        choices=list(MEASURES),
        default="",
        help="the call tree to show (default: the first of these that was recorded)",
    )
    trees.add_argument(
        "--cut",
        metavar="P",
        type=percentage,
        default=0.5,
        help="with -f tree, leave out calls below P percent (default: 0.5)",
    )


def execute(args: argparse.Namespace) -> int:
    paths, patterns = split_arguments(args.words)
    _check(args, paths)
    if args.otlp is not None:
        return send(args, paths, selection([*args.filter, *patterns], args.group))
    if args.watch:
        return repeated(args, paths, lambda: report(args, paths, patterns))
    return report(args, paths, patterns)


def _check(args: argparse.Namespace, paths: list[Path]) -> None:
    """Raises UsageError for what another command does."""
    executed = coverage.split_files(paths)[1]
    if executed:
        raise UsageError(f"{executed[0]}: JaCoCo's data is of coverage only; use: classhook coverage {executed[0]}")
    if any(" of " not in text for text in args.fail_if):
        raise UsageError(LIMITED)


def report_of(data: Path) -> int:
    """The report of a data file, as without options; the exit status."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return execute(parser.parse_args([str(data)]))


def report(args: argparse.Namespace, paths: list[Path], patterns: list[str]) -> int:
    """One report; the exit status."""
    without_collections()
    asked = Asked.from_arguments(args, patterns)
    found = view(asked, paths)
    with destination(args) as out:
        write(asked, found, out)
    return _concluded(asked, found, to_file=bool(args.output))


def _concluded(asked: Asked, found: View, to_file: bool) -> int:
    """Prints what the report does not say; the exit status."""
    snapshot, whole = found.snapshot, found.coverage
    for complaint in found.complaints:  # no counts are missing
        say(complaint)
    if (
        asked.filters
        and not asked.answers
        and not asked.selection.found(snapshot, asked.options.all)
        and not (whole and any(whole.counters))
    ):
        lists = "lists all rows" if asked.options.all else "also lists methods that never ran"
        say(f"--filter {' '.join(asked.filters)}: no row matches; `classhook report --all` {lists}")
    if to_file or asked.form != "text" or asked.answers:  # the whole report contains the notes
        for note in [*snapshot.notes, *(note for process in snapshot.processes for note in process.notes)]:
            say(printable(note))
    for line in found.exceeded:
        say(line)
    incomplete = coverage.judged(whole, {}) if whole else 0
    return 1 if incomplete or found.exceeded or found.missing or not snapshot.complete else 0

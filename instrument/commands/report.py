"""`classhook report`: shows the counts as tables and call trees, in its own forms and those of other tools.

Text and JSON also have the coverage, if any was recorded. Other forms of coverage, and comparisons, were options of this command before they
became commands: old_forms.py.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from classhook.api.reading import Recorded, read_data
from classhook.api.recording import DEFAULT_DATA
from classhook.commands import coverage, old_forms
from classhook.commands.arguments import selection, split_arguments
from classhook.commands.otlp import add_otlp, send
from classhook.commands.output import add_label, add_output, add_rows, add_watch, destination, options_of, repeated, without_collections
from classhook.commands.values import percentage
from classhook.errors import Failure, UsageError
from classhook.measures.threads.reader import ThreadRow
from classhook.model.chosen import Within
from classhook.model.rows import Key
from classhook.model.snapshot import Snapshot
from classhook.names import printable
from classhook.reports import Options
from classhook.reports.contexts import add_contexts, add_costs, in_context
from classhook.reports.coverage import Whole
from classhook.reports.coverage.recorded import NoCoverage, Request, recorded_coverage
from classhook.reports.filters import is_pattern
from classhook.reports.forms import COVERAGE, TABLES_AND_TREES, forms
from classhook.reports.limits import broken, parse
from classhook.reports.lookup import about, nearest, unmatched
from classhook.reports.paths import TREES as MEASURES
from classhook.reports.selection import Selection
from classhook.reports.tests import named as named_test
from classhook.reports.threads import TABLE as THREADS
from classhook.reports.threads import add_threads, named, of_threads
from classhook.run_labels import pairs
from classhook.terminal import say

WITH_COVERAGE = ("text", "json")  # forms that show tables and coverage
BY_THREAD = ("thread", "pool")  # of --by

EPILOG = """\
Adds up all data files and directories given, including the files of JVMs that
are still running or were killed. A word behind the data that is no file is the
name of a method or class, and one with `::` or `*` a pattern, as in rules: all
that is known of what it matches is printed, one line for each row of a table.
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
        "words", metavar="DIR|FILE|NAME", nargs="*", help=f"data (default: {DEFAULT_DATA}), and names or patterns of methods and classes"
    )
    add_output(parser, TABLES_AND_TREES, old=forms(COVERAGE))
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
        help="also show each table by context, test or thread; pool: threads whose names differ only in their last number together",
    )
    parts.add_argument("--context", metavar="NAME", help="show only what was counted in this context; '' for what no context counted")
    parts.add_argument("--test", metavar="NAME", help="show only what was counted in this test, or container of tests (`classhook run --tests`)")
    parts.add_argument("--thread", metavar="NAME", help="show only what was counted of the threads of this name; `*` is a wildcard")
    parts.add_argument(
        "--fail-if",
        metavar="LIMIT",
        action="append",
        default=[],
        help="exit with status 1 if methods exceed this, in all, by test or by context; may be repeated: "
        "'calls of java.sql.**::execute* > 10 by test'",
    )
    trees = parser.add_argument_group("call trees")
    trees.add_argument("--clock", choices=["cpu", "wall"], default="", help="the time that a call tree shows (default: cpu, if it was measured)")
    trees.add_argument("--measure", choices=list(MEASURES), default="", help="the call tree to show (default: the first of these that was recorded)")
    trees.add_argument("--cut", metavar="P", type=percentage, default=0.5, help="with -f tree, leave out calls below P percent (default: 0.5)")
    old_forms.add_arguments(parser)


def execute(args: argparse.Namespace) -> int:
    old = old_forms.command_for(args)
    if old is not None:
        return old()
    arguments = split_arguments(args.words)
    if args.otlp is not None:
        return send(args, arguments.paths, selection([*args.filter, *arguments.patterns], args.group))
    if args.watch:
        return repeated(args, arguments.paths, lambda: report(args, arguments.paths, arguments.patterns))
    return report(args, arguments.paths, arguments.patterns)


def of(data: Path) -> int:
    """The report of a data file, as without options; the exit status."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return execute(parser.parse_args([str(data)]))


def report(args: argparse.Namespace, paths: list[Path], patterns: list[str]) -> int:
    """One report; the exit status."""
    without_collections()
    options = replace(options_of(args), clock=args.clock, measure=args.measure, cut=args.cut)
    exceeded = [parse(text) for text in args.fail_if]
    chosen = selection([*args.filter, *patterns], args.group)
    request, limits = coverage.request_of(args, chosen.matches)
    own, exec_files = coverage.split_files(paths)
    recorded = _read(own, patterns, pairs(args.label)) if own else Recorded(Snapshot(), [], [])
    recorded.snapshot.raw = args.raw
    if patterns:
        chosen = replace(chosen, matches=about([*args.filter, *patterns], recorded.snapshot))
        request.wishes.matches = chosen.matches
    if args.test is not None:
        args.context = named_test(recorded.snapshot, args.test)
    if args.context is not None:
        request.context = args.context
    answers, names = bool(patterns) and args.format == "text", [word for word in patterns if not is_pattern(word)]
    whole_run, recorded = recorded.snapshot, part_of(args, recorded)
    snapshot = recorded.snapshot
    lines = broken(snapshot, exceeded)
    missing = unmatched(patterns, snapshot) if answers or names else []
    if missing:
        if not chosen.has_rows(snapshot):
            raise Failure(nothing(snapshot, patterns))
        say(nothing(snapshot, missing))
    costs = add_parts(args, whole_run, snapshot, chosen) if args.by and not answers else {}
    chosen.apply(snapshot)
    if costs:
        snapshot.tables[THREADS] = costs
    if old_forms.shows_coverage(args, snapshot):
        coverage.check(args, patterns)
        return coverage.show(args, request, limits, recorded, exec_files) or min(1, len(missing))
    whole = None
    asked = bool(exec_files) or old_forms.needs_coverage(args)
    if (args.format in WITH_COVERAGE and (asked or whole_run.covered) and (not answers or snapshot.tables["coverage"])) or limits:
        try:
            whole = recorded_coverage(request, recorded.files, snapshot, exec_files)
        except NoCoverage:
            if asked:
                raise
    with destination(args) as out:
        if answers:
            write_answer(snapshot, options, request, whole, out)
        else:
            _write(args, options, snapshot, request, whole, out)
    for complaint in recorded.complaints:  # no counts are missing
        say(complaint)
    if args.filter and not answers and not chosen.found(snapshot, options.all) and not (whole and any(whole.counters)):
        lists = "lists all rows" if options.all else "also lists methods that never ran"
        say(f"--filter {' '.join(args.filter)}: no row matches; `classhook report --all` {lists}")
    if args.output or args.format != "text" or answers:  # the whole report contains the notes
        for note in [*snapshot.notes, *(note for process in snapshot.processes for note in process.notes)]:
            say(printable(note))
    for line in lines:
        say(line)
    status = 1 if lines or missing else 0
    status = coverage.judged(whole, limits) or status if whole else status
    return status or (0 if snapshot.complete else 1)


def _read(paths: Sequence[Path], patterns: Sequence[str], labels: Mapping[str, str]) -> Recorded:
    """The data. Where there is none, a word that was taken for a name may be data that is missing."""
    try:
        return read_data(paths, labels)
    except UsageError as error:
        words = [f"{word}: no such file or directory; " for word in patterns if not is_pattern(word)]
        raise UsageError("".join(words) + str(error)) from None


def part_of(args: argparse.Namespace, recorded: Recorded) -> Recorded:
    """What --context, --test and --thread choose of what was recorded."""
    snapshot, threads = recorded.snapshot, _threads(args, recorded.snapshot)
    if args.context is not None:
        snapshot = in_context(snapshot, args.context, threads)
    elif threads is not None:
        snapshot = of_threads(snapshot, threads)
    return recorded._replace(snapshot=snapshot)


def add_parts(args: argparse.Namespace, whole: Snapshot, snapshot: Snapshot, chosen: Selection) -> dict[Key, ThreadRow]:
    """The report shows each context or thread, too (--by), in the forms that can. Returns what each thread cost."""
    threads = _threads(args, whole)
    if args.by and args.by not in BY_THREAD and args.context is not None:
        raise UsageError(f"--by {args.by}: one context was chosen, and there are no others in it; --by thread and --by pool show threads in it")
    if args.by in BY_THREAD:
        return add_threads(whole, snapshot, Within(args.context, threads), chosen, pools=args.by == "pool")
    at_once = args.format == "json" and chosen.matches is None and not chosen.by  # each row follows when its context is read
    if not at_once:
        add_costs(whole, snapshot, threads)
    add_contexts(whole, snapshot, threads, chosen.apply, costs=at_once)
    return {}


def _threads(args: argparse.Namespace, whole: Snapshot) -> frozenset[str] | None:
    return named(whole, args.thread) if args.thread is not None else None


def write_answer(snapshot: Snapshot, options: Options, request: Request, whole: Whole | None, out: TextIO) -> None:
    """One line for each row that matches, and the coverage of the methods."""
    from classhook.reports.answer import report

    report(snapshot, replace(options, all=True), out)
    if whole is not None and not options.columns and any(whole.counters):
        out.write("\n")
        request.format.report(whole, request.wishes, out)


def nothing(snapshot: Snapshot, patterns: Sequence[str]) -> str:
    """What is said if nothing matches: what may have been meant."""
    near = nearest(patterns, snapshot)
    nor_file = ", and there is no such file or directory" if any(not is_pattern(word) for word in patterns) else ""
    said = [f"{' '.join(patterns)}: nothing that was counted matches{nor_file}"]
    said += [f"for the file of this name write ./{pattern}" for pattern in patterns if os.path.lexists(pattern)]
    said += [f"did you mean {' or '.join(near)}?"] * bool(near)
    return "; ".join([*said, "`classhook report --all` lists all methods with counts"]).replace("?;", "?")


def _write(args: argparse.Namespace, options: Options, snapshot: Snapshot, request: Request, whole: Whole | None, out: TextIO) -> None:
    """The tables or trees, and coverage in the forms that have both."""
    if whole is not None and args.format == "json":
        from classhook.reports.coverage.json import source_files

        snapshot.source_files = source_files(whole)
    if snapshot.processes or args.format == "json":
        TABLES_AND_TREES[args.format].load().report(snapshot, options, out)
    if whole is not None and args.format == "text":
        if snapshot.processes:
            out.write("\n")
        request.format.report(whole, request.wishes, out)

"""`classhook report`: shows what was counted, as tables, call trees and coverage, in its own formats and those of other tools."""

from __future__ import annotations

import argparse
import io
import os
import shutil
import stat
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from instrument.commands import comparing, coverage
from instrument.commands.common import write_whole
from instrument.commands.reading import read_data, selection, split_arguments
from instrument.commands.run import DEFAULT_DATA
from instrument.commands.values import number_of, percentage, seconds
from instrument.data.rows import Snapshot
from instrument.errors import Failure, UsageError
from instrument.names import printable
from instrument.reports import FORMATS, Options
from instrument.reports.coverage import Whole
from instrument.reports.groups import GROUPS
from instrument.reports.paths import TREES
from instrument.terminal import say

BINARY = frozenset({name for name, one in FORMATS.items() if one.binary}) | coverage.BINARY
TERMINAL = (80, 24)  # where there is none
NARROWEST = 24  # columns: in fewer, there is no table

EPILOG = """\
Reports add up all data files and directories given, including the files of
JVMs that are still running or were killed. A pattern, as in rules, prints one
line for each method that it matches.

Exit status:
  0  all data was read
  1  some data is missing (the report says what), nothing matches a pattern, or
     coverage or changes are beyond --fail-under or --fail-if
  2  there is no data, or an argument is neither data nor a pattern

examples:
  classhook report                            what is in classhook-data/
  classhook report --top 100 --sort calls
  classhook report 'com.acme.Orders::place'   how often, how long?
  classhook report --filter 'com.acme.**' --group package --columns self,calls
  classhook report --watch 2s --top 5 --columns calls,self
  classhook report --diff before/ after/ --fail-if 'self > +10%'
  classhook report -f json -o counts.json run1/ run2/
  classhook report -f flamegraph -o calls.html    open it in a browser
  classhook report -f tree --clock wall --cut 2
  classhook report -f html -o page.html --classes target/classes --sources src
  classhook report -f jacoco-xml -o jacoco.xml --fail-under line=80,branch=70
  classhook report -f github --diff origin/main...HEAD --fail-under new=90
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", metavar="DIR|FILE|PATTERN", nargs="*", help=f"data (default: {DEFAULT_DATA}), or patterns of methods")
    formats = sorted({*FORMATS, *coverage.FORMATS})
    parser.add_argument("-f", "--format", metavar="FORMAT", choices=formats, default="text", help=f"{', '.join(formats)} (default: text)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of stdout")
    parser.add_argument("--watch", metavar="TIME", type=seconds,
                        help="repeat the report every TIME (2s, 5m, ...) while a JVM is running; with -f json, one line per report")
    rows = parser.add_argument_group("rows of tables")
    rows.add_argument("--all", action="store_true", help="show all rows, including those that never ran; trees in full")
    rows.add_argument("--filter", metavar="PATTERN", action="append", default=[], help="only these methods: as in rules, or a part of a name")
    rows.add_argument("--group", choices=list(GROUPS), default="", help="add rows up")
    rows.add_argument("--top", metavar="N", type=number_of("rows"), default=30, help="rows of each table in text (default: 30; 0: all)")
    rows.add_argument("--sort", metavar="COLUMN", default="", help="order of rows, the largest first (default: a table's first column)")
    rows.add_argument("--columns", metavar="NAME,...", type=_names, default=(), help="the columns of text, such as self,calls,mean,min,p99")
    rows.add_argument("--wide", action="store_true", help="text with all columns and whole names, however wide the terminal is")
    trees = parser.add_argument_group("call trees")
    trees.add_argument("--clock", choices=["cpu", "wall"], default="", help="whose time a call tree shows (default: cpu, where it has that)")
    trees.add_argument("--measure", choices=list(TREES), default="", help="whose call tree, if there are several (default: the first of these); "
                       "of -f csv and html, not coverage")
    trees.add_argument("--cut", metavar="P", type=percentage, default=0.5, help="of -f tree, leave out calls below P percent (default: 0.5)")
    changes = parser.add_argument_group("changes", "--diff BEFORE AFTER compares directories of data, each of one or more runs")
    changes.add_argument("--fail-if", metavar="CHANGE", action="append", default=[],
                         help="exit with 1 if a row changed more: 'self > +10%%', 'calls > +0', 'p99 > +5ms'; noise is no change")
    coverage.add_arguments(parser)


def execute(args: argparse.Namespace) -> int:
    if args.watch:
        from instrument.commands.watch import repeated

        return repeated(args, report)
    return report(args)


def report(args: argparse.Namespace) -> int:
    """One report; the exit status."""
    import gc

    gc.disable()  # there are many rows and no cycles
    options = options_of(args)
    asked = split_arguments(args.words, DEFAULT_DATA)
    chosen = selection([*args.filter, *asked.patterns], args.group)
    limits = comparing.thresholds(args.fail_if) if args.fail_if else []
    if comparing.is_data(args.diff):
        if args.fail_under is not None:
            raise UsageError(f"--fail-under is about coverage, and --diff {args.diff} compares data: changes of data have limits by --fail-if")
        data, well = comparing.compare(Path(args.diff), asked.paths, args.format, chosen, limits, options)
        deliver(args, data)
        return 0 if well else 1
    if limits:
        raise UsageError("--fail-if is about changes: say between which data with --diff BEFORE AFTER")
    jacoco = [path for path in asked.paths if path.suffix == ".exec"]
    request = _coverage(args)
    request.wishes.matches = chosen.matches
    complaints: list[str] = []
    snapshot, files = Snapshot(), list[Path]()
    if len(jacoco) < len(asked.paths):
        snapshot, files, complaints = read_data([path for path in asked.paths if path not in jacoco])
        chosen.apply(snapshot)
    elif args.format not in coverage.FORMATS:
        raise UsageError(f"-f {args.format} shows nothing of data files of JaCoCo; formats of coverage are {', '.join(sorted(coverage.FORMATS))}")
    answers = bool(asked.patterns) and args.format == "text"
    tables = args.format in coverage.EITHER and not (jacoco or coverage.is_about(args) or (snapshot.tables["coverage"] and not args.measure))
    if args.format in coverage.ONLY or (args.format in coverage.EITHER and not tables):
        _refuse_rows(args, asked.patterns)
    whole = None
    if (args.format in coverage.FORMATS and not answers and not tables) or request.least:
        needed = bool(jacoco) or coverage.is_about(args)
        whole = coverage.examined(request, files, snapshot, jacoco, needed)
    deliver(args, answered(snapshot, options, asked.patterns) if answers else _written(args, options, snapshot, request, whole))
    for complaint in complaints:  # no counts are missing
        say(complaint)
    if args.filter and not answers and not chosen.found(snapshot, options.all) and not (whole and any(whole.counters)):
        say(f"--filter {' '.join(args.filter)}: nothing that {'was counted' if options.all else 'ran'} matches; "
            f"`classhook report{'' if options.all else ' --all'}` lists what was")  # fmt: skip
    if args.output or args.format != "text" or answers:  # the whole report contains the notes
        for note in [*snapshot.notes, *(note for process in snapshot.processes for note in process.notes)]:
            say(printable(note))
    for note in whole.notes if whole else []:
        say(printable(note))
    low = coverage.too_low(whole, request)
    for line in low:
        say(line)
    return 0 if snapshot.complete and not low and (whole is None or whole.complete) else 1


def _refuse_rows(args: argparse.Namespace, patterns: list[str]) -> None:
    """Raises UsageError for what chooses and orders rows of tables, where there are none."""
    given = [f"--{name}" for name in ("filter", "group", "sort", "columns") if getattr(args, name)] + [repr(one) for one in patterns]
    if given:
        raise UsageError(f"{', '.join(given)}: for tables, but -f {args.format} always shows all coverage; choose classes with rules, "
                         "--classes and --only")


def _coverage(args: argparse.Namespace) -> coverage.Request:
    """What is asked for of coverage. Raises UsageError."""
    try:
        return coverage.request(args)
    except UsageError as error:
        if args.diff is None:
            raise
        raise UsageError(f"{error}; nor is {args.diff} a file or directory of data") from None


def options_of(args: argparse.Namespace) -> Options:
    """Raises UsageError where a column does not exist."""
    from instrument.reports.view import check

    options = Options(all=args.all, top=0 if args.all else args.top, sort=args.sort, columns=args.columns, width=0 if args.wide else width(args),
                      terminal=not args.output and sys.stdout.isatty(), clock=args.clock, measure=args.measure, cut=args.cut)  # fmt: skip
    if options.sort or options.columns:
        check(options)
    return options


def width(args: argparse.Namespace) -> int:
    """The columns of text; 0 for any, in files."""
    try:
        to_file = args.output or stat.S_ISREG(os.fstat(1).st_mode)
    except OSError:
        to_file = True
    return 0 if to_file else max(shutil.get_terminal_size(TERMINAL).columns, NARROWEST)


def deliver(args: argparse.Namespace, data: bytes) -> None:
    """Writes the report to where it goes. Raises UsageError."""
    if args.output:
        write_whole(Path(args.output), data)
    elif args.format in BINARY and sys.stdout.isatty():
        raise UsageError(f"-f {args.format} is not text: name a file with -o, or send it to a program")
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(b" ".join(data.splitlines()) + b"\n" if args.watch and args.format == "json" else data)
        sys.stdout.buffer.flush()


def answered(snapshot: Snapshot, options: Options, patterns: Sequence[str]) -> bytes:
    """What is known of single methods. Raises Failure if there are none."""
    from instrument.reports.answer import report

    out = _buffer()
    if not report(snapshot, replace(options, all=True), out):
        raise Failure(f"{' '.join(patterns)}: nothing that was counted matches; `classhook report --all` lists what was")
    return out.buffer.getvalue()


def _buffer() -> io.TextIOWrapper[io.BytesIO]:
    return io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace", newline="\n", write_through=True)


def _written(args: argparse.Namespace, options: Options, snapshot: Snapshot, asked: coverage.Request, whole: Whole | None) -> bytes:
    """The report."""
    out = _buffer()
    if whole is not None and args.format == "json":
        snapshot.source_files = [row for package in whole.packages for row in package.piece]
    if args.format in FORMATS and (snapshot.processes or args.format == "json") and (whole is None or args.format not in coverage.EITHER):
        FORMATS[args.format]()(snapshot, options, out)
    if whole is not None and args.format in coverage.FORMATS and args.format != "json":
        if snapshot.processes and args.format == "text":
            out.write("\n")
        asked.format.report(whole, asked.wishes, out)
    return out.buffer.getvalue()


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip()) or ("",)

"""`classhook report`: shows what was counted, as text, JSON, or call trees and coverage in the formats of other tools."""

from __future__ import annotations

import argparse
import io
import sys
from pathlib import Path

from instrument.commands import coverage
from instrument.commands.common import write_whole
from instrument.commands.run import DEFAULT_DATA
from instrument.data.rows import Snapshot
from instrument.errors import Failure, UsageError
from instrument.measures.methods import SORT_KEYS
from instrument.measures.profiled import SORT_KEYS as SAMPLED_KEYS
from instrument.names import printable
from instrument.reports import FORMATS, Options
from instrument.reports.coverage import Whole
from instrument.reports.paths import TREES
from instrument.terminal import say

BINARY = frozenset({"hprof", "pprof"}) | coverage.BINARY

EPILOG = """\
Data files and directories are added up, including those of JVMs that are running or were killed.
Exit status: 0 all data was read; 1 some is missing, and the report says what, or coverage is below --fail-under;
2 there is no data.

examples:
  classhook report                     what is in classhook-data/
  classhook report --top 100 --sort calls
  classhook report -f json -o counts.json run1/ run2/
  classhook report -f flamegraph -o calls.html     open it in a browser
  classhook report -f tree --clock wall --cut 2
  classhook report -f html -o coverage.html --classes target/classes --sources src
  classhook report -f jacoco-xml -o jacoco.xml --fail-under line=80,branch=70
  classhook report -f github --diff origin/main...HEAD --fail-under new=90
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", metavar="DIR|FILE", nargs="*", help=f"data directories or files (default: {DEFAULT_DATA})")
    formats = sorted({*FORMATS, *coverage.FORMATS})
    parser.add_argument("-f", "--format", metavar="FORMAT", choices=formats, default="text", help=f"{', '.join(formats)} (default: text)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of stdout")
    parser.add_argument("--all", action="store_true", help="show all rows, including methods and sites that never ran")
    parser.add_argument("--top", metavar="N", type=_rows, default=30, help="rows of each table in text (default: 30; 0: all)")
    parser.add_argument("--clock", choices=["cpu", "wall"], default="", help="whose time a call tree shows (default: cpu, where it has that)")
    parser.add_argument("--measure", choices=list(TREES), default="", help="whose call tree, if there are several (default: the first of these)")
    parser.add_argument("--cut", metavar="P", type=_percent, default=0.5, help="of -f tree, leave out calls below P percent (default: 0.5)")
    keys = sorted({*SORT_KEYS, *SAMPLED_KEYS})
    parser.add_argument("--sort", choices=keys, default="self", help="order of timed and profiled methods (default: self)")
    coverage.add_arguments(parser)


def execute(args: argparse.Namespace) -> int:
    import gc

    from instrument.data.file import DataError
    from instrument.data.snapshot import data_files, read
    from instrument.data.tmpfs import bring_home

    gc.disable()  # there are many rows and no cycles
    paths = [Path(p) for p in args.paths or [DEFAULT_DATA]]
    jacoco = [path for path in paths if path.suffix == ".exec"]
    asked = coverage.request(args)
    complaints: list[str] = []
    snapshot = Snapshot()
    files: list[Path] = []
    if len(jacoco) < len(paths):
        try:
            files = data_files(path for path in paths if path not in jacoco)
        except DataError as error:
            raise UsageError(f"{error}; `classhook run` writes data to the directory given by its -o") from None
        if not files:
            raise UsageError(f"{', '.join(map(str, paths))}: no data files; `classhook run` writes them to the directory given by its -o")
        complaints = bring_home(files)
        snapshot = read(files)
        if not snapshot.processes:
            raise Failure("nothing to report:\n" + "\n".join(map(printable, snapshot.notes)))
    elif args.format not in coverage.FORMATS:
        raise UsageError(f"-f {args.format} shows nothing of data files of JaCoCo; formats of coverage are {', '.join(sorted(coverage.FORMATS))}")
    whole = None
    if args.format in coverage.FORMATS or asked.least:
        needed = bool(jacoco) or coverage.is_about(args)
        whole = coverage.examined(asked, files, snapshot.processes, jacoco, needed)
    data = _written(args, snapshot, asked, whole)
    if args.output:
        write_whole(Path(args.output), data)
    elif args.format in BINARY and sys.stdout.isatty():
        raise UsageError(f"-f {args.format} is not text: name a file with -o, or send it to a program")
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
    for complaint in complaints:  # no counts are missing
        say(complaint)
    if args.output or args.format != "text":  # the text report contains the notes
        for note in [*snapshot.notes, *(note for process in snapshot.processes for note in process.notes)]:
            say(printable(note))
    for note in whole.notes if whole else []:
        say(printable(note))
    low = coverage.too_low(whole, asked)
    for line in low:
        say(line)
    return 0 if snapshot.complete and not low and (whole is None or whole.complete) else 1


def _written(args: argparse.Namespace, snapshot: Snapshot, asked: coverage.Request, whole: Whole | None) -> bytes:
    """The report."""
    terminal = not args.output and sys.stdout.isatty()
    options = Options(all=args.all, top=0 if args.all else args.top, sort=args.sort, terminal=terminal, clock=args.clock,
                      measure=args.measure, cut=args.cut)  # fmt: skip
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace", newline="\n", write_through=True)
    if whole is not None and args.format == "json":
        snapshot.source_files = [row for package in whole.packages for row in package.piece]
    if args.format in FORMATS and (snapshot.processes or args.format == "json"):
        FORMATS[args.format]()(snapshot, options, out)
    if whole is not None and args.format in coverage.FORMATS and args.format != "json":
        if snapshot.processes and args.format == "text":
            out.write("\n")
        asked.format.report(whole, asked.wishes, out)
    return out.buffer.getvalue()


def _rows(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number


def _percent(text: str) -> float:
    number = float(text)
    if not 0 <= number <= 100:
        raise ValueError(text)
    return number


_percent.__name__ = "percentage"
_rows.__name__ = "number of rows"  # argparse says "invalid number of rows value: ..."

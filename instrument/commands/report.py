"""`classhook report`: shows what was counted, as text, JSON, or a call tree in the formats of other tools."""

from __future__ import annotations

import argparse
import io
import sys
from pathlib import Path

from instrument.commands.common import write_whole
from instrument.commands.run import DEFAULT_DATA
from instrument.errors import Failure, UsageError
from instrument.measures.methods import SORT_KEYS
from instrument.measures.profiled import SORT_KEYS as SAMPLED_KEYS
from instrument.names import printable
from instrument.reports import FORMATS, Options
from instrument.reports.paths import TREES
from instrument.terminal import say

BINARY = frozenset({"pprof"})

EPILOG = """\
Data files and directories are added up, including those of JVMs that are running or were killed.
Exit status: 0 all data was read; 1 some is missing, and the report says what; 2 there is no data.

examples:
  classhook report                     what is in classhook-data/
  classhook report --top 100 --sort calls
  classhook report -f json -o counts.json run1/ run2/
  classhook report -f flamegraph -o calls.html     open it in a browser
  classhook report -f tree --clock wall --cut 2
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", metavar="DIR|FILE", nargs="*", help=f"data directories or files (default: {DEFAULT_DATA})")
    parser.add_argument("-f", "--format", choices=sorted(FORMATS), default="text", help="format of the report (default: text)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of stdout")
    parser.add_argument("--all", action="store_true", help="show all rows, including methods and sites that never ran")
    parser.add_argument("--top", metavar="N", type=_rows, default=30, help="rows of each table in text (default: 30; 0: all)")
    parser.add_argument("--clock", choices=["cpu", "wall"], default="", help="whose time a call tree shows (default: cpu, where it has that)")
    parser.add_argument("--measure", choices=list(TREES), default="", help="whose call tree, if there are several (default: the first of these)")
    parser.add_argument("--cut", metavar="P", type=_percent, default=0.5, help="of -f tree, leave out calls below P percent (default: 0.5)")
    keys = sorted({*SORT_KEYS, *SAMPLED_KEYS})
    parser.add_argument("--sort", choices=keys, default="self", help="order of timed and profiled methods (default: self)")


def execute(args: argparse.Namespace) -> int:
    import gc

    from instrument.data.file import DataError
    from instrument.data.snapshot import data_files, read
    from instrument.data.tmpfs import bring_home

    gc.disable()  # there are many rows and no cycles
    paths = [Path(p) for p in args.paths or [DEFAULT_DATA]]
    try:
        files = data_files(paths)
    except DataError as error:
        raise UsageError(f"{error}; `classhook run` writes data to the directory given by its -o") from None
    if not files:
        raise UsageError(f"{', '.join(map(str, paths))}: no data files; `classhook run` writes them to the directory given by its -o")
    complaints = bring_home(files)
    snapshot = read(files)
    if not snapshot.processes:
        raise Failure("nothing to report:\n" + "\n".join(map(printable, snapshot.notes)))
    terminal = not args.output and sys.stdout.isatty()
    options = Options(all=args.all, top=0 if args.all else args.top, sort=args.sort, terminal=terminal, clock=args.clock,
                      measure=args.measure, cut=args.cut)  # fmt: skip
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace", newline="\n", write_through=True)
    FORMATS[args.format]()(snapshot, options, out)
    data = out.buffer.getvalue()
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
    return 0 if snapshot.complete else 1


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

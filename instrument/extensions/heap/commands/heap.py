"""`classhook heap`: what a heap dump holds."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from classhook.base.errors import Failure, UsageError
from classhook.base.files import output
from classhook.base.terminal import say, show
from classhook.commands.values import number_of, offer

SMALL = 256 << 20  # bytes of a dump whose suspects are shown without being asked for
FORMATS = ("text", "json", "parquet")
SHOWN = ("suspects", "histogram", "biggest", "dominators", "strings", "roots")

EPILOG = """\
FILE is a dump in HPROF's binary format, as `jcmd PID GC.heap_dump FILE` writes
it. With a process id, that JVM stands still while it writes one to TMPDIR,
which is deleted at the end. A dump compressed with -gz is first unpacked
there.

views (--show):
  suspects     the objects that retain most, with the way to each from a root
  histogram    objects and bytes by class, with sizes as in the JVM
  biggest      objects by retained size: everything that would be garbage
               without them
  dominators   classes by the retained size of all their objects together, with
               the classes that dominate them
  strings      duplicate strings
  roots        roots by kind

Levels are those of JVMPI's heap dumps: 0 lists the objects, 1 also references
and roots, 2 also all values.
Exit status: 0 done; 2 the file is not a heap dump, or is damaged.

examples:
  jcmd PID GC.heap_dump /tmp/app.hprof
  classhook heap /tmp/app.hprof
  classhook heap 4711
  classhook heap /tmp/app.hprof --show biggest,dominators,strings --top 20
  classhook heap /tmp/app.hprof --path com.acme.Cache --path 7f001234
  classhook heap /tmp/later.hprof --since /tmp/app.hprof
  classhook heap /tmp/app.hprof -f parquet -o app/    for SQL
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE|PID", help="a heap dump, or a running JVM, whose heap is dumped for this")
    views = parser.add_argument(
        "--show",
        metavar="VIEW,...",
        type=_views,
        help=f"the views to show, see below (default: suspects, of dumps of up to {SMALL >> 20} MiB, and histogram)",
    )
    offer(views, lambda: SHOWN)
    parser.add_argument(
        "--path",
        metavar="OBJECT|CLASS",
        action="append",
        default=[],
        help="show the shortest paths from the GC roots to this object, or to the objects of this class",
    )
    parser.add_argument("--since", metavar="OLDER", help="show what changed by class since an older dump")
    parser.add_argument(
        "--level", type=int, choices=(0, 1, 2), help="list all objects instead, as a heap dump of JVMPI does"
    )
    parser.add_argument(
        "-f",
        "--format",
        choices=("text", "json", "parquet"),
        default="text",
        help="text (default), json, or tables in Parquet for SQL",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write to FILE instead of stdout; with -f parquet, the directory for the tables",
    )
    parser.add_argument(
        "--top", metavar="N", type=number_of("rows"), default=30, help="number of rows per table (default: 30; 0: all)"
    )


def execute(args: argparse.Namespace) -> int:
    if args.level is not None and (args.show or args.path or args.since or args.format != "text"):
        raise UsageError("--level lists objects; it cannot be combined with other views or formats")
    if find_spec("numpy") is None:
        raise UsageError("reading heap dumps requires numpy, which is not installed: pip install 'classhook[heap]'")
    if args.file.isdecimal() and not Path(args.file).exists():
        from classhook.live.diagnostic_commands import dumped_heap
        from classhook.live.jvms import named

        with dumped_heap(named(args.file)) as dump:
            return read(argparse.Namespace(**{**vars(args), "file": str(dump)}))
    return read(args)


def read(args: argparse.Namespace) -> int:
    """Shows what a dump holds."""
    if args.level is not None:
        return _level(args)
    if args.format == "parquet":
        return _tables(args)
    from classhook.extensions.heap import show as shown_as
    from classhook.extensions.heap import views
    from classhook.extensions.heap.heap import opened
    from classhook.extensions.heap.looked import Looked

    looked = Looked(opened(Path(args.file)), args.top)
    shown = args.show or ([] if args.path or args.since else usual(len(looked.heap.dump.data)))
    made = {}
    for name in shown:
        try:
            made[name] = views.VIEWS[name](looked)
        except Failure as error:
            if args.show:
                raise
            say(f"{error}; {name} are left out")  # nobody has asked for them
    if args.since:
        made["changes"] = views.changes(looked, Looked(opened(Path(args.since)), args.top))
    looked.drop_sizes()
    ways = dict(shown_as.paths_to(looked, target) for target in args.path)
    out = io.StringIO()
    (shown_as.as_json if args.format == "json" else shown_as.text)(looked.heap, made, ways, out)
    _write(args, iter([out.getvalue()]))
    return 0


def usual(size: int) -> list[str]:
    """The views that are shown if none are asked for: what takes long and much memory, only of small dumps."""
    if size <= SMALL:
        return ["suspects", "histogram"]
    say("--show suspects,histogram also shows what retains most; for a dump of this size, it takes time and memory")
    return ["histogram"]


def _tables(args: argparse.Namespace) -> int:
    if args.show or args.path or args.since:
        raise UsageError("-f parquet writes the whole dump; leave out --show, --path and --since")
    if not args.output:
        raise UsageError("-f parquet writes several files: name a directory with -o")
    from classhook.base.names import several
    from classhook.extensions.heap import parquet
    from classhook.extensions.heap.graph import graph
    from classhook.extensions.heap.heap import opened
    from classhook.extensions.heap.object_columns import objects

    if find_spec("pyarrow") is None:
        raise UsageError(parquet.MISSING)
    rows = parquet.write(graph(objects(opened(Path(args.file)))), Path(args.output))
    show("\n".join(f"{Path(args.output, name)}.parquet: {several(count, 'row')}" for name, count in rows.items()))
    return 0


def _level(args: argparse.Namespace) -> int:
    from classhook.base.names import printable
    from classhook.extensions.heap.heap import opened
    from classhook.extensions.heap.levels import lines

    _write(args, (printable(line) + "\n" for line in lines(opened(Path(args.file)), args.level)))
    return 0


def _write(args: argparse.Namespace, pieces: Iterator[str]) -> None:
    """Writes what may be larger than memory."""
    if not args.output:
        sys.stdout.writelines(pieces)
        return
    dumps = (Path(one) for one in (args.file, args.since) if one)
    if Path(args.output).exists() and any(dump.samefile(args.output) for dump in dumps):
        raise UsageError(f"{args.output} is both input and output; name another output")
    try:
        with output(Path(args.output)) as file:
            file.writelines(piece.encode("utf-8", "backslashreplace") for piece in pieces)
    except OSError as error:
        raise UsageError(f"cannot write {args.output}: {error.strerror}") from None


def _views(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in SHOWN]:
        raise argparse.ArgumentTypeError(f"unknown view {unknown[0]!r}; there are {', '.join(SHOWN)}")
    return names

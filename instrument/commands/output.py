"""Options and output of `report`, `coverage` and `diff`: the form of a report, its rows, and its destination."""

from __future__ import annotations

import argparse
import io
import os
import shutil
import stat
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from classhook.api.reading import find_data
from classhook.base.errors import UsageError
from classhook.base.files import writing
from classhook.base.terminal import show
from classhook.commands.values import number_of, offer, seconds
from classhook.live.observe.watching import running
from classhook.reports import Options
from classhook.reports.forms import FORMS
from classhook.reports.groups import GROUPS
from classhook.store.layout import MAGIC

BINARY = frozenset(form.name for form in FORMS if form.binary)
TERMINAL = (80, 24)  # if there is none
NARROWEST = 24  # columns: in fewer, there is no table
JACOCO = ".exec"  # the suffix of JaCoCo's data files
NO_FORMS: Mapping[str, str] = {}


def add_output(
    parser: argparse.ArgumentParser, forms: Collection[str], elsewhere: Mapping[str, str] = NO_FORMS
) -> None:
    """-f and -o. `elsewhere`: the commands that have further forms."""
    named = ", ".join(sorted(forms))

    def form(text: str) -> str:
        if text in forms:
            return text
        if text in elsewhere:
            raise argparse.ArgumentTypeError(
                f"{text!r} is a format of another command; use: classhook {elsewhere[text]} -f {text}"
            )
        raise argparse.ArgumentTypeError(f"{text!r} is not a format; there are {named}")

    parser.add_argument("-f", "--format", metavar="FORMAT", type=form, default="text", help=f"{named} (default: text)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of stdout")


def add_watch(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--watch",
        metavar="TIME",
        type=seconds,
        help="repeat the report every TIME (2s, 5m, ...) while a JVM is running; with -f json, one line per report",
    )


def add_form(
    parser: argparse.ArgumentParser, forms: Collection[str], output: str = "write to FILE instead of stdout"
) -> None:
    """-f and -o of a command whose answer has several forms. `output`: the help of -o."""
    parser.add_argument(
        "-f", "--format", metavar="FORMAT", choices=forms, default="text", help=f"{', '.join(forms)} (default: text)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help=output)


def add_filter(
    group: argparse._ArgumentGroup, help: str = "show only these methods: a pattern as in rules, or a part of a name"
) -> None:
    group.add_argument("--filter", metavar="PATTERN", action="append", default=[], help=help)


def add_rows(parser: argparse.ArgumentParser, all_: str) -> argparse._ArgumentGroup:
    """The rows and columns of tables. `all_`: the help of --all."""
    rows = parser.add_argument_group("rows and columns of tables")
    rows.add_argument("--all", action="store_true", help=all_)
    add_filter(rows)
    rows.add_argument("--group", choices=list(GROUPS), default="", help="add up the rows of each class, package, ...")
    rows.add_argument(
        "--top",
        metavar="N",
        type=number_of("rows"),
        default=30,
        help="number of rows per table, in text (default: 30; 0: all)",
    )
    sort = rows.add_argument(
        "--sort",
        metavar="COLUMN",
        default="",
        help="sort rows by this heading, the largest first (default: the first one)",
    )
    columns = rows.add_argument(
        "--columns",
        metavar="NAME,...",
        type=_names,
        default=(),
        help="columns to show, by their headings: self,calls,thrown,p99",
    )
    offer(sort, _columns)
    offer(columns, _columns)
    rows.add_argument(
        "--raw",
        action="store_true",
        help="show methods by the JVM's names, not as in their source",
    )
    rows.add_argument(
        "--wide", action="store_true", help="show all columns and whole names in text, however wide the terminal is"
    )
    return rows


def _columns() -> list[str]:
    from classhook.reports.column_words import words

    return words()


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip()) or ("",)


def options_of(args: argparse.Namespace) -> Options:
    """The options of tables. Raises UsageError if a column does not exist."""
    from classhook.reports.section_view import check

    options = Options(
        all=args.all,
        top=0 if args.all else args.top,
        sort=args.sort,
        columns=args.columns,
        width=0 if args.wide else width_of(args),
        terminal=to_terminal(args),
        raw=args.raw,
    )
    if options.sort or options.columns:
        check(options)
    return options


def to_terminal(args: argparse.Namespace) -> bool:
    return not args.output and sys.stdout.isatty()


def width_of(args: argparse.Namespace) -> int:
    """The number of columns of text; 0 for any, in files and pipes, unless the environment says how many these have."""
    try:
        to_file = (
            args.output
            or stat.S_ISREG(os.fstat(1).st_mode)
            or not (os.isatty(1) or os.environ.get("COLUMNS", "").isdecimal())
        )
    except OSError:
        to_file = True
    return 0 if to_file else max(shutil.get_terminal_size(TERMINAL).columns, NARROWEST)


def without_collections() -> None:
    """Switches off Python's garbage collector, for commands that make many objects, nearly all without cycles: until
    the process ends, and then, too."""
    import atexit
    import gc

    gc.disable()
    atexit.register(gc.freeze)


def text_on(file: Any) -> io.TextIOWrapper[Any]:
    """Text on top of bytes, which binary forms write to directly."""
    return io.TextIOWrapper(file, "utf-8", "backslashreplace", newline="\n", write_through=True)


def buffer() -> io.TextIOWrapper[io.BytesIO]:
    """The same in memory."""
    return text_on(io.BytesIO())


@contextmanager
def destination(args: argparse.Namespace) -> Iterator[io.TextIOWrapper[Any]]:
    """The destination of a report. It may be larger than memory: each piece is written when it is made. Raises
    UsageError."""
    if args.output:
        _refuse_data(Path(args.output))
        with writing(Path(args.output)) as file:
            yield (out := text_on(file))
            out.detach()
        return
    if args.format in BINARY and sys.stdout.isatty():
        raise UsageError(f"-f {args.format} is binary: write it to a file with -o, or to a pipe")
    sys.stdout.flush()
    one_line = getattr(args, "watch", None) and args.format == "json"
    out = buffer() if one_line else text_on(sys.stdout.buffer)
    try:
        yield out
    finally:
        data = out.detach()  # else it would be closed
    if one_line:
        sys.stdout.buffer.write(b" ".join(data.getvalue().splitlines()) + b"\n")
    sys.stdout.buffer.flush()


def _refuse_data(path: Path) -> None:
    """A report does not replace what was measured. Raises UsageError."""
    with suppress(OSError):
        if path.is_file():
            with open(path, "rb") as file:
                if file.read(len(MAGIC)) == MAGIC:
                    raise UsageError(f"{path} holds data of a run, which the output would replace; name another file")


def deliver(args: argparse.Namespace, data: bytes) -> None:
    """Writes a report that was made as a whole to its destination. Raises UsageError."""
    with destination(args) as out:
        out.buffer.write(data)


def repeated(args: argparse.Namespace, paths: Sequence[Path], report: Callable[[], int]) -> int:
    """Repeats a report for --watch until no JVM is running; the exit status of the last one, which begins after the
    last JVM has ended."""
    import gc

    own, first = [path for path in paths if path.suffix != JACOCO], True
    while True:
        alive = bool(own) and any(running(file) for file in find_data(own)[0])
        if not first and not args.output and args.format == "text":
            show("")
        first = False
        status = report()
        if not alive:
            return status
        gc.collect()  # what was read refers to itself, and reports switch collections off
        time.sleep(args.watch)


def add_label(parser: argparse.ArgumentParser, option: str, what: str = "") -> None:
    parser.add_argument(
        option,
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help=f"{what}only data of runs with this label, such as version=4.1; `*` is a wildcard; may be repeated",
    )

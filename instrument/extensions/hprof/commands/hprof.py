"""`classhook hprof`: HPROF's options and files, for a command and the JVMs that it starts."""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from classhook.base import launch
from classhook.base.errors import Failure, UsageError
from classhook.base.files import whole, write_file
from classhook.base.terminal import say, show
from classhook.commands.values import offer
from classhook.extensions.hprof.inside_jvm import compiled
from classhook.extensions.hprof.options import Settings, parse, table, words
from classhook.extensions.hprof.output import named, reader, save
from classhook.store.tmpfs import move_to_disk, remove

if TYPE_CHECKING:
    from socket import socket

EPILOG = """\
OPTIONS are those of -agentlib:hprof=OPTIONS, which JDK 9 removed;
`classhook hprof help` lists them. The exit status is the command's. The file is
written when the command ends, however it ends.

With `--data DIR|FILE...` in place of the command, the file is written from
existing data, for example that of a JVM which had the agent's option
hprof:OPTIONS and was killed. A running JVM writes a file on SIGQUIT and on
`classhook ctl PID hprof`.

examples:
  classhook hprof cpu=samples,depth=8 -- java -jar app.jar
  classhook hprof cpu=times,monitor=y,file=out.txt -- java -cp classes app.Main
  classhook hprof cpu=samples --data DIR
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = f"{parser.prog} [-h] [OPTIONS] -- COMMAND ...\n       {parser.prog} [OPTIONS] --data DIR|FILE..."
    parser.add_argument("--data", nargs="+", type=Path, help=argparse.SUPPRESS)  # without OPTIONS before it
    parser.add_argument(
        "-agentlib:hprof", dest="agentlib", default="", help=argparse.SUPPRESS
    )  # as the option of java was written
    options = parser.add_argument(
        "options", metavar="OPTIONS", nargs="?", default="", help="help, or name=value,... (default: heap=all)"
    )
    offer(options, words)
    parser.add_argument(
        "line",
        metavar="COMMAND",
        nargs=argparse.REMAINDER,
        help="the command and its arguments, after --; or --data and existing data",
    )


def execute(args: argparse.Namespace) -> int:
    if args.options == "help":
        show(table().rstrip("\n"))
        return 0
    if args.given[:1] == ["--"]:  # argparse takes the command's first word for the options
        args.options, args.line = "", args.given
    if args.agentlib:
        args.options, args.line = args.agentlib, list(args.given[1:])
    if args.options.endswith(",") and args.line[:1] not in ([], ["--"], ["--data"]):
        raise UsageError(
            f"{args.options} {args.line[0]}: HPROF's options have no blanks between them: {args.options}{args.line[0]}"
        )
    settings = named(parse(args.options))
    if args.data is not None or args.line[:1] == ["--data"]:
        return from_data(settings, args.data or [Path(word) for word in args.line[1:]])
    command = args.line[1:] if args.line[:1] == ["--"] else args.line
    if not command:
        raise UsageError(
            "no command to run: classhook hprof OPTIONS -- java ...; `classhook hprof help` lists the options"
        )
    for remark in settings.remarks():
        say(remark)
    dump = Path(settings.heap_dump) if settings.heap_dump else None
    rules = compiled(settings)
    if dump is not None:
        dump.unlink(missing_ok=True)  # HotSpot writes over no file
    with reader(settings) as connection, data_directory() as data:
        ended = run(command, settings, rules, data, dump)
        if settings.yes("doe"):
            say_failures(settings, data, dump, connection)
    return ended.status


def say_failures(settings: Settings, data: Path, dump: Path | None, connection: socket | None) -> None:
    """Writes the output; the command's status stands, whatever happens."""
    try:
        save(settings, [data], dump, Path(settings.file), connection)
    except (Failure, UsageError) as error:
        say(str(error))


def from_data(settings: Settings, data: list[Path]) -> int:
    """Writes the file from the data of killed JVMs. Raises Failure, UsageError."""
    if not data:
        raise UsageError("no data: name it with --data DIR|FILE...")
    from classhook.api.reading import find_data

    files, missing = find_data(data)
    if missing:
        raise UsageError(missing[0])
    for complaint in move_to_disk(files):
        say(complaint)
    save(settings, data, None, Path(settings.file))
    return 0


@contextmanager
def data_directory() -> Iterator[Path]:
    """A folder for the data while the command runs."""
    with tempfile.TemporaryDirectory(prefix="classhook-hprof-") as name:
        try:
            yield Path(name)
        finally:
            for path in Path(name).glob("*.classhook"):
                remove(path)


def run(command: list[str], settings: Settings, rules: str, data: Path, dump: Path | None) -> launch.Ended:
    from classhook.store.cache.packs import default_directory

    file = data / "hprof.rules"
    write_file(file, rules.encode(), whole)
    cache = str(default_directory().absolute())
    heap = {"heapdump": str(dump.absolute() if dump else ""), "heapend": "" if settings.yes("doe") else "no"}
    option = launch.agent_option(file, data, cache=cache, hprof=settings.absolute().written(), **heap)
    line, environment = launch.instrumented(command, option, os.environ)
    ended = launch.run(line, environment, None)
    for complaint in move_to_disk(set(data.glob("*.classhook")), {ended.pid: ended.monotonic_ns}):
        say(complaint)
    return ended

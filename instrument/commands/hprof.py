"""`classhook hprof`: HPROF's options and files, for a command and the JVMs that it starts."""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from instrument import launch
from instrument.commands.common import write_whole
from instrument.data.tmpfs import bring_home, remove
from instrument.errors import Failure, UsageError
from instrument.files import whole
from instrument.hprof.agent import compiled
from instrument.hprof.options import Settings, parse, table
from instrument.hprof.output import named, save
from instrument.terminal import say, show

EPILOG = """\
OPTIONS are those of -agentlib:hprof=OPTIONS, which left the JDK with version 8;
`classhook hprof help` lists them. The exit status is the command's. The file is
written when the command ends, however it ends.

--data DIR|FILE... instead of a command writes the file from existing data, for
example of a killed JVM that had the agent's option hprof:OPTIONS. A running JVM
writes a file on SIGQUIT and on `classhook ctl PID hprof`.

examples:
  classhook hprof cpu=samples,depth=8 -- java -jar app.jar
  classhook hprof cpu=times,monitor=y,file=out.txt -- java -cp classes app.Main
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("options", metavar="OPTIONS", help="help, or name=value,...")
    parser.add_argument("line", metavar="COMMAND", nargs=argparse.REMAINDER, help="the command and its arguments, after --")


def execute(args: argparse.Namespace) -> int:
    if args.options == "help":
        show(table().rstrip("\n"))
        return 0
    if args.options == "--":
        args.options = ""
    settings = named(parse(args.options))
    if args.line[:1] == ["--data"]:
        return from_data(settings, [Path(word) for word in args.line[1:]])
    command = args.line[1:] if args.line[:1] == ["--"] else args.line
    if not command:
        raise UsageError("no command to run: classhook hprof OPTIONS -- java ...; `classhook hprof help` lists the options")
    for remark in settings.remarks():
        say(remark)
    dump = Path(settings.heap_dump) if settings.heap_dump else None
    rules = compiled(settings)
    if dump is not None:
        dump.unlink(missing_ok=True)  # HotSpot writes over no file
    with data_directory() as data:
        ended = run(command, settings, rules, data, dump)
        if settings.yes("doe"):
            say_failures(settings, data, dump)
    return ended.status


def say_failures(settings: Settings, data: Path, dump: Path | None) -> None:
    """Writes the output; the command's status stands, whatever happens."""
    try:
        save(settings, [data] if settings.rules() else [], dump, Path(settings.file))
    except (Failure, UsageError) as error:
        say(str(error))


def from_data(settings: Settings, data: list[Path]) -> int:
    """Writes the file of what JVMs left that were killed. Raises Failure, UsageError."""
    if not data:
        raise UsageError("which data? --data DIR|FILE...")
    from instrument.data.snapshot import data_files

    for complaint in bring_home(data_files(data)):
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
    from instrument.data.packs import default_directory

    file = data / "hprof.rules"
    write_whole(file, rules.encode(), whole)
    cache = str(default_directory().absolute())
    option = launch.agent_option(file, data, cache=cache, hprof=settings.absolute().written(), heapdump=str(dump.absolute() if dump else ""))
    line, environment = launch.instrumented(command, option, os.environ)
    ended = launch.run(line, environment, None)
    for complaint in bring_home(set(data.glob("*.classhook")), {ended.pid: ended.monotonic_ns}):
        say(complaint)
    return ended

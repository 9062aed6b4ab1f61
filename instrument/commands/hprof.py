"""`classhook hprof`: HPROF's options and files, for a command and the JVMs that it starts."""

from __future__ import annotations

import argparse
import io
import os
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from instrument import launch
from instrument.commands.common import write_whole
from instrument.data.tmpfs import bring_home, remove
from instrument.errors import Failure, UsageError
from instrument.files import whole
from instrument.hprof.options import Settings, parse, table
from instrument.terminal import say, show

PATIENCE = 30  # seconds for whoever takes the data

EPILOG = """\
OPTIONS are those of -agentlib:hprof=OPTIONS, which left the JDK with version 8; `classhook hprof help` lists them.
The exit status is the command's. The file is written at its end, however that comes.

examples:
  classhook hprof cpu=samples,depth=8 -- java -jar app.jar
  classhook hprof cpu=times,monitor=y,file=out.txt -- java -cp classes com.acme.Main
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
    settings = parse(args.options)
    command = args.line[1:] if args.line[:1] == ["--"] else args.line
    if not command:
        raise UsageError("no command to run: classhook hprof OPTIONS -- java ...; `classhook hprof help` lists the options")
    for remark in settings.remarks():
        say(remark)
    rules = settings.rules()
    dump = free_name(settings, Path(settings.heap_dump).absolute()) if settings.heap_dump else None
    if not rules and dump is None:
        raise UsageError("nothing to profile: heap=sites, heap=dump, cpu=samples, cpu=times, cpu=old or monitor=y")
    if dump is not None:
        dump.unlink(missing_ok=True)  # HotSpot writes over no file
    with data_directory() as data:
        ended = run(command, rules, data, dump)
        if rules and settings.yes("doe"):
            say_failures(settings, data)
    return ended.status


@contextmanager
def data_directory() -> Iterator[Path]:
    """A folder for the data while the command runs."""
    with tempfile.TemporaryDirectory(prefix="classhook-hprof-") as name:
        try:
            yield Path(name)
        finally:
            for path in Path(name).glob("*.classhook"):
                remove(path)


def run(command: list[str], texts: list[str], data: Path, dump: Path | None) -> launch.Ended:
    import instrument.measures  # noqa: F401  # registers the words of rules
    from instrument.data.packs import default_directory
    from rules.compiled import dumps
    from rules.parse import load

    compiled = data / "hprof.rules"
    write_whole(compiled, dumps(load([], texts)).encode(), whole)
    option = launch.agent_option(compiled, data, cache=str(default_directory().absolute()), heapdump=str(dump or ""))
    line, environment = launch.instrumented(command, option, os.environ)
    ended = launch.run(line, environment, None)
    for complaint in bring_home(set(data.glob("*.classhook")), {ended.pid: ended.monotonic_ns}):
        say(complaint)
    return ended


def say_failures(settings: Settings, data: Path) -> None:
    """Writes the output; the command's status stands, whatever happens."""
    try:
        write(settings, written(settings, data))
    except (Failure, UsageError) as error:
        say(str(error))


def written(settings: Settings, data: Path) -> bytes:
    """The file's content. Raises Failure."""
    from instrument.data.snapshot import data_files, read
    from instrument.hprof import ascii as text_form
    from instrument.hprof import binary, old
    from instrument.hprof.limits import limited
    from instrument.hprof.model import profile

    snapshot = read(data_files([data]), suggest=False)
    for note in [*snapshot.notes, *(note for process in snapshot.processes for note in process.notes)]:
        say(note)
    found = profile(snapshot)
    if settings["cpu"] == "old":
        found.times.clear()
    found = limited(found, settings.depth, settings.cutoff, settings.yes("lineno"))
    if settings.binary:
        return binary.Writer().written(found)
    out = io.StringIO()
    out.writelines(line + "\n" for line in text_form.lines(found))
    if settings["cpu"] == "old":
        out.writelines(line + "\n" for line in old.lines(snapshot.contexts))
    return out.getvalue().encode("utf-8", "backslashreplace")


def free_name(settings: Settings, path: Path) -> Path:
    """The file's name; with force=n one that no file has."""
    return path if settings.yes("force") or not path.exists() else path.with_name(f"{path.stem}.{os.getpid()}{path.suffix}")


def write(settings: Settings, content: bytes) -> None:
    """Writes the file, or sends it. Raises Failure, UsageError."""
    if settings.address is not None:
        host, port = settings.address
        try:
            with socket.create_connection((host, port), PATIENCE) as connection:
                connection.sendall(content)
        except OSError as error:
            raise Failure(f"cannot send the data to {host}:{port}: {error.strerror or error}") from None
        return
    path = free_name(settings, Path(settings.file))
    write_whole(path, content)
    if settings.yes("verbose"):
        show(f"Dumping profile to {path} ... done.", sys.stderr)

"""`classhook run`: runs a command and instruments every JVM that it starts.

The command waits for all that is done before it starts. So what only the end needs is imported while it runs, and rules that were parsed
before are kept (instrument/data/parsed.py).
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from instrument import launch
from instrument.commands.common import add_rule_arguments, doubts, load_rules, weaves, write_whole
from instrument.commands.values import number_of, seconds
from instrument.errors import UsageError
from instrument.files import is_old, listed, new_in, opened_folder, stranger, whole
from instrument.names import printable, quantity, several
from instrument.terminal import say
from rules.ruleset import RuleSet

DEFAULT_DATA = "classhook-data"

EPILOG = """\
The exit status is the command's (128 + signal if a signal killed it); its
input, output, signals and terminal work as without classhook. Child JVMs are
instrumented, too. The data stays in DIR, one file for each JVM; files of
earlier runs are kept and reported with it, unless --erase is given.

examples:
  classhook run -e 'time com.acme.**::*' -- java -jar app.jar
  classhook run -r rules.txt -o data -- mvn test
  classhook run -r jdbc --rotate 1h --keep 48 -- java -jar server.jar
  classhook run -- java -jar woven.jar     # woven by `classhook weave`
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_rule_arguments(parser)
    parser.add_argument("--agent", metavar="FILE", help="a script of handlers in Python, run in each JVM (docs/python-agents.md)")
    parser.add_argument("-o", "--data", metavar="DIR", default=DEFAULT_DATA, help=f"where the data goes (default: {DEFAULT_DATA})")
    parser.add_argument("--erase", action="store_true", help="first erase the data of earlier runs in DIR")
    cache = parser.add_mutually_exclusive_group()
    cache.add_argument("--cache", metavar="DIR", help="where woven classes are kept for the next run (default: see `classhook cache`)")
    cache.add_argument("--no-cache", action="store_true", help="do not use the cache")
    long = parser.add_argument_group("programs that run for long")
    long.add_argument("--rotate", metavar="TIME", type=seconds,
                      help="start a new data file every TIME (1h, 10m, ...); reports combine them")
    long.add_argument("--keep", metavar="N", type=number_of("files", least=1), default=0, help="how many earlier files --rotate keeps (default: all)")
    long.add_argument("--metrics", metavar="ADDRESS", help="OpenMetrics for Prometheus at this address of this machine, such as 127.0.0.1:9464")
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors, and what was removed, to stderr")
    parser.add_argument("line", metavar="COMMAND", nargs=argparse.REMAINDER, help="the command and its arguments, after --")


def execute(args: argparse.Namespace) -> int:
    command = args.line[1:] if args.line[:1] == ["--"] else args.line
    if not command:
        raise UsageError("no command to run: classhook run -e RULE -- java ...")
    cache = cache_directory(args)
    rules = load_rules(args, needed=False, cache=cache)
    handlers = script(args)
    data = prepared_directory(Path(args.data), erase=args.erase)
    for doubt in doubts(rules):
        say(printable(doubt))
    from rules.compiled import digest, dumps

    compiled = data / f"{digest(rules)[:16]}.rules"
    write_whole(compiled, dumps(rules).encode(), whole)
    clean()
    if args.keep and not args.rotate:
        raise UsageError("--keep is about the files that --rotate makes: give --rotate 1h, too")
    meanwhile = service(args, data)
    before = set(data.glob("*.classhook"))
    if launch.takes_no_agent(command):
        say("a JVM that dumps a class archive does not start with an agent; it is not instrumented")
    option = launch.agent_option(compiled, data, cache=cache, script=handlers)
    line, environment = launch.instrumented(command, option, os.environ)
    ended = launch.run(line, environment, meanwhile)
    finish(data, before, ended, rules, quiet=args.quiet or ended.status in (126, 127), scripted=bool(handlers))
    return ended.status


def script(args: argparse.Namespace) -> str:
    """The path of the script of handlers; empty for none. What it says is found out in the JVM. Raises UsageError."""
    if not args.agent:
        return ""
    path = Path(args.agent)
    if not path.is_file():
        raise UsageError(f"no script {path}" if not path.exists() else f"the script {path} is not a file")
    return str(path.resolve())


def service(args: argparse.Namespace, data: Path) -> Callable[[], None]:
    """What is to be done while the program runs. Raises UsageError."""
    server = None
    if args.metrics:
        from instrument.live.metrics import Server

        server = Server(args.metrics, data)
    serves, next_file = False, time.monotonic() + (args.rotate or 0)

    def meanwhile() -> None:
        nonlocal serves, next_file
        from instrument.data.rotation import rotate_all
        from instrument.data.tmpfs import bring_home  # noqa: F401  # for the end

        if server is not None and not serves:
            server.start()  # not before, since processes with threads should not fork
            serves = True
        if args.rotate and time.monotonic() >= next_file:
            next_file += args.rotate
            for complaint in rotate_all(data, args.keep):
                say(complaint)

    return meanwhile


def cache_directory(args: argparse.Namespace) -> str:
    """The cache directory, pruned to its size limit; empty for none, also if it belongs to another user."""
    from instrument.data import parsed
    from instrument.data.packs import default_directory, prune

    if args.no_cache:
        return ""
    directory = Path(args.cache) if args.cache else default_directory()
    with suppress(OSError), opened_folder(directory) as folder:
        if owner := stranger(os.fstat(folder).st_uid):
            say(f"cannot use the cache {directory}: it belongs to {owner}; classes are woven without it")
            return ""
        prune(folder)
        parsed.prune(folder)
    return str(directory.absolute())


def prepared_directory(data: Path, erase: bool) -> Path:
    """Creates the data directory if needed. It must be writable, and no other user's, who could replace our files. Raises UsageError."""
    try:
        data.mkdir(parents=True, exist_ok=True)
        with opened_folder(data) as folder:
            with new_in(folder) as (_, probe):
                probe.write(b"x")
                made = os.fstat(probe.fileno())  # some file systems give all new files to one user
            if owner := stranger(os.fstat(folder).st_uid, made.st_uid):
                raise UsageError(f"cannot use the data directory {data}: it belongs to {owner}; name another with -o DIR")
            if listed(folder, ".classhook.live"):
                from instrument.data.tmpfs import sweep

                sweep(folder)
            if erase:
                from instrument.data.erase import erase as erase_in

                erase_in(folder)
    except OSError as error:
        reason = "it is not a directory" if isinstance(error, FileExistsError) else error.strerror
        raise UsageError(f"cannot use the data directory {data}: {reason}; name another with -o DIR") from None
    return data


def clean() -> None:
    """Frees the tmpfs of old data whose directory is gone, and says so even if it is to be quiet."""
    if not any(may_be_abandoned(path) for path in Path("/dev/shm").glob(f"classhook-{os.geteuid()}-*")):
        return  # most often, and without the imports
    from instrument.data.orphans import orphans, remove

    found = [one for one in orphans() if one.is_abandoned]
    try:
        freed = remove(found)
    except OSError as error:
        say(f"{error.filename} cannot be removed: {error.strerror}")
        return
    if found:
        files = several(len(found), "file")
        say(f"{files} of earlier runs, older than a day, removed from /dev/shm, {quantity(freed)}: the data directory is gone")


def may_be_abandoned(path: Path) -> bool:
    try:
        return is_old(path.lstat().st_mtime)
    except OSError:
        return False  # its run has just ended


def finish(data: Path, before: set[Path], ended: launch.Ended, rules: RuleSet, quiet: bool, scripted: bool = False) -> None:
    """Moves the counters to the data directory and prints where they are, and which rules matched nothing."""
    from instrument.data.rotation import is_whole
    from instrument.data.tmpfs import bring_home

    new = {path for path in set(data.glob("*.classhook")) - before if is_whole(path)}
    for complaint in bring_home(new, {ended.pid: ended.monotonic_ns}):
        say(complaint)
    if quiet:
        return
    if not new:
        say("no JVM was instrumented: the command started none, or a message above says why")
        return
    for text in without_matches(new, rules) if rules.rules or not scripted else ():
        say(printable(text))
    if scripted:
        from instrument.data.matches import told_of_nothing

        for pattern in told_of_nothing(new):
            why = f"a handler was told of nothing, as its pattern matched no method: {pattern}"
            say(printable(f"{why}; `classhook report` says what it may have meant"))
    where = "" if str(data) == DEFAULT_DATA else f" {data}"
    earlier = f" ({len(before)} of earlier runs will be reported too)" if before else ""
    say(f"{several(len(new), 'JVM')} instrumented{earlier}; to see what was counted: classhook report{where}")


def without_matches(files: set[Path], rules: RuleSet) -> Iterator[str]:
    """A line for each rule that matched nothing in these files, or one if there are no rules."""
    from instrument.codeless import SEEN, why_not_woven
    from instrument.data.matches import matched_rules

    if not rules.rules:
        yield "no rules were given: only classes woven ahead of time are counted"
        return
    matched, codeless = matched_rules(files, rules) or (None, {})
    for index, rule in enumerate(rules.rules):
        if not weaves(rule) or matched is None or index in matched:
            continue
        if index in codeless:
            yield f"this rule matched only methods without code: {rule.text}; {why_not_woven(rule, codeless[index], SEEN)}"
        else:
            yield f"this rule matched nothing: {rule.text}"

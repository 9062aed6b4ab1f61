"""`classhook run`: runs a command and instruments every JVM that it starts.

Everything done before the command starts delays it. So modules needed only at the end are imported while it runs, and
parsed rules are cached (instrument/store/cache/parsed_rules.py).
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path

from classhook.api.recording import DEFAULT_DATA, prepare
from classhook.base import launch, run_labels
from classhook.base.errors import UsageError
from classhook.base.files import is_old
from classhook.base.names import printable, quantity, several
from classhook.base.script_words import BETWEEN
from classhook.base.terminal import say
from classhook.base.test_words import RULE as TESTS
from classhook.commands.common import (
    add_agent_argument,
    add_new_label,
    add_rule_arguments,
    cache_directory,
    doubts,
    load_rules,
    scripts,
)
from classhook.commands.otlp import add_otlp, collector
from classhook.commands.values import number_of, seconds
from classhook.rules.ruleset import RuleSet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from classhook.live.observe.otlp_push import Push

KNOWN_TESTS = Path(__file__).parent.parent / "agent" / "testing" / "script" / "known_tests.py"

EPILOG = """\
The exit status is the command's (128 + signal if a signal killed it); its
input, output, signals and terminal work as they do without classhook. Child
JVMs are instrumented, too. The data stays in DIR, one file for each JVM; files
of earlier runs are kept and reported with it, unless --erase is given.

examples:
  classhook run -e 'time com.acme.**::*' -- java -jar app.jar
  classhook run -r rules.txt -o data -- mvn test
  classhook run --diagnose -- java -jar app.jar
  classhook run -r jdbc --rotate 1h --keep 48 -- java -jar server.jar
  classhook run -- java -jar woven.jar     # woven by `classhook weave`
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_rule_arguments(parser)
    parser.add_argument(
        "--tests",
        action="store_true",
        help="measure each test separately (JUnit, TestNG, Spock, ...): the rule `tests`",
    )
    parser.add_argument(
        "--every-test",
        action="store_true",
        help="with --tests: end with status 1 if tests ran in JVMs without the agent, by Maven's or Gradle's reports",
    )
    parser.add_argument(
        "--diagnose",
        action="store_true",
        help="measure what `classhook diagnose` does, and print its page at the end",
    )
    add_agent_argument(parser, "each JVM")
    parser.add_argument(
        "-o",
        "--data",
        metavar="DIR",
        default=DEFAULT_DATA,
        help=f"the directory for the data (default: {DEFAULT_DATA})",
    )
    parser.add_argument("--erase", action="store_true", help="first erase the data of earlier runs in DIR")
    add_new_label(parser)
    cache = parser.add_mutually_exclusive_group()
    cache.add_argument("--cache", metavar="DIR", help="another cache of woven classes (see `classhook self cache`)")
    cache.add_argument("--no-cache", action="store_true", help="do not use the cache")
    long = parser.add_argument_group("long-running programs")
    long.add_argument(
        "--rotate",
        metavar="TIME",
        type=seconds,
        help="start a new data file every TIME (1h, 10m, ...); reports combine them",
    )
    long.add_argument(
        "--keep",
        metavar="N",
        type=number_of("files", least=1),
        default=0,
        help="number of earlier files that --rotate keeps (default: all)",
    )
    long.add_argument(
        "--metrics",
        metavar="ADDRESS",
        help="serve OpenMetrics for Prometheus at this local address, such as 127.0.0.1:9464",
    )
    add_otlp(long, "before --")
    parser.add_argument("--quiet", action="store_true", help="print only errors, and what was removed from /dev/shm")
    parser.add_argument(
        "line", metavar="-- COMMAND ...", nargs=argparse.REMAINDER, help="the command and its arguments"
    )


def execute(args: argparse.Namespace) -> int:
    command = args.line[1:] if args.line[:1] == ["--"] else args.line
    if not command:
        raise UsageError("no command to run: classhook run -e RULE -- java ...")
    if args.keep and not args.rotate:
        raise UsageError("--keep limits the files that --rotate makes: give --rotate 1h, too")
    if args.every_test and not args.tests:
        raise UsageError("--every-test is about tests: give --tests, too")
    cache = "" if args.no_cache else cache_directory(args.cache)
    if args.tests and TESTS not in args.rule:
        args.rule.append(TESTS)
    labels = run_labels.written(run_labels.labels(args.label, command=command))
    rules = load_rules(args, needed=False, cache=cache)
    if args.diagnose:
        from classhook.reports.diagnosis.asked import asked

        rules = asked(rules)
    handlers = scripts(args)
    given = bool(rules.rules)
    if not (given or handlers):
        rules = for_none(args, command, cache)
    knows_tests = any(rule.kind == TESTS for rule in rules.rules)
    agents = BETWEEN.join(filter(None, [str(KNOWN_TESTS) if knows_tests else "", handlers]))
    recording = prepare(Path(args.data), rules, erase=args.erase)
    for doubt in doubts(rules):
        say(printable(doubt))
    clean()
    push = collector(args, recording.new_files, {})  # labels know the variables, and --label comes before them
    meanwhile = service(args, recording.data, push)
    if launch.takes_no_agent(command):
        say("a JVM that dumps a class archive does not start with an agent; it is not instrumented")
    option = launch.agent_option(recording.rules, recording.data, cache=cache, script=agents)
    line, environment = launch.instrumented(command, option, os.environ, labels)
    began = time.time()
    ended = launch.run(line, environment, meanwhile)
    quiet = args.quiet or args.diagnose or ended.status in (126, 127)
    from classhook.commands.run_end import finish, without_agent

    finish(recording, ended, rules, quiet=quiet, scripted=bool(handlers), given=given)
    if args.diagnose:
        from classhook.commands.diagnose import print_page

        print_page(recording.new_files())
    if push is not None:
        push.finish()
    if args.tests and (not quiet or args.every_test):
        missing = without_agent(recording, began, args.every_test)
        if missing:
            say(printable(missing))
            return ended.status or int(args.every_test)
    return ended.status


def for_none(args: argparse.Namespace, command: list[str], cache: str) -> RuleSet:
    """The rules of a run that was given none."""
    from classhook.commands.own_packages import rules_for
    from classhook.rules.errors import RuleError

    args.rule = rules_for(command)
    try:
        found = load_rules(args, needed=False, cache=cache)
    except RuleError:  # a package whose name no rule can have
        return RuleSet([])
    if args.rule and not args.quiet:
        said = " ".join(f"-e '{rule}'" for rule in args.rule)
        say(printable(f"no rules were given; this measures the project's own methods: {said}"))
    return found


def service(args: argparse.Namespace, data: Path, push: Push | None) -> Callable[[], None]:
    """A function to call repeatedly while the program runs: it serves and sends metrics, and rotates the data. Raises
    UsageError."""
    server = None
    if args.metrics:
        from classhook.live.observe.metrics import Server

        server = Server(args.metrics, data)
    starts = [one.start for one in (server, push) if one is not None]
    serves, next_file = False, time.monotonic() + (args.rotate or 0)

    def meanwhile() -> None:
        nonlocal serves, next_file
        from classhook.store.rotation import rotate_all
        from classhook.store.tmpfs import move_to_disk  # noqa: F401  # for the end

        if not serves:
            serves = True
            for start in starts:
                start()  # not before, since processes with threads should not fork
        if args.rotate and time.monotonic() >= next_file:
            next_file += args.rotate
            for complaint in rotate_all(data, args.keep):
                say(complaint)

    return meanwhile


def clean() -> None:
    """Frees the tmpfs of old data whose directory is gone, and says so even if it is to be quiet."""
    if not any(may_be_abandoned(path) for path in Path("/dev/shm").glob(f"classhook-{os.geteuid()}-*")):
        return  # most often, and without the imports
    from classhook.store.orphans import orphans, remove

    found = [one for one in orphans() if one.is_abandoned]
    try:
        freed = remove(found)
    except OSError as error:
        say(f"{error.filename} cannot be removed: {error.strerror}")
        return
    if found:
        files, were, their = (
            several(len(found), "file"),
            *(("it was", "its") if len(found) == 1 else ("they were", "their")),
        )
        why = f"{were} older than a day and {their} data directory no longer exists"
        say(f"removed {files} ({quantity(freed)}) of earlier runs from /dev/shm: {why}")


def may_be_abandoned(path: Path) -> bool:
    try:
        return is_old(path.lstat().st_mtime)
    except OSError:
        return False  # its run has just ended

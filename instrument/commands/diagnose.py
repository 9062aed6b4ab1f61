"""`classhook diagnose`: measures a running JVM for a while, and shows what costs its endpoints."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from classhook.api.recording import DEFAULT_DATA
from classhook.base.errors import Failure
from classhook.base.signals import noted
from classhook.base.terminal import say
from classhook.commands.attach import add_manner, attached, wait
from classhook.commands.common import add_rule_arguments, cache_directory, load_rules
from classhook.commands.control.agent import deadlocks
from classhook.commands.output import add_output, destination, to_terminal, width_of
from classhook.commands.values import seconds
from classhook.live.jvms import named
from classhook.reports import Options
from classhook.reports.diagnosis.asked import asked

FORMS = ("text", "html", "json")
USUAL = 30.0  # seconds

EPILOG = """\
Prints one page: endpoints, where their time goes, SQL and N+1, requests to
others, locks and who held them, what allocates, CPU time by kind of code. What
costs most comes first; what is not there is named at the end. It measures by
the stock rules `endpoints`, `jdbc` and `http`, and samples stacks, locks and
objects. A rule `context` adds endpoints of other frameworks.

Ctrl-C ends the measurement early, and prints the page. The data stays in DIR:
`classhook report DIR --by context` shows more of it.

Exit status:
  0  done
  1  attaching or detaching failed, or some data is missing
  2  there is no such JVM, or an argument is invalid

examples:
  classhook diagnose 4711
  classhook diagnose com.acme.Main --for 2m
  classhook diagnose 4711 -f html -o incident.html
  classhook diagnose 4711 -e 'context com.acme.Api::*'
  classhook run --diagnose -- java -jar app.jar
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("jvm", metavar="PID|NAME", help="process id, or main class or jar, of the JVM")
    parser.add_argument(
        "--for", dest="duration", metavar="TIME", type=seconds, default=USUAL, help="how long to measure (default: 30s)"
    )
    add_output(parser, FORMS)
    add_rule_arguments(parser)
    parser.add_argument("--data", metavar="DIR", help=f"the directory for the data (default: {DEFAULT_DATA})")
    add_manner(parser)


def execute(args: argparse.Namespace) -> int:
    theirs = load_rules(args, needed=False)
    jvm = named(args.jvm)
    stuck: list[str] = []

    def look() -> None:
        with suppress(Failure, OSError):  # the JVM has ended
            stuck.extend(deadlocks(jvm, session.data))

    with noted() as signals:
        session = attached(jvm, asked(theirs), args, signals, cache_directory(), theirs=theirs)
        well = wait(jvm, args, signals, look, f"measuring {jvm.main or jvm.pid}")
    return show([session.data], stuck, args) or (0 if well else 1)


def print_page(files: Iterable[Path]) -> None:
    """Prints the page of these data files, as without options; nothing if there are none."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    if found := sorted(files):
        show(found, [], parser.parse_args(["-"]))


def show(paths: Sequence[Path], stuck: list[str], args: argparse.Namespace) -> int:
    """Writes the page of data; the exit status."""
    from classhook.api.reading import read_data
    from classhook.reports.diagnosis.forms import write

    recorded = read_data(paths)
    with destination(args) as out:
        write(args.format, recorded.snapshot, stuck, Options(width=width_of(args), terminal=to_terminal(args)), out)
    for complaint in recorded.complaints:
        say(complaint)
    return 0 if recorded.snapshot.complete else 1

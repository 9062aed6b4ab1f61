"""`classhook attach`: instruments a JVM that is running."""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from classhook.api.recording import DEFAULT_DATA, may_use_cache
from classhook.api.sessions import Session, begin
from classhook.base.errors import Failure
from classhook.base.names import time_label
from classhook.base.progress import Steps
from classhook.base.signals import Ended, Noted, noted
from classhook.base.terminal import say
from classhook.commands import detach
from classhook.commands.common import (
    add_agent_argument,
    add_new_label,
    add_rule_arguments,
    cache_directory,
    load_rules,
    scripts,
)
from classhook.commands.following import add_at_most, following
from classhook.commands.values import seconds
from classhook.live.attachment import Done, postponed
from classhook.live.checked_rules import answers
from classhook.live.class_changes import Cancelled
from classhook.live.jvms import Jvm, named
from classhook.rules.ruleset import RuleSet
from classhook.rules.words import weaves
from classhook.store.opening import DataError

WARNS_FROM = 21  # the JDK that first warns of agents that are loaded while it runs
FLAG = "-XX:+EnableDynamicAgentLoading"
LOOKS_EVERY = 0.2  # seconds: whether a signal came, or the JVM has ended

EPILOG = """\
Name the JVM by its process id or main class, as `classhook ps` shows them. The
rules apply to classes already loaded and to those loaded later. The program
keeps running; it stops briefly while classes are exchanged. Classes with a
running loop are listed and instrumented when the loop ends: HotSpot never
compiles an old version of a method again. `--now` instruments them at once.
Ctrl-C meanwhile undoes the changes.
`classhook report DIR` shows what was counted, at any time; `classhook detach`
restores the original classes. Each session, from attach to detach, counts from
zero and has its own data file.

You must be the JVM's user, or root. The JVM must be able to read classhook's
files. If it runs in a container, they must be there at the same path, and DIR
is a path in the container (default: /tmp/classhook-data).

examples:
  classhook attach 4711 -e 'time com.acme.**::*' --for 30s
  classhook attach com.acme.Main -r rules.txt -o data
  classhook report data; classhook detach com.acme.Main
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("jvm", metavar="PID|NAME", help="process id, or main class or jar, of the JVM")
    add_rule_arguments(parser)
    add_agent_argument(parser, "the JVM")
    parser.add_argument("-o", "--data", metavar="DIR", help=f"the directory for the data (default: {DEFAULT_DATA})")
    parser.add_argument(
        "--for",
        dest="duration",
        metavar="TIME",
        type=seconds,
        help="detach after this time (30s, 5m) and print the report",
    )
    add_manner(parser)
    add_new_label(parser)
    cache = parser.add_mutually_exclusive_group()
    cache.add_argument("--cache", metavar="DIR", help="another cache of woven classes (see `classhook self cache`)")
    cache.add_argument("--no-cache", action="store_true", help="do not use the cache")


def add_manner(parser: argparse.ArgumentParser) -> None:
    """Adds the options that say how to attach."""
    parser.add_argument(
        "--now",
        action="store_true",
        help="instrument classes at once, even those with a running loop, which is then slow",
    )
    add_at_most(parser)
    parser.add_argument("--quiet", action="store_true", help="print only errors to stderr")


def execute(args: argparse.Namespace) -> int:
    cache = "" if args.no_cache else cache_directory(args.cache)
    rules = load_rules(args, needed=not args.agent, cache=cache)
    jvm = named(args.jvm)
    handlers = scripts(args)
    with noted() as signals:
        session = attached(jvm, rules, args, signals, cache, handlers, args.label)
        if args.duration:
            from classhook.commands import report  # all tables with it

            well = wait(jvm, args, signals)
            return report.report_of(session.data) or (0 if well else 1)
    if signals.number:  # too late to be heeded meanwhile
        detach.leave(jvm, quiet=args.quiet, now=args.now)
        raise Ended(signals.number)
    if not args.quiet:
        say(
            f"to see what is counted: classhook report {session.data.parent}; to end the session: classhook detach"
            f" {jvm.pid}"
        )
    return 0


def attached(
    jvm: Jvm,
    rules: RuleSet,
    args: argparse.Namespace,
    signals: Noted,
    cache: str,
    handlers: str = "",
    labels: Sequence[str] = (),
    theirs: RuleSet | None = None,
) -> Session:
    """Attaches, and says so. A signal undoes it. `theirs`: those of the rules that a user wrote; None: all. Raises
    Ended."""
    first, started = not jvm.mapped, time.monotonic()
    cache = cache if may_use_cache(jvm) else ""
    try:
        with following(f"instrumenting {jvm.main or jvm.pid}", args.now, args.at_most, args.quiet, signals) as manner:
            session = begin(jvm, rules, args.data, cache, handlers, manner, labels)
    except Cancelled as cancelled:
        say(str(cancelled))
        raise Ended(signals.number) from None
    except Ended:  # a second signal
        say(f"{jvm.pid}: the JVM may not have undone it yet; `classhook ps` shows whether it is instrumented")
        raise
    for line in session.says:
        say(line)
    if not args.quiet:
        tell(jvm, session.begun, time.monotonic() - started, first=first, weaving=any(map(weaves, rules.rules)))
        with suppress(Failure, DataError, OSError):  # the JVM is busy, or has ended
            for line in unmatched(jvm, session.data, rules if theirs is None else theirs):
                say(line)
    return session


def unmatched(jvm: Jvm, data: Path, rules: RuleSet) -> list[str]:
    """Returns what the JVM says of rules that match nothing. Without such rules it is not asked, since its answer takes
    a thread in it. Raises Failure."""
    from classhook.live.observe.unmatched_lines import some_unmatched

    return answers(jvm, data, rules) if some_unmatched(data, rules.rules) else []


def tell(jvm: Jvm, done: Done, took: float, first: bool, weaving: bool) -> None:
    """Reports what was done, and the JVM's own message about it. `weaving`: some rule is about classes."""
    nothing = weaving and not done.classes and not done.says and not done.postponed
    what = "no rule matches a loaded class" if nothing else done.changed("instrumented")
    say(f"attached to {jvm.pid} ({jvm.main}) in {time_label(round(took * 1e9)).strip()}: {what}")
    for line in postponed(done.postponed, "instrumented", f"classhook ctl {jvm.pid} now"):
        say(line)
    if first and _release(jvm.version) >= WARNS_FROM and not any(FLAG in word for word in jvm.command):
        say(f"the JVM printed a warning about the agent to its stderr; {FLAG} at its start prevents that")


def wait(
    jvm: Jvm, args: argparse.Namespace, signals: Noted, at_end: Callable[[], None] = lambda: None, what: str = ""
) -> bool:
    """Waits for `args.duration`, and detaches. A signal ends the wait. Returns whether the data is in its place.
    `at_end`: called before that; `what`: is shown as a bar meanwhile."""
    well = True
    bar = Steps(what, args.quiet or not what)
    try:
        began = time.monotonic()
        while (left := began + args.duration - time.monotonic()) > 0 and not signals.number and jvm.proc.exists():
            bar.show(round((args.duration - left) * 10), round(args.duration * 10))
            time.sleep(min(left, LOOKS_EVERY))
        at_end()
    finally:
        bar.close()
        if jvm.proc.exists():
            well = detach.leave(jvm, quiet=args.quiet, now=args.now)
        else:
            say(f"the JVM {jvm.pid} has ended")
    return well


def _release(version: str) -> int:
    found = re.match(r"\d+", version)
    return int(found[0]) if found else 0

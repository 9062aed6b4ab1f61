"""`classhook attach`: instruments a JVM that is running."""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable
from pathlib import Path

from instrument.commands import detach
from instrument.commands.common import add_rule_arguments, load_rules, write_whole
from instrument.commands.run import DEFAULT_DATA, cache_directory, prepared_directory, script
from instrument.errors import UsageError
from instrument.files import whole
from instrument.live import attachment, protocol
from instrument.live.jvms import Jvm, named
from instrument.names import time_label
from instrument.signals import noted
from instrument.terminal import say

IN_A_CONTAINER = "/tmp/classhook-data"
WARNS_FROM = 21  # the JDK that first warns of agents that are loaded while it runs
FLAG = "-XX:+EnableDynamicAgentLoading"
LOOKS_EVERY = 0.2  # seconds: whether a signal came, or the JVM has ended
UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600}

EPILOG = """\
Name the JVM by its process id or main class, as `classhook ps` shows them. The
rules apply to classes already loaded and to those loaded later. The program
goes on meanwhile, with short stops while classes are exchanged.
`classhook report DIR` shows what was counted, at any time; `classhook detach`
restores the original classes. Each session begins at zero and has its own
data file.

You must be the JVM's user, or root. The JVM must be able to read classhook's
files: in a container, at the same path. DIR is then a path in the container
(default: /tmp/classhook-data).

examples:
  classhook attach 4711 -e 'time com.acme.**::*' --for 30s
  classhook attach com.acme.Main -r rules.txt -o data
  classhook report data; classhook detach com.acme.Main
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("jvm", metavar="PID|NAME", help="process id, or main class or jar, of the JVM")
    add_rule_arguments(parser)
    parser.add_argument("--agent", metavar="FILE", help="a script of handlers in Python, run in the JVM (docs/python-agents.md)")
    parser.add_argument("-o", "--data", metavar="DIR", help=f"where the data goes (default: {DEFAULT_DATA})")
    parser.add_argument("--for", dest="duration", metavar="TIME", type=_duration, help="detach after this time (30s, 5m) and print the report")
    parser.add_argument("--reset", action="store_true", help="does nothing: each session begins at zero")
    cache = parser.add_mutually_exclusive_group()
    cache.add_argument("--cache", metavar="DIR", help="where woven classes are kept for the next time (default: see `classhook cache`)")
    cache.add_argument("--no-cache", action="store_true", help="do not use the cache")
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors to stderr")


def execute(args: argparse.Namespace) -> int:
    rules = load_rules(args, needed=not args.agent)
    jvm = named(args.jvm)
    attachment.check_is_free(jvm)
    folder = args.data or (IN_A_CONTAINER if jvm.is_apart else DEFAULT_DATA)
    inside = Path(folder) if jvm.is_apart else Path(folder).absolute()
    from rules.compiled import digest, dumps

    with protocol.as_its_user(jvm):
        data = prepared_directory(jvm.outside(inside), erase=False)
        compiled = f"{digest(rules)[:16]}.rules"
        write_whole(data / compiled, dumps(rules).encode(), whole)
    handlers = script(args)
    if handlers and jvm.is_apart:
        raise UsageError("a script cannot be brought into a container yet: start the JVM with `classhook run --agent` there")
    cache = "" if jvm.is_apart or jvm.uid != _own_uid() else cache_directory(args)

    def begin() -> attachment.Done:
        first, started = not jvm.mapped, time.monotonic()
        done = attachment.attach(jvm, inside / compiled, inside, cache, handlers)
        for line in done.says:
            say(line)
        if not args.quiet:
            tell(jvm, done, time.monotonic() - started, first=first)
        return done

    if args.duration:
        return for_a_while(jvm, begin, args)
    done = begin()
    if not args.quiet:
        say(f"to see what is counted: classhook report {done.data.parent}; to end it: classhook detach {jvm.pid}")
    return 0


def tell(jvm: Jvm, done: attachment.Done, took: float, first: bool) -> None:
    """Says what was done, and what the JVM has said of it itself."""
    say(f"attached to {jvm.pid} ({jvm.main}) in {time_label(round(took * 1e9)).strip()}: {done.changed('instrumented')}")
    if first and _release(jvm.version) >= WARNS_FROM and not any(FLAG in word for word in jvm.command):
        say(f"the JVM has warned on its stderr that an agent was loaded; started with {FLAG} it does not")


def for_a_while(jvm: Jvm, begin: Callable[[], attachment.Done], args: argparse.Namespace) -> int:
    """Attaches, waits, detaches, and prints the report. A signal ends the wait; a signal during the attachment takes effect when that is done."""
    from instrument.cli import main

    well = True
    with noted() as signals:
        done = begin()
        try:
            end = time.monotonic() + args.duration
            while (left := end - time.monotonic()) > 0 and not signals.number and jvm.proc.exists():
                time.sleep(min(left, LOOKS_EVERY))
        finally:
            if jvm.proc.exists():
                well = detach.leave(jvm, quiet=args.quiet)
            else:
                say(f"the JVM {jvm.pid} has ended")
    return main(["report", str(done.data)]) or (0 if well else 1)


def _own_uid() -> int:
    import os

    return os.geteuid()


def _release(version: str) -> int:
    found = re.match(r"\d+", version)
    return int(found[0]) if found else 0


def _duration(text: str) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h)", text)
    if not found or float(found[1]) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no time; write 500ms, 30s, 5m or 1h")
    return float(found[1]) * UNITS[found[2]]

"""`classhook detach`: stops measuring and restores the original classes."""

from __future__ import annotations

import argparse
import time

from classhook.api.sessions import end
from classhook.base.names import time_label
from classhook.base.terminal import say
from classhook.commands.following import Progress
from classhook.live.attachment import postponed
from classhook.live.class_changes import Manner
from classhook.live.jvms import Jvm, named

EPILOG = """\
Restores the original classes, so that the program runs as fast as before. The
data file keeps what was counted and does not change any more. This also works
for JVMs under `classhook run`. Classes woven ahead of time stay woven.

Classes with a running loop are restored soon after the loop ends; until then
they keep their probes, at the usual cost. `--now` restores them at once:
the loop is then slow until its method returns.

examples:
  classhook detach 4711
  classhook detach com.acme.Main
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("jvm", metavar="PID|NAME", help="process id, or main class or jar, of the JVM")
    parser.add_argument("--now", action="store_true", help="restore classes at once, even those with a running loop")
    parser.add_argument("--quiet", action="store_true", help="print only errors to stderr")


def execute(args: argparse.Namespace) -> int:
    return 0 if leave(named(args.jvm), quiet=args.quiet, now=args.now) else 1


def leave(jvm: Jvm, quiet: bool, now: bool = False) -> bool:
    """Detaches. Returns whether the data file is in its place. Raises Failure."""
    started = time.monotonic()
    progress = Progress(f"restoring {jvm.main or jvm.pid}", quiet)

    def goes_on(done: int, due: int) -> bool:
        progress.show(done, due)
        return True

    try:
        done = end(jvm, Manner(now, goes_on=goes_on))
    finally:
        progress.close()
    for line in done.says:
        say(line)
    if quiet:
        return done.moved
    took = time_label(round((time.monotonic() - started) * 1e9)).strip()
    say(f"detached from {jvm.pid} ({jvm.main}) in {took}: {done.changed('restored')}; data: {done.data}")
    for line in postponed(done.postponed, "restored", f"classhook detach {jvm.pid} --now"):
        say(line)
    return done.moved

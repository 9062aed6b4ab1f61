"""`classhook detach`: stops measuring and restores the original classes."""

from __future__ import annotations

import argparse
import time

from instrument.errors import Failure
from instrument.live import attachment
from instrument.live.jvms import Jvm, jvm_of, named
from instrument.names import time_label
from instrument.terminal import say

EPILOG = """\
Restores the original classes, so that the program runs as fast as before. The
data file keeps what was counted and does not change any more. This also works
for JVMs under `classhook run`. Classes woven ahead of time stay woven.

examples:
  classhook detach 4711
  classhook detach com.acme.Main
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("jvm", metavar="PID|NAME", help="process id, or main class or jar, of the JVM")
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors to stderr")


def execute(args: argparse.Namespace) -> int:
    return 0 if leave(named(args.jvm), quiet=args.quiet) else 1


def leave(jvm: Jvm, quiet: bool) -> bool:
    """Detaches. Returns whether the data file is in its place. Raises UsageError, Failure."""
    now = jvm_of(jvm.pid)
    if now is None:
        raise Failure(f"{jvm.pid}: the JVM has ended")
    if not now.mapped:
        raise Failure(f"{jvm.pid}: classhook is not in this JVM")
    started = time.monotonic()
    done = attachment.detach(jvm)
    for line in done.says:
        say(line)
    if quiet:
        return done.moved
    took = time_label(round((time.monotonic() - started) * 1e9)).strip()
    say(f"detached from {jvm.pid} ({jvm.main}) in {took}: {done.changed('restored')}; data: {done.data}")
    return done.moved

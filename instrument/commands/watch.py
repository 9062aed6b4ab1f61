"""`classhook report --watch TIME`: a report again and again, for pipes and files, until no JVM runs any more."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

from instrument.commands.reading import found, split_arguments
from instrument.commands.run import DEFAULT_DATA
from instrument.live.watching import running
from instrument.terminal import show


def repeated(args: argparse.Namespace, report: Callable[[argparse.Namespace], int]) -> int:
    """The last report's status. One that begins after the last JVM has ended is the last."""
    paths = split_arguments(args.words, DEFAULT_DATA).paths
    first = True
    while True:
        alive = any(running(file) for file in found([path for path in paths if path.suffix != ".exec"])[0])
        if not first and not args.output and args.format == "text":
            show("")
        first = False
        status = report(args)
        if not alive:
            return status
        time.sleep(args.watch)

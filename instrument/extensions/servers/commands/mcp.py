"""`classhook mcp`: the server that AI assistants start."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from importlib.util import find_spec
from types import FrameType

from classhook.base.errors import UsageError
from classhook.base.signals import Ended

EPILOG = """\
An assistant starts this command, and talks to it by standard input and output
as the Model Context Protocol says. Its tools show what was recorded: which
methods cost most, what allocates, which tests ran a line, which tests to run
for a change; they check rules, and explain what weaving does to a class. With
--allow-attach, they also measure running JVMs, and show single calls. Answers
are short, and begin with the command that a person would type.

It needs the SDK of the protocol: pip install 'classhook[mcp]'.

Exit status:
  0  the assistant ended it
  2  the SDK is missing, or no assistant is there

examples:
  claude mcp add classhook -- classhook mcp
  classhook mcp --allow-attach      in the settings of an assistant
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--allow-attach", action="store_true", help="also offer tools that instrument running JVMs for some seconds"
    )


def execute(args: argparse.Namespace) -> int:
    if find_spec("mcp") is None:
        raise UsageError(
            "the server for assistants requires the SDK `mcp`, which is not installed: pip install 'classhook[mcp]'"
        )
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError(
            "an assistant starts this command and talks to it by standard input; docs/questions/assistants.md says how"
            " to set it up"
        )
    from importlib.metadata import version

    from classhook.extensions.servers.assistant.server import serve

    signal.signal(signal.SIGINT, _end)  # asyncio's own handler waits for the thread below
    try:
        serve(version("classhook"), args.allow_attach)
    except Ended as error:  # a thread of the SDK still reads standard input, and Python would wait for it
        os._exit(128 + error.number)
    return 0


def _end(number: int, _: FrameType | None) -> None:
    raise Ended(number)

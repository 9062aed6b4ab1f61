"""`classhook top`: shows what running JVMs do, again and again."""

from __future__ import annotations

import argparse
import os
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from classhook.api.recording import DEFAULT_DATA
from classhook.base.errors import Failure, UsageError
from classhook.commands.values import seconds
from classhook.extensions import EXTENSIONS
from classhook.live.observe.watching import Watched
from classhook.reports.groups import GROUPS

if TYPE_CHECKING:
    from classhook.live.observe.top.state import State

REDRAWN = 0.25  # seconds until a new size of the terminal is seen

EPILOG = """\
A table of what was counted. Each column has a rate, per second since the last
update (calls/s, self/s), and a sum since the start or a reset (calls, self).
Everything is read from the data file, at no cost to the program; large data is
read less often.

keys:
  ↑ ↓   choose a row      Enter  show its callers, callees, histogram; Esc: back
  s S   sort              /      filter
  g     group rows by class, package, name, rule, source file
  r     reset the sums    R      reset the data file: reports begin at zero, too
  p     pause             Tab    other rows: allocation sites, ...
  ?     help              q      quit

Callers and callees need a call tree, which rules such as these record:
time com.acme.**::* tree, or profile com.acme.**::*

Without a terminal: classhook report --watch 2s. --web prints the address of a
page: tables, watched calls, flame graphs that grow, and rules to change.

examples:
  classhook run -e 'time com.acme.**::* tree' -- java -jar app.jar &
  classhook top                        # what is in classhook-data/
  classhook top com.acme.Main --filter 'com.acme.db.**' --sort calls/s
  classhook top 4711 --web             # prints the address of a page
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        metavar="PID|NAME|DIR|FILE",
        nargs="?",
        help=(
            f"a JVM, or data: a path contains a slash, such as ./data (default: {DEFAULT_DATA}; if there is none, the"
            " JVM that classhook is in, if it is the only one)"
        ),
    )
    parser.add_argument(
        "--every", metavar="TIME", type=seconds, default=1.0, help="time between two updates (default: 1s)"
    )
    parser.add_argument(
        "--sort", metavar="COLUMN", default="", help="sort by this column, such as self/s, calls/s, total, calls"
    )
    parser.add_argument(
        "--filter",
        metavar="PATTERN",
        default="",
        help="show only these methods: a pattern as in rules, or a part of a name",
    )
    parser.add_argument("--raw", action="store_true", help="show methods by the JVM's names")
    parser.add_argument("--web", action="store_true", help="show it in a browser of this machine instead")
    parser.add_argument(
        "--port", metavar="PORT", type=int, default=0, help="the port of --web at 127.0.0.1 (default: a free one)"
    )
    parser.add_argument("--group", choices=list(GROUPS), default="", help="add up the rows of each class, package, ...")


def execute(args: argparse.Namespace) -> int:
    import gc

    from classhook.live.observe.top.numbers import Watch
    from classhook.live.observe.top.state import State
    from classhook.reports.column_words import no_column
    from classhook.reports.filters import matcher
    from classhook.tables.columns import spelled

    if args.port and not args.web:
        raise UsageError("--port is for --web")

    watched = Watched([where(args.what)], args.every)
    if not watched.files():
        raise UsageError(
            f"{args.what or DEFAULT_DATA}: no data files; `classhook run` and `classhook attach` create them"
        )
    if args.filter:
        matcher([args.filter])
    if args.web:
        return web(args, watched)
    state = State(Watch(raw=args.raw), pattern=args.filter, group=args.group)
    gc.disable()  # there are many rows and no cycles
    state.watch.look(time.monotonic(), watched.read(tree=False, costs=True))
    if args.sort and not state.sort_by(args.sort):
        raise UsageError(no_column(args.sort, [spelled(name) for name in state.headings()]))
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("top needs a terminal; for pipes and files: classhook report --watch 2s")
    show(state, watched)
    return 0


def web(args: argparse.Namespace, watched: Watched) -> int:
    """Serves the page of --web until Ctrl-C."""
    page = next((one.page for one in EXTENSIONS if one.page), "")
    if not page:
        raise UsageError("--web needs the extension `servers`, which is not installed")
    first = {"filter": args.filter, "sort": args.sort, "group": args.group, "groups": list(GROUPS)}
    served: int = import_module(f"classhook.{page}").serve(watched, args.port, args.raw, first)
    return served


def is_path(what: str) -> bool:
    """True if an argument means data, not a JVM, whatever exists."""
    return "/" in what or what in (".", "..", DEFAULT_DATA) or what.endswith(".classhook")


def where(what: str | None) -> Path:
    """The data that the argument means. Raises UsageError, Failure."""
    from classhook.live.jvms import jvms, named

    if what is None:
        if Path(DEFAULT_DATA).is_dir():
            return Path(DEFAULT_DATA)
        found = [data for data in (jvm.data() for jvm in jvms()) if data is not None]
        if len(found) != 1:
            many = (
                f"{len(found)} JVMs are running with classhook"
                if found
                else f"no {DEFAULT_DATA}, and no JVM with classhook"
            )
            raise UsageError(f"{many}: which one? classhook top PID|DIR; `classhook ps` lists them")
        return found[0]
    if is_path(what):
        if not os.path.lexists(what):
            raise UsageError(f"{what}: no such file or directory")
        return Path(what)
    try:
        jvm = named(what)
    except (UsageError, Failure) as error:
        if os.path.lexists(what):
            raise type(error)(f"{error}; for the data of this name: classhook top ./{what}") from None
        raise
    data = jvm.data()
    if data is None:
        raise Failure(f"{jvm.pid}: classhook is not in this JVM; attach it with `classhook attach {jvm.pid} -e RULE`")
    return data


def show(state: State, watched: Watched) -> None:
    """Looks, draws, and takes keys until the user quits."""
    from rich.console import Console, Group
    from rich.live import Live

    from classhook.live.observe.top.drawing import draw
    from classhook.live.observe.top.keys import keyboard, pressed

    os.nice(5)  # the program first
    console = Console()
    stdin = sys.stdin.fileno()
    next_look, size = time.monotonic() + watched.pause, console.size
    with keyboard(stdin), Live(console=console, screen=True, auto_refresh=False) as live:
        changed = True
        while not state.quit:
            if changed or console.size != size:
                size = console.size
                lines = draw(state, size.width, size.height, watched.ended, watched.pause)
                for line in lines:
                    line.no_wrap = True
                live.update(Group(*lines), refresh=True)
            try:
                found = pressed(stdin, min(next_look - time.monotonic(), REDRAWN))
            except EOFError:
                return
            for key in found:
                state.press(key)
            changed = bool(found)
            if state.wants_tree and not state.paused:
                next_look = 0
            if state.wants_reset:
                state.wants_reset = False
                state.says = reset(watched)
                next_look = 0
            if not state.paused and time.monotonic() >= next_look:
                look(state, watched)
                next_look, changed = time.monotonic() + watched.pause, True


def look(state: State, watched: Watched) -> None:
    """Takes a look; the last view stays if there is nothing to see any more."""
    state.wants_tree = False
    snapshot = watched.read(tree=state.opened, costs=True)
    if snapshot.processes:
        state.watch.look(time.monotonic(), snapshot)


def reset(watched: Watched) -> str:
    """Resets the data files of JVMs that run; says what became of it."""
    from classhook.live.observe.watching import running
    from classhook.store import baseline
    from classhook.store.opening import DataError

    try:
        for path in watched.files():
            if running(path):
                baseline.reset(path)
    except (DataError, OSError) as error:
        return f"cannot reset: {error}"
    return "the data was reset: reports begin at zero, too"

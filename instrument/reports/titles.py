"""Titles of pages: the programs that were measured, their folder and commit, and the commands that started them.

A program that another one started, such as the JVM in which Maven runs tests, has the name of the run: its own is a
file that the build makes and deletes.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from classhook.base.launch import main_of
from classhook.base.names import printable
from classhook.base.row_names import cut
from classhook.base.run_labels import COMMAND, place_of
from classhook.model.snapshot import Process

SHOWN = 2  # programs or commands
LONGEST_COMMAND = 160  # characters


def command(process: Process) -> str:
    """The command line without the agent's option."""
    return cut(" ".join(_words(process)), LONGEST_COMMAND)


def _words(process: Process) -> list[str]:
    return [w for w in process.command.split(" ") if not (w.startswith("-agentpath:") and "libclasshook" in w)]


def run_of(process: Process) -> str:
    """The name of the run that a process belongs to; empty if the run's command is the process's own, or unknown."""
    started = process.labels.get(COMMAND, "")
    if not started or _is_own(started, process):
        return ""
    return cut(started, LONGEST_COMMAND) + place_of(process.labels)


def _is_own(started: str, process: Process) -> bool:
    try:
        words = shlex.split(started)
    except ValueError:  # it was cut
        return False
    own = _words(process)[1:]
    return not own or (" ".join(words).endswith(" ".join(own)) and words[-1] == own[-1])


def heading(process: Process) -> str:
    """The name of the run, or else the command line."""
    return run_of(process) or command(process)


def program(process: Process) -> str:
    """The name of the run that started a process; if it was started by its own command, its main class or jar, without
    folders and modules."""
    if run := run_of(process):
        return run
    main = main_of(process.command.split(" ")).rstrip("/").rpartition("/")[2]
    return main + place_of(process.labels)


def programs(processes: Sequence[Process]) -> str:
    """`shop.Shop`; `shop.Shop, shop.Stock and 2 more`."""
    return _some(map(program, _weightiest(processes)))


def commands(processes: Sequence[Process]) -> str:
    """The commands that the programs do not name."""
    return _some(command(process) for process in _weightiest(processes) if not run_of(process))


def title(processes: Sequence[Process]) -> str:
    """`shop.Shop: java -cp classes shop.Shop`; `mvn -q test in shop, commit 1f2e3d4c5b`."""
    return ": ".join(filter(None, [programs(processes), commands(processes)]))


def _weightiest(processes: Sequence[Process]) -> list[Process]:
    """The processes that counted something, the one that counted most first; all if none did. A build tool's own JVM
    usually counts nothing."""
    found = sorted(processes, key=lambda process: -process.contributed)
    return [process for process in found if process.contributed] or found


def _some(texts: Iterable[str]) -> str:
    different = list(dict.fromkeys(texts))
    more = f" and {len(different) - SHOWN} more" if len(different) > SHOWN else ""
    return printable(", ".join(different[:SHOWN]) + more)


def titled(page: str, text: str) -> str:
    """The page with this title, which is also shown where scripts are not executed."""
    from html import escape

    return page.replace("<title></title>", f"<title>{escape(text)}</title>", 1)

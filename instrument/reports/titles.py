"""Titles of pages: the programs that were measured, and the commands that started them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from classhook.launch import main_of
from classhook.model.snapshot import Process
from classhook.names import printable
from classhook.reports.text import command

SHOWN = 2  # programs or commands


def program(process: Process) -> str:
    """A process's main class or jar, without folders and modules."""
    return main_of(process.command.split(" ")).rstrip("/").rpartition("/")[2]


def programs(processes: Sequence[Process]) -> str:
    """`shop.Shop`; `shop.Shop, shop.Stock and 2 more`."""
    return _some(map(program, _weightiest(processes)))


def commands(processes: Sequence[Process]) -> str:
    return _some(map(command, _weightiest(processes)))


def title(processes: Sequence[Process]) -> str:
    """`shop.Shop: java -cp classes shop.Shop`."""
    return ": ".join(filter(None, [programs(processes), commands(processes)]))


def _weightiest(processes: Sequence[Process]) -> list[Process]:
    """The processes that counted something, the one that counted most first; all if none did. A build tool's own JVM usually counts nothing."""
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

"""Progress of long work: a bar on a terminal, nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from classhook.base.names import printable

if TYPE_CHECKING:
    from rich.progress import Progress

T = TypeVar("T")


class Steps:
    """A bar on stderr if that is a terminal, once something is to be done."""

    def __init__(self, what: str, quiet: bool = False) -> None:
        self._what = what
        self.is_visible = not quiet and sys.stderr.isatty()
        self._bar: Progress | None = None

    def show(self, done: int, due: int) -> None:
        if not self.is_visible or not due:
            return
        if self._bar is None:
            self._bar = _bar()
            self._bar.start()
            self._bar.add_task(_label(self._what))
        self._bar.update(self._bar.task_ids[0], completed=done, total=due)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()


def tracked(items: Iterable[T], what: str, total: int | None = None, quiet: bool = False) -> Iterator[T]:
    """The items, with a bar on stderr if that is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield from items
        return
    with _bar() as bar:
        yield from bar.track(items, total=total, description=_label(what))


def _label(what: str) -> str:
    from rich.markup import escape

    return escape(printable(what))


def _bar() -> Progress:
    from rich.console import Console
    from rich.progress import Progress

    return Progress(console=Console(stderr=True), transient=True)

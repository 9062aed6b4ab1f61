"""Progress of long work: a bar on a terminal, nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

from classhook.names import printable

T = TypeVar("T")


def tracked(items: Iterable[T], what: str, total: int | None = None, quiet: bool = False) -> Iterator[T]:
    """The items, with a bar on stderr if that is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import track

    yield from track(items, description=escape(printable(what)), total=total, console=Console(stderr=True), transient=True)

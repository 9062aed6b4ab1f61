"""What we say to the user. Nothing in it moves a terminal's cursor, wherever it comes from: names, paths, files of others."""

from __future__ import annotations

import sys

from instrument.names import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


def say(text: str) -> None:
    """A message of ours, on stderr."""
    show(f"classhook: {text}", sys.stderr)


def show(text: str, to: TextIO | None = None) -> None:
    """Lines of what was asked for, on stdout where nothing else is named."""
    print(harmless(text), file=to)


def harmless(text: str) -> str:
    """The text with its line ends and tabs, and all else that is not printable as `\\x1b` and the like."""
    return "\n".join("\t".join(map(printable, line.split("\t"))) for line in text.split("\n"))

"""Output to the user. Names, paths and file contents may hold control characters; none reaches the terminal."""

from __future__ import annotations

import sys

from classhook.base.names import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


def say(text: str) -> None:
    """Prints a message to stderr."""
    show(f"classhook: {text}", sys.stderr)


def show(text: str, to: TextIO | None = None, at_once: bool = False) -> None:
    """Prints a command's output, to stdout by default. `at_once`: also to a pipe, which gets it in blocks else."""
    print(harmless(text), file=to, flush=at_once)


def show_file(text: str) -> None:
    """Prints what is to be a file's contents: to a file or pipe as it is, in UTF-8, line ends included; to a terminal
    as `show` does."""
    if sys.stdout.isatty():
        show(text.replace("\r\n", "\n").removesuffix("\n"))
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))


def wrapped(text: str, width: int, indent: int = 0) -> str:
    """The text in lines of so many columns, divided between words; those after the first begin further right."""
    from textwrap import wrap

    lines = wrap(
        text,
        width,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
    )
    return "\n".join(lines) if lines else text


def harmless(text: str) -> str:
    """The text with all unprintable characters but newlines and tabs escaped as `\\x1b` and the like."""
    return "\n".join("\t".join(map(printable, line.split("\t"))) for line in text.split("\n"))

"""Values of options: times such as 500ms, 2s, 5m or 1h, numbers within limits, and words that the shell offers."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from contextlib import suppress

from classhook.base.units import NANOSECONDS, nanoseconds


def seconds(text: str) -> float:
    """An argument that is a time."""
    try:
        found = nanoseconds(text, ("ms", "s", "m", "h"))
    except ValueError:
        found = 0
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time; write 500ms, 30s, 5m or 1h")
    return found / NANOSECONDS["s"]


def number_of(what: str, least: int = 0) -> Callable[[str], int]:
    """An argument that is a number of rows, files and the like."""

    def number(text: str) -> int:
        with suppress(ValueError):
            if (found := int(text)) >= least:
                return found
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of {what} ({least} or more)")

    return number


def percentage(text: str) -> float:
    with suppress(ValueError):
        if 0 <= (found := float(text.removesuffix("%"))) <= 100:
            return found
    raise argparse.ArgumentTypeError(f"{text!r} is not a percentage from 0 to 100")


OFFERED = "offered"


def offer(action: argparse.Action, words: Callable[[], Iterable[str]]) -> None:
    """Has the shell offer these words for an argument, also behind a comma (commands/self/completion.py)."""
    setattr(action, OFFERED, words)

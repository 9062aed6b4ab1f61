"""Signals that end a command, which first undoes or completes its work.

A signal that was ignored when the command started, such as SIGHUP under nohup, stays ignored.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

ENDING = (signal.SIGTERM, signal.SIGHUP)


class Ended(KeyboardInterrupt):
    """A signal ended the command."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


@contextmanager
def interrupting() -> Iterator[None]:
    """SIGTERM and SIGHUP raise Ended, as Ctrl-C raises KeyboardInterrupt. Further signals do not disturb the
    cleanup."""

    over = False

    def end(number: int, _: FrameType | None) -> None:
        nonlocal over
        if not over:
            over = True
            raise Ended(number)

    with _handled(ENDING, end):
        yield


def leave_to_parent() -> None:
    """Prepares worker processes: only the command itself reacts to the terminal's signals, and ends its workers by
    SIGTERM."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


class Noted:
    """Records the first signal that ends the command in `number`, 0 before; a second signal raises Ended."""

    def __init__(self) -> None:
        self.number = 0

    def __call__(self, number: int, _: FrameType | None) -> None:
        if self.number:
            raise Ended(number)
        self.number = number


@contextmanager
def noted() -> Iterator[Noted]:
    """SIGINT, SIGTERM and SIGHUP are only recorded: the command checks for them where it can end."""
    found = Noted()
    with _handled((signal.SIGINT, *ENDING), found):
        yield found


@contextmanager
def _handled(numbers: tuple[signal.Signals, ...], handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Handles these signals in the block; only the main thread can."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: found for number in numbers if (found := signal.getsignal(number)) not in (signal.SIG_IGN, None)}
    for number in before:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number, action in before.items():
            signal.signal(number, action)

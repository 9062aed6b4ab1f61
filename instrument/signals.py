"""Signals that end a command: what it has begun is undone or completed first.

A signal that was ignored when the command started, as SIGHUP under nohup, stays ignored.
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
    """SIGTERM and SIGHUP raise Ended, as Ctrl-C raises KeyboardInterrupt. Further ones do not disturb what is done then."""

    over = False

    def end(number: int, _: FrameType | None) -> None:
        nonlocal over
        if not over:
            over = True
            raise Ended(number)

    with _handled(ENDING, end):
        yield


def leave_to_parent() -> None:
    """In a process that works for this command: signals of the terminal are for the command, which ends the process by SIGTERM."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


class Noted:
    """`number`: of the first signal of those that end the command, 0: none. A second one raises Ended."""

    def __init__(self) -> None:
        self.number = 0

    def __call__(self, number: int, _: FrameType | None) -> None:
        if self.number:
            raise Ended(number)
        self.number = number


@contextmanager
def noted() -> Iterator[Noted]:
    """SIGINT, SIGTERM and SIGHUP are noted, for a command that looks for them where it can end."""
    found = Noted()
    with _handled((signal.SIGINT, *ENDING), found):
        yield found


@contextmanager
def _handled(numbers: tuple[signal.Signals, ...], handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Only the main thread can have handlers."""
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

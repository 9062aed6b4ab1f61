"""Long changes of classes: progress for the user, who may end them."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import contextmanager

from classhook.base.progress import Steps
from classhook.base.signals import Ended, Noted, noted
from classhook.base.terminal import say
from classhook.commands.values import seconds
from classhook.live.class_changes import Cancelled, Manner, limited

AT_MOST = "--at-most"
SAID_EVERY = 10.0  # seconds, where there is no terminal


def add_at_most(parser: argparse.ArgumentParser) -> None:
    """--at-most."""
    parser.add_argument(
        AT_MOST,
        metavar="TIME",
        type=seconds,
        default=0,
        help=(
            "change so few classes at once that the program stops for no longer than this (20ms); if a single class"
            " takes longer, change none. The first stop of all may be longer: HotSpot discards all compiled code then"
        ),
    )


class Progress:
    """Shows how many classes are done: as a bar on a terminal, elsewhere in a line from time to time."""

    def __init__(self, what: str, quiet: bool) -> None:
        self._what, self._quiet = what, quiet
        self._bar, self._said = Steps(what, quiet), time.monotonic()

    def show(self, done: int, due: int) -> None:
        self._bar.show(done, due)
        if self._quiet or self._bar.is_visible or time.monotonic() - self._said < SAID_EVERY:
            return
        self._said = time.monotonic()
        say(f"{self._what}: {done:,} of {due:,} classes so far" if due else f"{self._what}: waiting for the JVM")

    def close(self) -> None:
        self._bar.close()


@contextmanager
def following(what: str, now: bool, at_most: float, quiet: bool, signals: Noted) -> Iterator[Manner]:
    """The manner in which the block changes classes: a signal ends that. `at_most`: seconds, 0 for any."""
    progress = Progress(what, quiet)
    told = False

    def goes_on(done: int, due: int) -> bool:
        nonlocal told
        progress.show(done, due)
        if signals.number and not told:
            told = True
            say(f"{what}: undoing the changes; press Ctrl-C again to stop waiting")
        return not signals.number

    try:
        yield limited(now, at_most, goes_on)
    finally:
        progress.close()


@contextmanager
def undoing(what: str, now: bool, at_most: float = 0, quiet: bool = False) -> Iterator[Manner]:
    """The same; a signal also ends the command, by Ended. The changes made by then are undone already."""
    with noted() as signals:
        try:
            with following(what, now, at_most, quiet, signals) as manner:
                yield manner
        except Cancelled as cancelled:
            say(str(cancelled))
    if signals.number:
        raise Ended(signals.number)

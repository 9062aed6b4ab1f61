"""Keys of a terminal, without waiting for a line."""

from __future__ import annotations

import os
import select
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager

NAMES = {
    "\x1b[A": "up",
    "\x1b[B": "down",
    "\x1bOA": "up",
    "\x1bOB": "down",
    "\x1b[5~": "pageup",
    "\x1b[6~": "pagedown",
    "\x1b[H": "home",
    "\x1b[F": "end",
    "\x1b[1~": "home",
    "\x1b[4~": "end",
    "\x1bOH": "home",
    "\x1bOF": "end",
    "\x1b": "escape",
    "\r": "enter",
    "\n": "enter",
    "\t": "tab",
    "\x7f": "backspace",
    "\b": "backspace",
}


@contextmanager
def keyboard(descriptor: int) -> Iterator[None]:
    """Reads keys at once, without showing them, until the block ends."""
    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def pressed(descriptor: int, seconds: float) -> list[str]:
    """The keys that came, after so many seconds at most. Raises EOFError if none can come any more."""
    ready, _, _ = select.select([descriptor], [], [], max(seconds, 0))
    if not ready:
        return []
    data = os.read(descriptor, 1024)
    if not data:
        raise EOFError
    return list(parsed(data.decode("utf-8", "replace")))


def parsed(text: str) -> Iterator[str]:
    """The names of keys, and characters; sequences that have no name are left out."""
    at = 0
    while at < len(text):
        length = 1
        if text.startswith(("\x1b[", "\x1bO"), at):
            length = 3 if text[at + 1] == "O" else _sequence(text, at)
        found = text[at : at + length]
        if found in NAMES:
            yield NAMES[found]
        elif length == 1:
            yield found
        at += length


def _sequence(text: str, at: int) -> int:
    """The length of a control sequence (ECMA-48 5.4)."""
    end = at + 2
    while end < len(text) and not "\x40" <= text[end] <= "\x7e":
        end += 1
    return end + 1 - at

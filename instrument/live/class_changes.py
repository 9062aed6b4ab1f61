"""Changes of classes in a JVM, and their observation: progress, cancellation.

While the agent changes classes, it writes how many are done to a file in memory, which is found through /proc/PID/fd,
and reads there whether it is to leave off (native/live/exchange_progress.c). The changes made by then are undone.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from classhook.base.errors import Failure
from classhook.base.names import time_label
from classhook.live.jvms import Jvm

SO_FAR = struct.Struct("=QQ")  # done, due
CANCELLED = struct.pack("=Q", 1)  # before these


class Cancelled(Failure):
    """The user did not want the change any more, and it was undone."""


@dataclass(frozen=True)
class Manner:
    """The manner of changing classes. `now`: even those with a running loop, which is then slow; `at_most_us`: the
    longest that the program may stop at once, in microseconds, 0 for any; `goes_on`: called from time to time with the
    number of classes that are done, and of all; returns whether to go on; `takes_back`: it undoes the change before."""

    now: bool = False
    at_most_us: int = 0
    goes_on: Callable[[int, int], bool] | None = None
    takes_back: bool = False

    def options(self, follower: str) -> dict[str, str]:
        """The options of an attachment (native/options.c). `follower`: its name, or empty."""
        named = {"now": "yes" if self.now else "", "atmost": str(self.at_most_us or ""), "follow": follower}
        return {name: value for name, value in named.items() if value}

    @property
    def may_be_undone(self) -> bool:
        """True if parts of the change may not be done."""
        return self.at_most_us > 0 or self.goes_on is not None

    def words(self, follower: str) -> str:
        """The words of the command `exchange` (native/live/control_commands.c)."""
        limit = f"atmost {self.at_most_us} " * (self.at_most_us > 0)
        undo = "back " * self.takes_back + "undo " * self.may_be_undone
        return "now " * self.now + limit + f"follow {follower} " * bool(follower) + undo

    def again(self) -> Manner:
        """The manner of undoing a change: it is done to the end."""
        return Manner(now=self.now)


AS_USUAL = Manner()
TAKE_BACK = Manner(takes_back=True)
LONGEST_US = 1 << 53  # the agent counts nanoseconds in 64 bits


def limited(now: bool, at_most: float, goes_on: Callable[[int, int], bool] | None = None) -> Manner:
    """A manner by what a user asks for. `at_most`: seconds, 0 for any."""
    return Manner(now, min(max(round(at_most * 1e6), 1), LONGEST_US) if at_most else 0, goes_on)


class Follower:
    """Follows a change of classes, by its name."""

    def __init__(self, jvm: Jvm, manner: Manner) -> None:
        self.name = os.urandom(12).hex() if manner.goes_on else ""
        self._jvm, self._goes_on = jvm, manner.goes_on
        self._file, self._so_far, self._cancelled = -1, b"", False

    def __enter__(self) -> Follower:
        return self

    def __exit__(self, why: type[BaseException] | None, *_: object) -> None:
        if (
            why is not None and issubclass(why, KeyboardInterrupt) and not self.is_wanted
        ):  # the agent undoes it, and nobody waits for that
            self._cancel()
        if self._file >= 0:
            os.close(self._file)

    def look(self) -> bool:
        """Looks at the agent's progress while it works; returns whether it has done something since the last call."""
        if self._goes_on is None:
            return False
        self._find()
        so_far = os.pread(self._file, SO_FAR.size, len(CANCELLED)) if self._file >= 0 else b""
        more, self._so_far = so_far != self._so_far, so_far
        goes_on = self._goes_on(*(SO_FAR.unpack(so_far) if len(so_far) == SO_FAR.size else (0, 0)))
        if not goes_on:
            self._cancel()
        return more

    @property
    def is_wanted(self) -> bool:
        """True if the change is still wanted; also to be asked when the agent has done all."""
        return self._goes_on is None or self._goes_on(0, 0)

    def _cancel(self) -> None:
        self._find()
        if self._file >= 0 and not self._cancelled:
            self._cancelled = os.pwrite(self._file, CANCELLED, 0) > 0

    def _find(self) -> None:
        if self.name and self._file < 0:
            self._file = self._open()

    def _open(self) -> int:
        """-1: the agent has not begun, or is done."""
        link = f"/memfd:classhook-{self.name}-progress (deleted)"
        with suppress(OSError):
            for file in (self._jvm.proc / "fd").iterdir():
                with suppress(OSError):  # closed meanwhile
                    if os.readlink(file) == link:
                        return os.open(file, os.O_RDWR | os.O_CLOEXEC)
        return -1


def undone(jvm: Jvm, why: str, manner: Manner, longest_ns: int) -> Failure:
    """The error for a change that was not finished; `why`: in the agent's words (native/live/json_reply.c)."""
    if why != "too-long":
        return Cancelled(f"{jvm.pid}: cancelled: the classes are as they were before")
    longest, most = (time_label(ns).strip() for ns in (longest_ns, manner.at_most_us * 1000))
    return Failure(
        f"{jvm.pid}: this JVM stops for longer than {most} for a single class ({longest} at most): the classes are as"
        " they were before; a stop grows with the classes that are loaded, so allow it more time, or instrument this"
        " program when it starts, with `classhook run`"
    )

"""Handlers: their numbers, what becomes of those that raise, and what the report says of them.

1. The agent knows a handler by its number, and calls the function itself.
2. The first exception of a handler goes to stderr and, with its traceback, into the report. After MOST_ERRORS the
   handler is disabled.
3. At the end the report says what was lost: events for which queues had no room.
"""

from __future__ import annotations

from classhook.agent.loaded import SCRIPTS
from classhook.base.embedded import events as jvm
from classhook.base.terminal import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType
    from typing import Any, Final

    from classhook.agent.loaded import Script
    from classhook.rules.syntax import Rule

MOST_ERRORS: Final = 10
#: Seconds that a handler may take, unless it says otherwise.
TIMEOUT: Final = 5.0
OURS: Final = ("classhook/agent/", "classhook/extensions/")


class HandlerTimeout(BaseException):
    """Raised in a handler that takes longer than its `timeout`. No `except Exception` stops it."""


class Refused(Exception):
    """The JVM refuses what a transformer made. The report names each class."""


class Handler:
    """A function that is called for an event. `lost`: queued events that were dropped because there was no room for
    them; `e.missed` has those before an event. `script`: whose it is; None: the one that was run last. `timeout`:
    seconds that it may take; 0: as long as it likes. `counts_for`: the handler of which it is a part, as several call
    one function; their exceptions are counted together."""

    def __init__(
        self,
        event: str,
        function: Callable[..., Any],
        sync: bool,
        glob: str | None,
        timeout: float,
        called: Callable[..., Any] | None = None,
        least_ns: int = 0,
        script: Script | None = None,
        counts_for: Handler | None = None,
    ) -> None:
        number, _ = jvm.ways()[event]
        self.script = script or SCRIPTS[-1]
        self.event = event
        self.function = function
        self.what = "event"  # that it is called for, in the report
        self.describe(function)
        self.errors = 0
        self.refused = 0  # classes that a transformer made
        self.on = True
        self.every = 0  # of a sample: one object in so many bytes
        self.number: int = jvm.handle(number, sync, glob, called or function, timeout, least_ns)
        self.whole = counts_for or self
        self.rules: list[Rule] = []  # by which its methods have probes
        self.waiting: set[str] = (
            set()
        )  # classes that are still to get these, or to lose them, since a loop of theirs runs
        HANDLERS[self.number] = self
        self.begin()

    def choose(self, lossy: bool, frames: int) -> None:
        """Sets, for a queued handler, whether events may be lost before their threads wait, and how many frames of
        their stacks come with them."""
        jvm.options(self.number, lossy, frames)

    def describe(self, function: Callable[..., Any]) -> None:
        """Describes the handler by this function's name and place."""
        self.name = getattr(function, "__name__", "handler")
        self._place = place_of(function)

    def __repr__(self) -> str:
        return f"<handler {self}>"

    def __str__(self) -> str:
        return f"`{self.name}` ({self._place})" if self._place else f"`{self.name}`"

    @property
    def lost(self) -> int:
        count: int = jvm.lost(self.number)
        return count

    def disable(self) -> None:
        """Disables the handler."""
        self.on = False
        jvm.enable(self.number, False)

    def give_up(self) -> None:
        """Gives the handler up: it is not called any more, not even for queued events."""
        self.disable()
        jvm.give_up(self.number, True)

    def enable(self) -> None:
        """Enables the handler again."""
        self.on = True
        jvm.give_up(self.number, False)
        self.begin()

    def begin(self) -> None:
        """Has the handler called from now on, unless it is disabled or its script is not in force."""
        if self.on and self.script.in_force:
            jvm.enable(self.number, True)


HANDLERS: dict[int, Handler] = {}


def least_sample() -> int:
    """The finest that handlers ask for; 0: none does."""
    return min([handler.every for handler in HANDLERS.values() if handler.every], default=0)


def place_of(function: Callable[..., Any]) -> str:
    """File and line."""
    code: CodeType | None = getattr(function, "__code__", None)
    return f"{code.co_filename.rpartition('/')[2]}:{code.co_firstlineno}" if code is not None else ""


def failed(number: int, error: BaseException) -> None:
    """Called by the agent when a handler has raised."""
    handler = HANDLERS[number].whole
    if isinstance(error, Refused):
        handler.refused += 1
        jvm.note(f"the transformer {handler}: {error}")
        if handler.refused == 1:
            say(f"the transformer {handler}: {error}")
    else:
        handler.errors += 1
    if handler.errors == 1 and not isinstance(error, Refused):
        if jvm.note(f"the handler {handler} raised an exception: {trace_of(error)}"):
            say(f"the handler {handler} raised {brief(error)}; its traceback is in the report")
        else:
            say(f"the handler {handler} raised an exception, too late for the report: {trace_of(error)}")
    if handler.errors + handler.refused == MOST_ERRORS:
        for one in HANDLERS.values():
            if one.whole is handler:
                one.give_up()
        say(f"the handler {handler} failed {MOST_ERRORS} times, and is not called any more")
        jvm.note(f"the handler {handler} failed {MOST_ERRORS} times, and was not called any more")


def brief(error: BaseException) -> str:
    if isinstance(error, HandlerTimeout):
        return "HandlerTimeout: it took too long"
    return f"{type(error).__name__}: {error}".rstrip(": ")


def trace_of(error: BaseException) -> str:
    """The traceback, without frames of our own."""
    from traceback import TracebackException

    found = TracebackException.from_exception(error)
    kept = [frame for frame in found.stack if not any(folder in frame.filename for folder in OURS)]
    lines = [f"{frame.filename.rpartition('/')[2]}:{frame.lineno} in {frame.name}: {frame.line}" for frame in kept]
    return "; ".join([*lines, brief(error)])


def conclude(script: Script) -> None:
    """Concludes the script at the end, after its own handlers."""
    from classhook.base.names import several

    for handler in [one for one in HANDLERS.values() if one.script is script]:
        if handler.lost:
            jvm.note(
                f"the handler {handler} missed {several(handler.lost, handler.what)}, which came faster than it could"
                " handle them"
            )
        if 1 < handler.errors < MOST_ERRORS:
            jvm.note(f"the handler {handler} raised {several(handler.errors, 'time')}")

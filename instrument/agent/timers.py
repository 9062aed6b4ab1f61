"""Functions that are called every so often, on the agent's own thread."""

from __future__ import annotations

from time import monotonic

from classhook.agent.handlers import Handler

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final

    from classhook.agent.loaded import Script

LATEST: Final = 1000  # ms until it is asked again whether there are timers


class Timer:
    __slots__ = ("due", "every", "handler")

    def __init__(self, every: float, function: Callable[[], Any], timeout: float, script: Script) -> None:
        self.every = every
        self.due = monotonic() + every
        self.handler = Handler("timer", function, True, None, timeout, lambda event: function(), script=script)


TIMERS: list[Timer] = []


def due() -> tuple[int, ...]:
    """Tells the agent the ms until the next timer is due, and the numbers of the handlers that are due now. A late
    timer misses turns."""
    timers = [timer for timer in TIMERS if timer.handler.script.in_force]
    if not timers:
        return (LATEST,)
    now = monotonic()
    numbers = []
    for timer in timers:
        if timer.due <= now:
            numbers.append(timer.handler.number)
            timer.due = max(timer.due + timer.every, now)
    return (min(LATEST, max(1, round((min(timer.due for timer in timers) - now) * 1000))), *numbers)

"""The samples of the stacks of all threads, which the rules `cpu` and `profile` ask for
(native/sampling/cpu_sampler.c)."""

from __future__ import annotations

from classhook.base.units import microseconds
from classhook.rules.words import Clause, Sampler

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

DEEPEST: Final = 1024  # CH_MOST_DEPTH in native/sampling/sampling.h


def wrong_period(value: str) -> tuple[str, str] | None:
    return (
        None
        if 1000 <= microseconds(value) <= 1_000_000
        else ("samples cannot be taken at this interval", "from `1ms` to `1s`")
    )


EVERY: Final = Clause("every", "DURATION", wrong_period, about="the time between two samples")


def sampler(period: str, frames: int = DEEPEST, lines: bool = False, threads: bool = False) -> Sampler:
    """The request to the agent. `period`: as rules have it; `frames`: of a stack, the topmost ones."""
    return Sampler("cpu", period_us=microseconds(period), frames=frames, lines=int(lines), threads=int(threads))

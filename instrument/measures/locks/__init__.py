"""`locks`: how long threads were blocked at monitors, and waited in Object.wait, by the agent alone (native/locks/).
Nothing is woven.

`over`: shorter ones are only summed up; `stack`: frames of a stack, the topmost ones; `parks`: also threads that park,
as for locks of java.util.concurrent; `threads`: these are told apart.
"""

from __future__ import annotations

from classhook.base.units import microseconds
from classhook.probes.measure import unwoven
from classhook.rules.words import NO_VALUE, PROCESS, Clause, Sampler, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.rules.syntax import Rule

FRAMES: Final = "4"
MOST_FRAMES: Final = 256  # CH_LOCK_FRAMES in native/locks/locks.h


def wrong_time(value: str) -> tuple[str, str] | None:
    return None if microseconds(value) <= 3_600_000_000 else ("the limit is too long", "up to `3600s`")


NO_STACK: Final = "a stack with this number of frames cannot be recorded"


def wrong_stack(value: str) -> tuple[str, str] | None:
    return None if len(value) < 9 and 1 <= int(value) <= MOST_FRAMES else (NO_STACK, f"from `1` to `{MOST_FRAMES}`")


def asked(rule: Rule) -> Sampler:
    over_us, frames = microseconds(rule.clause("over") or "0us"), int(rule.clause("stack") or FRAMES)
    parks, threads = (int(bool(rule.clause(word))) for word in ("parks", "threads"))
    return Sampler("locks", over_us=over_us, frames=frames, parks=parks, threads=threads)


LOCKS = unwoven(
    word=Word(
        "locks",
        PROCESS,
        (
            Clause("over", "DURATION", wrong_time, about="leaves out shorter calls and waits"),
            Clause("stack", "NUMBER", wrong_stack, about="the number of stack frames"),
            Clause("parks", NO_VALUE, about="also threads that park, as for locks of `java.util.concurrent`"),
            Clause("threads", NO_VALUE, about="each thread's data is kept separately"),
        ),
        samples=asked,
        about=(
            "how long threads were blocked at monitors (`synchronized`) and waited in `Object.wait`, by the monitor's"
            " class and the stack"
        ),
    ),
)

"""`cpu`: samples of the stacks of all threads, by the agent alone (native/sampling/cpu_sampler.c). Nothing is woven.

Methods that were sampled have numbers of their own, which the data file names (CH_META_METHOD). `depth`: frames of a
sample, the topmost ones; `lines`: a method's frames are told apart by their lines; `threads`: stacks are told apart by
their threads.
"""

from __future__ import annotations

from classhook.base.units import microseconds
from classhook.probes.measure import unwoven
from classhook.rules.words import NO_VALUE, PROCESS, Clause, Sampler, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.rules.syntax import Rule

PERIOD: Final = "10ms"
DEPTH: Final = "1024"
DEEPEST: Final = 1024  # CH_MOST_DEPTH in native/sampling/sampling.h


def wrong_period(value: str) -> tuple[str, str] | None:
    return (
        None
        if 1000 <= microseconds(value) <= 1_000_000
        else ("samples cannot be taken at this interval", "from `1ms` to `1s`")
    )


def wrong_depth(value: str) -> tuple[str, str] | None:
    return (
        None
        if len(value) < 9 and 1 <= int(value) <= DEEPEST
        else ("no sample has this number of frames", f"from `1` to `{DEEPEST}`")
    )


def samples(rule: Rule) -> Sampler:
    period_us, frames = microseconds(rule.clause("every") or PERIOD), int(rule.clause("depth") or DEPTH)
    lines, threads = (int(bool(rule.clause(word))) for word in ("lines", "threads"))
    return Sampler("cpu", period_us=period_us, frames=frames, lines=lines, threads=threads)


CPU = unwoven(
    word=Word(
        "cpu",
        PROCESS,
        (
            Clause(
                "every",
                "DURATION",
                wrong_period,
                about="the time between two of them, or the bytes between two samples",
            ),
            Clause("depth", "NUMBER", wrong_depth, about="how many of a stack's topmost frames are kept"),
            Clause("lines", NO_VALUE, about="also keeps the source lines of all frames"),
            Clause("threads", NO_VALUE, about="each thread's data is kept separately"),
        ),
        samples=samples,
        about=(
            "CPU and wall time of all methods in all threads, including those of the JDK, from samples of the threads'"
            " stacks"
        ),
    ),
)

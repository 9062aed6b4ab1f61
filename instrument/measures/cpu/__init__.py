"""`cpu`: samples of the stacks of all threads, by the agent alone (native/sampling/cpu_sampler.c). Nothing is woven.

Methods that were sampled have numbers of their own, which the data file names (CH_META_METHOD). `depth`: frames of a
sample, the topmost ones; `lines`: a method's frames are told apart by their lines; `threads`: stacks are told apart by
their threads.
"""

from __future__ import annotations

from classhook.measures.stack_samples import DEEPEST, EVERY, sampler
from classhook.probes.measure import unwoven
from classhook.rules.words import NO_VALUE, PROCESS, Clause, Sampler, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.rules.syntax import Rule

PERIOD: Final = "10ms"


def wrong_depth(value: str) -> tuple[str, str] | None:
    return (
        None
        if len(value) < 9 and 1 <= int(value) <= DEEPEST
        else ("no sample has this number of frames", f"from `1` to `{DEEPEST}`")
    )


def samples(rule: Rule) -> Sampler:
    period, frames = rule.clause("every") or PERIOD, int(rule.clause("depth") or DEEPEST)
    return sampler(period, frames, bool(rule.clause("lines")), bool(rule.clause("threads")))


CPU = unwoven(
    word=Word(
        "cpu",
        PROCESS,
        (
            EVERY,
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

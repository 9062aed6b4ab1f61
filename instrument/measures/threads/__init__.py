"""`threads`: all that is measured is told apart by thread (native/threads/thread_names.c). Nothing is woven."""

from __future__ import annotations

from classhook.probes.measure import unwoven
from classhook.rules.words import PROCESS, Sampler, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from classhook.rules.syntax import Rule


def labels(rule: Rule) -> Sampler:
    return Sampler("labels", threads=1)


THREADS = unwoven(
    word=Word(
        "threads", PROCESS, samples=labels, about="the measurements of all other rules are also reported by thread"
    )
)

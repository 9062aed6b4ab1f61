"""`tests`: each test, and each container of tests, is a context. Nothing is woven for the word itself:
instrument/agent/testing/ has the handlers for the classes of test frameworks.
"""

from __future__ import annotations

from classhook.probes.measure import unwoven
from classhook.rules.words import PROCESS, Sampler, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from classhook.rules.syntax import Rule


def samples(rule: Rule) -> Sampler:
    return Sampler("tests", contexts=1)


TESTS = unwoven(
    word=Word(
        "tests",
        PROCESS,
        (),
        needs="context",
        samples=samples,
        about="each test is also reported separately, like a context",
    )
)

"""JUnit Platform's launcher, which learns of the tests of all engines. Tests that an engine's own hooks know are left
to the hooks; others, such as jqwik's and Kotest's, begin and end here, on the engine's reporting thread."""

from __future__ import annotations

from classhook.agent import open_tests as runs
from classhook.agent.testing.hook import Hook
from classhook.agent.testing.junit_platform import executed, key_of, run_of, segments_of
from classhook.agent.testing.values import at, text
from classhook.base.test_words import ABORTED, FAILED, PASSED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

LISTENER: Final = "org.junit.platform.launcher.core.ExecutionListenerAdapter"
HAVE_HOOKS: Final = ("junit-jupiter", "junit-vintage", "spock", "cucumber")  # engines
STATUSES: Final = {"SUCCESSFUL": PASSED, "ABORTED": ABORTED, "FAILED": FAILED}

_here: set[str] = set()  # keys of those that began here


def others(descriptor: Any) -> list[tuple[str, str]]:
    """The segments of the id, if it is for us. Tests that an executed node reports are known."""
    if executed() is not None:
        return []
    segments = segments_of(descriptor)
    return (
        segments
        if len(segments) > 1 and not any(kind == "engine" and value in HAVE_HOOKS for kind, value in segments)
        else []
    )


def started(e: Any) -> None:
    segments = others(e.args[0])
    key = key_of(segments)
    if segments and key not in runs.OPENED:
        _here.add(key)
        runs.begin(run_of(e.args[0], segments), e.thread)


def finished(e: Any) -> None:
    key = key_of(segments_of(e.args[0])) if _here else ""
    if key in _here:
        _here.discard(key)
        runs.end(key, STATUSES.get(text(e.args[1], "status", "name"), PASSED))


def skipped(e: Any) -> None:
    segments = others(e.args[0])
    if segments and key_of(segments) not in runs.OPENED and at(e.args[0], "uniqueId") is not None:
        runs.skipped(run_of(e.args[0], segments), e.thread)


HOOKS = (
    Hook(f"{LISTENER}::executionStarted", started, args=True),
    Hook(f"{LISTENER}::executionSkipped", skipped, args=True),
    Hook(f"{LISTENER}::executionFinished", finished, args=True),
)

"""The events of the listener of Maven's Surefire and Failsafe, in the JVM that runs the tests, for frameworks that have
no hooks here.

Other frameworks' listeners call this one, some before their own hook runs. So a test is left to the framework if one of
its classes is on the stack.
"""

from __future__ import annotations

from classhook.agent import open_tests as runs
from classhook.agent.testing.hook import Hook
from classhook.agent.testing.values import text
from classhook.base.test_words import ABORTED, FAILED, PASSED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final

SOURCE: Final = "Surefire"
#: Since 3.0, and before.
LISTENERS: Final = (
    "org.apache.maven.surefire.api.booter.ForkingRunListener",
    "org.apache.maven.surefire.booter.ForkingRunListener",
)
HAVE_HOOKS: Final = ("org.junit.", "junit.framework.", "org.testng.", "org.scalatest.")  # packages of frameworks
DEPTH: Final = 200  # frames that are looked at

_here: set[str] = set()  # keys of those that began here


def is_ours(e: Any) -> bool:
    return not any(frame.startswith(HAVE_HOOKS) for frame in e.stack(DEPTH))


def run_of(entry: Any) -> runs.Run:
    """Names are `testOne`, or as those of tests without a framework: `com.acme.PlainTest.testOne()`."""
    class_name = text(entry, "source")
    name = text(entry, "name").removeprefix(f"{class_name}.").removesuffix("()")
    context = f"{class_name}::{name}" if name else class_name
    return runs.Run(
        key_of(entry), context, SOURCE, class_name=class_name, method=name.partition("(")[0], display=name or class_name
    )


def key_of(entry: Any) -> str:
    return f"{SOURCE}/{text(entry, 'source')}#{text(entry, 'name')}"


def started(e: Any) -> None:
    if is_ours(e):
        _here.add(key_of(e.args[0]))
        runs.begin(run_of(e.args[0]), e.thread)


def ended(status: str) -> Callable[[Any], None]:
    def end(e: Any) -> None:
        key = key_of(e.args[0]) if _here else ""
        if key in _here:
            _here.discard(key)
            runs.end(key, status)

    return end


def skipped(e: Any) -> None:
    key = key_of(e.args[0])
    if key in _here or is_ours(e):
        _here.discard(key)
        runs.skipped(run_of(e.args[0]), e.thread)


HOOKS = tuple(
    Hook(f"{listener}::{method}", act, args=True)
    for listener in LISTENERS
    for method, act in (
        ("testStarting", started),
        ("testSucceeded", ended(PASSED)),
        ("testFailed", ended(FAILED)),
        ("testError", ended(FAILED)),
        ("testAssumptionFailure", ended(ABORTED)),
        ("testSkipped", skipped),
    )
)

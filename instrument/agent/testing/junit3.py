"""JUnit 3 by its own runners: TestResult is told of each test, on the test's thread. If JUnit 4 runs it, its notifier
knows the test already."""

from __future__ import annotations

from classhook.agent import open_tests as runs
from classhook.agent.testing.hook import Hook
from classhook.agent.testing.values import described, text
from classhook.base.test_words import FAILED, PASSED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

SOURCE: Final = "JUnit 3"
JUNIT4: Final = "JUnit 4"  # as in junit4.py
RESULT: Final = "junit.framework.TestResult"

_results: dict[str, tuple[str, str]] = {}  # of those that began here, by key: status and exception


def started(e: Any) -> None:
    test = e.args[0]
    class_name, method = test.cls, text(test, "fName")
    key = key_of(test)
    if e.exception is not None or not method or key in runs.OPENED or f"{JUNIT4}/{method}({class_name})" in runs.OPENED:
        return
    _results[key] = (PASSED, "")
    runs.begin(
        runs.Run(key, f"{class_name}::{method}", SOURCE, class_name=class_name, method=method, display=method), e.thread
    )


def failed(e: Any) -> None:
    key = key_of(e.args[0])
    if key in _results:
        _results[key] = (FAILED, described(e.args[1]))


def ended(e: Any) -> None:
    key = key_of(e.args[0])
    if key in _results:
        runs.end(key, *_results.pop(key))


def key_of(test: Any) -> str:
    return f"{SOURCE}/{text(test, 'fName')}({test.cls})"


HOOKS = (
    Hook(f"{RESULT}::startTest", started, exit=True, args=True),
    Hook(f"{RESULT}::addError", failed, args=True),
    Hook(f"{RESULT}::addFailure", failed, args=True),
    Hook(f"{RESULT}::endTest", ended, args=True),
)

"""The tests that Gradle's JVM for tests reports, for frameworks that have no hooks here.

Its other JVM, which gets reports of the same tests, does not use this processor.
"""

from __future__ import annotations

from classhook.agent import open_tests as runs
from classhook.agent.testing.hook import Hook
from classhook.agent.testing.surefire import is_ours
from classhook.agent.testing.values import at, text
from classhook.base.test_words import FAILED, PASSED, SKIPPED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

SOURCE: Final = "Gradle"
PROCESSOR: Final = "org.gradle.api.internal.tasks.testing.processors.CaptureTestOutputTestResultProcessor"

_statuses: dict[str, str] = {}  # of those that began here, by key


def started(e: Any) -> None:
    descriptor = e.args[0]
    class_name, name = text(descriptor, "className"), text(descriptor, "name")
    key = key_of(at(descriptor, "id"))
    if class_name and key and is_ours(e):  # only tests have the field: suites and classes do not
        _statuses[key] = PASSED
        runs.begin(
            runs.Run(
                key, f"{class_name}::{name}", SOURCE, class_name=class_name, method=name.partition("(")[0], display=name
            ),
            e.thread,
        )


def failed(e: Any) -> None:
    key = key_of(e.args[0]) if _statuses else ""
    if key in _statuses:
        _statuses[key] = FAILED


def completed(e: Any) -> None:
    key = key_of(e.args[0]) if _statuses else ""
    if key in _statuses:
        status = _statuses.pop(key)
        runs.end(key, SKIPPED if text(e.args[1], "resultType", "name") == "SKIPPED" else status)


def key_of(identity: Any) -> str:
    """The key of an id: a number, or a pair of numbers. Empty: another kind of id."""
    parts = (
        [number(at(identity, "scope")), number(at(identity, "id"))]
        if at(identity, "scope") is not None
        else [number(identity)]
    )
    return "" if None in parts else f"{SOURCE}/{'.'.join(map(str, parts))}"


def number(value: Any) -> int | None:
    found = value if isinstance(value, int) else at(value, "value")
    return found if isinstance(found, int) else None


HOOKS = (
    Hook(f"{PROCESSOR}::started", started, args=True),
    Hook(f"{PROCESSOR}::failure", failed, args=True),
    Hook(f"{PROCESSOR}::completed", completed, args=True),
)

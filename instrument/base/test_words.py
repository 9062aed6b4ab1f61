"""The words about tests in the data file. This module is imported inside the JVM and imports nothing."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

TEST, CONTAINER, SET_UP = "test", "container", "set-up"
PASSED, FAILED, ABORTED, SKIPPED = "passed", "failed", "aborted", "skipped"
STATUSES: Final = (PASSED, FAILED, ABORTED, SKIPPED)
OPEN: Final = ""  # it has not ended
#: In a record of a test, between zero bytes: the fields of a TestRun (instrument/model/test_runs.py), but for `pid`.
FIELDS: Final = (
    "context",
    "class_name",
    "method",
    "display",
    "kind",
    "status",
    "started_unix_ns",
    "duration_ns",
    "parent",
    "attempt",
    "thread",
    "source",
    "exception",
    "initialisers_ns",
)
RULE: Final = "tests"  # it tells tests apart
#: The origin of rules by which classes of test frameworks are woven.
OWN_RULES: Final = "tests"

"""Tests that something outside of the JVM runs: `classhook ctl PID test start NAME`, and `test end`. All threads belong
to them."""

from __future__ import annotations

from classhook.agent import open_tests as runs
from classhook.base.test_words import PASSED, STATUSES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

SOURCE: Final = "by hand"


def command(verb: str, *words: str) -> str:
    """`start NAME`, `end [STATUS]`. Raises ValueError."""
    open_ones = [run for run in runs.OPENED.values() if run.source == SOURCE]
    if verb == "start":
        name = " ".join(words)
        if not name:
            raise ValueError("test start NAME: which name?")
        if open_ones:
            raise ValueError(f"the test {open_ones[0].context!r} has not ended: `test end` first")
        runs.begin(runs.Run(f"{SOURCE}/{name}", name, SOURCE, display=name), "")
        return f"{runs.OPENED[f'{SOURCE}/{name}'].context}: started"
    if verb != "end":
        raise ValueError(f"test {verb}: there are `test start NAME` and `test end [STATUS]`")
    status = words[0] if words else PASSED
    if status not in STATUSES:
        raise ValueError(f"test end {status}: a status is one of {', '.join(STATUSES)}")
    if not open_ones:
        raise ValueError("no test was started: `test start NAME`")
    runs.end(open_ones[0].key, status)
    return f"{open_ones[0].context}: {status}"

"""TestNG: its helper tells listeners of each test that begins and ends, on the test's thread; a test that is skipped does not begin."""

from __future__ import annotations

from _thread import get_ident

from classhook.scripts import open_tests as runs
from classhook.test_words import ABORTED, FAILED, PASSED, SKIPPED
from classhook.testing.hook import Hook
from classhook.testing.values import at, class_named, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

SOURCE: Final = "TestNG"
HELPER: Final = "org.testng.internal.TestListenerHelper::runTestListeners"
STARTED: Final = 16
SKIP: Final = 3
#: ITestResult's numbers; 4: failed, but within the success percentage.
STATUSES: Final = {1: PASSED, 2: FAILED, 4: PASSED}


_ended: dict[int, tuple[str, object, object]] = {}  # by thread, the test that ended last: several lists of listeners are told, one after the other


def told(e: Any) -> None:
    """Before listeners are told that a test has ended."""
    result = e.args[0]
    status = at(result, "m_status")
    if status == STARTED:
        return
    run = run_of(result)
    this = (run.key, at(result, "m_startMillis"), at(result, "m_endMillis"))
    if run.key in runs.OPENED:
        runs.end(run.key, of_skipped(result) if status == SKIP else STATUSES.get(status, FAILED))
    elif status == SKIP and _ended.get(get_ident()) != this:
        runs.skipped(run, e.thread)
    _ended[get_ident()] = this


def of_skipped(result: Any) -> str:
    """The test itself said so, or it did not run since another one failed."""
    thrown = at(result, "m_throwable")
    return ABORTED if thrown is not None and "org.testng.SkipException" in thrown.classes else SKIPPED


def has_told(e: Any) -> None:
    """After they were told that it begins."""
    result = e.args[0]
    if at(result, "m_status") == STARTED and e.exception is None and (run := run_of(result)).key not in runs.OPENED:
        runs.begin(run, e.thread)


def run_of(result: Any) -> runs.Run:
    method = at(result, "m_method")
    while method is not None and at(method, "m_methodName") is None:
        method = at(method, "testNGMethod|m_method")
    name = text(method, "m_methodName") or text(result, "m_name")
    class_name = class_named(method, "m_methodClass") or text(result, "m_instanceName")
    parameters = at(result, "m_parameters")
    number = f" [{(at(result, 'parameterIndex') or 0) + 1}]" if parameters is not None and len(parameters) else ""
    context = f"{class_name}::{name}{number}"
    return runs.Run(f"{SOURCE}/{get_ident()}/{context}", context, SOURCE, class_name=class_name, method=name, display=f"{name}{number}")


HOOKS = (Hook(HELPER, told, args=True), Hook(HELPER, has_told, exit=True, args=True))

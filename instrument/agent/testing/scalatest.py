"""ScalaTest 3, whoever runs its suites: its own Runner, and by its Framework sbt and other build tools.

Suite.run() runs a suite, and runTest() one of its tests; traits that do something before and after override them. A
reporter gets the result of a test; for an asynchronous test perhaps after runTest() has returned, from another thread.
"""

from __future__ import annotations

from _thread import get_ident

from classhook.agent import open_tests as runs
from classhook.agent.testing.hook import Hook
from classhook.agent.testing.values import at, text
from classhook.base.test_words import ABORTED, CONTAINER, FAILED, PASSED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final

SOURCE: Final = "ScalaTest"
SUITE: Final = "org.scalatest.Suite"
REPORTS: Final = f"{SUITE}$::reportTest"
ARGS: Final = "org.scalatest.Args"
OWN: Final = "org.scalatest."  # suites of this package are around those of the program

#: By thread, the keys of what it runs, a call of run() or runTest() each; empty: the call has no key of its own.
_calls: dict[int, list[str]] = {}
#: The results of tests whose runTest() has not returned.
_statuses: dict[str, str] = {}
#: Tests and suites whose call has returned before anyone told what came of them.
_left: set[str] = set()
#: Suites of which a reporter is told: it is told of their end, too.
_told: set[str] = set()


def suite_begins(e: Any) -> None:
    """A call with the name of a test is for that test alone, as each in an instance of its own."""
    name = e.this.cls if is_call(e) and of_class(e.args[0], "scala.None$") else ""
    key = suite_key(name)
    if entered(key if name and not name.startswith(OWN) and key not in runs.OPENED else ""):
        around = next((one for one in reversed(_calls[get_ident()][:-1]) if one), "")
        runs.begin(
            runs.Run(key, name, SOURCE, CONTAINER, class_name=name, display=name.rpartition(".")[2], parent=around),
            e.thread,
        )


def suite_ends(e: Any) -> None:
    key = left()
    if key in _told and key in runs.OPENED:
        waits(key)
    elif key:
        runs.end(key, PASSED if e.exception is None else FAILED)


def told_of_suite(e: Any) -> None:
    key = told_suite(e)
    _told.add(key)


def suite_completed(status: str) -> Callable[[Any], None]:
    def completed(e: Any) -> None:
        key = told_suite(e)
        _told.discard(key)
        if key in _left:
            _left.discard(key)
            runs.end(key, status)

    return completed


def told_suite(e: Any) -> str:
    return suite_key(text(e.this, "suiteClassName", "value|x") or text(e.this, "suiteId"))


def test_begins(e: Any) -> None:
    name = text(e.args[0]) if is_call(e) and not at(e.args[1], "runTestInNewInstance") else ""
    key = test_key(e.this, name) if name else ""
    if entered(key if key not in runs.OPENED else ""):
        runs.begin(run_of(e.this, name), e.thread)


def test_ends(e: Any) -> None:
    key = left()
    if not key:
        return
    status = _statuses.pop(key, "")
    if e.exception is not None:
        status = FAILED
    if status:
        runs.end(key, status)
    else:
        waits(key)


def reports(status: str) -> Callable[[Any], None]:
    def reported(e: Any) -> None:
        key = test_key(e.args[0], next((one for one in e.args if isinstance(one, str)), ""))
        if key in _left:
            _left.discard(key)
            runs.end(key, status)
        elif key in runs.OPENED:
            _statuses[key] = status

    return reported


def ignored(e: Any) -> None:
    name = next((one for one in e.args if isinstance(one, str)), "")
    runs.skipped(run_of(e.args[0], name), e.thread)


def entered(key: str) -> str:
    _calls.setdefault(get_ident(), []).append(key)
    return key


def left() -> str:
    """The key of the call that ends on this thread."""
    calls = _calls.get(get_ident())
    key = calls.pop() if calls else ""
    if not calls:
        _calls.pop(get_ident(), None)
    return key


def waits(key: str) -> None:
    """Continues the test without this thread."""
    if key in runs.OPENED:
        runs.leave(runs.OPENED[key])
        _left.add(key)


def is_call(e: Any) -> bool:
    """A suite may have other methods of the same name."""
    return e.this is not None and len(e.args) == 2 and of_class(e.args[1], ARGS)


def of_class(value: Any, name: str) -> bool:
    return getattr(value, "cls", "") == name


def suite_key(name: str) -> str:
    return f"{SOURCE}//{name}"


def test_key(suite: Any, name: str) -> str:
    return f"{SOURCE}/{suite.cls}/{name}"


def run_of(suite: Any, name: str) -> runs.Run:
    own = suite.cls
    return runs.Run(
        test_key(suite, name), f"{own}::{name}", SOURCE, class_name=own, display=name, parent=suite_key(own)
    )


HOOKS = (
    Hook(f"{SUITE}+::run", suite_begins, args=True),
    Hook(f"{SUITE}+::run", suite_ends, exit=True),
    Hook(f"{SUITE}+::runTest", test_begins, args=True),
    Hook(f"{SUITE}+::runTest", test_ends, exit=True),
    Hook(f"{REPORTS}Succeeded", reports(PASSED), exit=True, args=True),
    Hook(f"{REPORTS}Failed", reports(FAILED), exit=True, args=True),
    Hook(f"{REPORTS}Canceled", reports(ABORTED), exit=True, args=True),
    Hook(f"{REPORTS}Pending", reports(ABORTED), exit=True, args=True),
    Hook(f"{REPORTS}Ignored", ignored, args=True),
    Hook("org.scalatest.events.SuiteStarting::<init>", told_of_suite, exit=True),
    Hook("org.scalatest.events.SuiteCompleted::<init>", suite_completed(PASSED), exit=True),
    Hook("org.scalatest.events.SuiteAborted::<init>", suite_completed(FAILED), exit=True),
)

"""TestNG. TestInvoker.invokeMethod() runs a test with what is before and after each, and a helper reports its status to
listeners, on the test's thread; skipped tests may only be reported.

A worker runs methods of a class. The first sets the class up and the last tears it down, perhaps on other threads: the
class is a container from the first to the last.
"""

from __future__ import annotations

from _thread import get_ident

from classhook.agent import open_tests as runs
from classhook.agent.testing.hook import Hook
from classhook.agent.testing.values import at, class_named, described, text
from classhook.base.test_words import ABORTED, CONTAINER, FAILED, PASSED, SKIPPED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

SOURCE: Final = "TestNG"
HELPER: Final = "org.testng.internal.TestListenerHelper"
STARTED: Final = 16
SKIP: Final = 3
FAILURE: Final = 2
#: ITestResult's numbers; 4: failed, but within the success percentage.
STATUSES: Final = {1: PASSED, 2: FAILED, 4: PASSED}


SKIPPING: Final = "org.testng.SkipException"

_ended: dict[
    int, tuple[str, object, object]
] = {}  # by thread, the test that ended last: several lists of listeners are told, one after the other
_invoked: dict[int, list[str]] = {}  # by thread, the keys of tests that are invoked there
_started: set[str] = set()  # of them, those whose own method began
_statuses: dict[str, str] = {}  # of them, what listeners were told
_thrown: dict[str, str] = {}  # of them, the exceptions of those that failed
_classes: dict[int, runs.Run] = {}  # by thread, the class that its worker is at
_last: set[int] = set()  # threads whose worker has the last method of its class
_failed: set[str] = set()  # keys of classes whose set-up or tear-down failed


def invoked(e: Any) -> None:
    """Handles an invocation; from TestNG 7 on, one object has all arguments."""
    given = e.args[0] if hasattr(e.args[0], "cls") and e.args[0].cls.endswith(".TestMethodArguments") else None
    if given is not None:
        method, parameters, index = at(given, "tm"), at(given, "parameterValues"), at(given, "parametersIndex")
    else:
        method, parameters, index = e.args[1:4]
    run = run_of(method, parameters, index)
    own = _invoked.setdefault(get_ident(), [])
    own.append("" if run.key in runs.OPENED else run.key)
    if own[-1]:
        runs.begin(run, e.thread)


def has_run(e: Any) -> None:
    own = _invoked.get(get_ident())
    key = own.pop() if own else ""
    if not own:
        _invoked.pop(get_ident(), None)
    _started.discard(key)
    if key:
        status = _statuses.pop(key, FAILED if e.exception is not None else PASSED)
        thrown = _thrown.pop(key, "")
        runs.end(key, status, thrown if status == FAILED else "")


def told(e: Any) -> None:
    """Handles a status, before listeners get it."""
    result = e.args[0]
    status = at(result, "m_status")
    run = run_of_result(result)
    if status == STARTED:
        _started.add(run.key)
        return
    this = (run.key, at(result, "m_startMillis"), at(result, "m_endMillis"))
    if run.key in runs.OPENED:
        _thrown[run.key] = described(at(result, "m_throwable"))
        _statuses[run.key] = of_skipped(result, run.key in _started) if status == SKIP else STATUSES.get(status, FAILED)
    elif status == SKIP and _ended.get(get_ident()) != this:
        runs.skipped(run, e.thread)
    _ended[get_ident()] = this


def of_skipped(result: Any, ran: bool) -> str:
    """The test itself said so; or it failed, and is run again; or it did not run since another one failed."""
    thrown = at(result, "m_throwable")
    if thrown is not None and SKIPPING in thrown.classes:
        return ABORTED
    retried = at(
        result, "m_wasRetried"
    )  # before TestNG 7 there is no such field, but a test that does not run is not told to start
    return FAILED if (retried if retried is not None else ran and thrown is not None) else SKIPPED


def configured(e: Any) -> None:
    if at(e.args[0], "m_status") == FAILURE and (run := _classes.get(get_ident())):
        _failed.add(run.key)


def class_begins(e: Any) -> None:
    name = class_named(own_method(at(e.args[1], "m_method")), "m_methodClass")
    key = class_key(name)
    run = runs.OPENED.get(key)
    if run is not None:
        runs.enter(run)
    elif name:
        run = runs.Run(key, name, SOURCE, CONTAINER, class_name=name, display=name.rpartition(".")[2])
        runs.begin(run, e.thread)
    if run is not None:
        _classes[get_ident()] = run


def method_done(e: Any) -> None:
    if e.value:
        _last.add(get_ident())


def class_ends(e: Any) -> None:
    run = _classes.pop(get_ident(), None)
    if run is not None:
        runs.leave(run)
        if get_ident() in _last:
            runs.end(run.key, FAILED if run.key in _failed else PASSED)
            _failed.discard(run.key)
    _last.discard(get_ident())


def run_of_result(result: Any) -> runs.Run:
    return run_of(at(result, "m_method"), at(result, "m_parameters"), at(result, "parameterIndex"), result)


def own_method(method: Any) -> Any:
    """The method behind wrappers."""
    while method is not None and at(method, "m_methodName") is None:
        method = at(method, "testNGMethod|m_method")
    return method


def run_of(method: Any, parameters: Any, index: Any, result: Any = None) -> runs.Run:
    method = own_method(method)
    name = text(method, "m_methodName") or text(result, "m_name")
    class_name = class_named(method, "m_methodClass") or text(result, "m_instanceName")
    number = f" [{(index or 0) + 1}]" if parameters is not None and len(parameters) else ""
    context = f"{class_name}::{name}{number}"
    return runs.Run(
        f"{SOURCE}/{get_ident()}/{context}",
        context,
        SOURCE,
        class_name=class_name,
        method=name,
        display=f"{name}{number}",
        parent=class_key(class_name),
    )


def class_key(name: str) -> str:
    return f"{SOURCE}//{name}"


#: In TestNG 7.5 and later, and before.
INVOKERS: Final = (
    "org.testng.internal.invokers.TestInvoker",
    "org.testng.internal.TestInvoker",
    "org.testng.internal.Invoker",
)
WORKERS: Final = ("org.testng.internal.invokers.TestMethodWorker", "org.testng.internal.TestMethodWorker")

HOOKS = (
    *[Hook(f"{one}::invokeMethod", invoked, args=True) for one in INVOKERS],
    *[Hook(f"{one}::invokeMethod", has_run, exit=True) for one in INVOKERS],
    Hook(f"{HELPER}::runTestListeners", told, args=True),
    Hook(f"{HELPER}::runPostConfigurationListeners", configured, args=True),
    *[Hook(f"{one}::invokeBeforeClassMethods", class_begins, args=True) for one in WORKERS],
    Hook("org.testng.ClassMethodMap::removeAndCheckIfLast", method_done, exit=True, value=True),
    *[Hook(f"{one}::invokeAfterClassMethods", class_ends, exit=True) for one in WORKERS],
)

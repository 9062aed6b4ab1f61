"""JUnit 4, JUnit's Vintage engine, and others that report tests to a RunNotifier: JUnit 3, MUnit, Spock 1.

A test is reported on the thread that runs it, or that waits for it, if it has a timeout: its own thread then inherits
the context. ParentRunner.run() runs a class.
"""

from __future__ import annotations

from _thread import get_ident

from classhook.agent import open_tests as runs
from classhook.agent.testing import discovery
from classhook.agent.testing.hook import Hook
from classhook.agent.testing.values import at, class_named, described, text
from classhook.base.test_words import ABORTED, CONTAINER, FAILED, PASSED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

SOURCE: Final = "JUnit 4"
NOTIFIER: Final = "org.junit.runner.notification.RunNotifier"
JUNIT3: Final = "org.junit.internal.runners.JUnit38ClassRunner"  # it makes an object for each test
BUILDER: Final = "org.junit.internal.builders.JUnit3Builder::runnerForClass"  # it makes such a runner, or none
PARAMETERIZED: Final = "org.junit.runners.Parameterized"
#: Methods of different versions; each calls the class's method that returns the parameters.
PARAMETERS: Final = (
    f"{PARAMETERIZED}$RunnersFactory::allParameters",
    f"{PARAMETERIZED}::allParameters",
    f"{PARAMETERIZED}::getParametersList",
)
OF_RUNNER: Final = ("testClass|fTestClass", "clazz|fClass")  # from a runner to its class

_results: dict[str, tuple[str, str]] = {}  # of those that run, by key, if they have not passed: status, exception
CLEAN: Final = (PASSED, "")
_classes: dict[int, list[str]] = {}  # that each thread runs, by key; empty: what is run is in one already


def started(e: Any) -> None:
    if e.exception is None:
        runs.begin(run_of(e.args[0]), e.thread)


def failed(e: Any) -> None:
    _results.setdefault(failing(e), (FAILED, described(at(e.args[0], "fThrownException|thrownException"))))


def assumption_failed(e: Any) -> None:
    _results[failing(e)] = (ABORTED, "")


def failing(e: Any) -> str:
    """The key of what failed: a test, or what was before or after all tests of a class."""
    description = at(e.args[0], "fDescription|description")
    key = key_of(description)
    return key if key in runs.OPENED else class_key(parts(description)[0])


def finished(e: Any) -> None:
    key = key_of(e.args[0])
    runs.end(key, *_results.pop(key, CLEAN))


def ignored(e: Any) -> None:
    runs.skipped(run_of(e.args[0]), e.thread)


def parameters_found(e: Any) -> None:
    """Begins a discovery. The class is the method's argument or, in some versions, the runner's."""
    discovery.entered(e)
    found(class_named(e.args[0], OF_RUNNER[1]) if len(e.args) else class_named(e.this, *OF_RUNNER), e.thread)


def class_found(e: Any) -> None:
    found(class_named(e.args[0]) if len(e.args) else "", e.thread)


def found(class_name: str, thread: str) -> None:
    discovery.begin(class_name, class_key(class_name), SOURCE, thread)


def class_begins(e: Any) -> None:
    name = class_named(e.this, *OF_RUNNER)
    key = class_key(name) if name else ""
    own = _classes.setdefault(get_ident(), [])
    if (
        not key or key in runs.OPENED
    ):  # no class has the whole suite; a parameterized one has a runner for each of its parameters
        own.append("")
        return
    own.append(key)
    display, around = name.rpartition(".")[2], discovery.key_of(name)
    runs.begin(runs.Run(key, name, SOURCE, CONTAINER, class_name=name, display=display, parent=around), e.thread)


def class_ends(e: Any) -> None:
    own = _classes.get(get_ident())
    key = own.pop() if own else ""
    if key:
        runs.end(key, *_results.pop(key, CLEAN))
    if not own:
        _classes.pop(get_ident(), None)


def key_of(description: Any) -> str:
    return f"{SOURCE}/{text(description, 'fDisplayName')}"


def class_key(name: str) -> str:
    return f"{SOURCE}//{name}"


def parts(description: Any) -> tuple[str, str]:
    """Class and method: of `places[0](com.acme.OrdersTest)`, or of a class."""
    display = text(description, "fDisplayName")
    method, bracket, rest = display.rpartition("(")
    if bracket and rest.endswith(")"):
        return rest[:-1], method
    return class_named(description, "fTestClass") or display, ""


def run_of(description: Any) -> runs.Run:
    class_name, method = parts(description)
    base, bracket, number = method.partition("[")
    name = (
        f"{class_name}::{base} [{number}"
        if bracket and number.endswith("]")
        else f"{class_name}::{method}"
        if method
        else class_name
    )
    return runs.Run(
        key_of(description),
        name,
        SOURCE,
        class_name=class_name,
        method=base or method,
        display=method or class_name,
        parent=container_of(class_name),
    )


def container_of(class_name: str) -> str:
    """The key of a test's container: its class. A runner may name tests after a class that it does not run; then it is
    the class that runs on this thread."""
    key = class_key(class_name)
    around = [one for one in _classes.get(get_ident(), []) if one]
    return around[-1] if around and not runs.has_begun(key) else key


HOOKS = (
    Hook(f"{NOTIFIER}::fireTestStarted", started, exit=True, args=True),
    Hook(f"{NOTIFIER}::fireTestFailure", failed, args=True),
    Hook(f"{NOTIFIER}::fireTestAssumptionFailed", assumption_failed, args=True),
    Hook(f"{NOTIFIER}::fireTestIgnored", ignored, args=True),
    Hook(f"{NOTIFIER}::fireTestFinished", finished, args=True),
    Hook("org.junit.runners.ParentRunner::run", class_begins),
    Hook("org.junit.runners.ParentRunner::run", class_ends, exit=True),
    Hook(BUILDER, discovery.entered),
    Hook(f"{JUNIT3}::<init>", class_found, args=True),
    *(Hook(one, parameters_found, args=True) for one in PARAMETERS),
    *(Hook(one, discovery.ends, exit=True) for one in (BUILDER, *PARAMETERS)),
)

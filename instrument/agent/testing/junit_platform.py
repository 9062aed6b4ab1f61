"""JUnit Platform: all engines that execute a hierarchy of nodes, such as Jupiter, Spock and Cucumber.

NodeTestTask.execute() prepares a node, runs it with what is before and after it, and with its children, and reports it,
all in one call.
"""

from __future__ import annotations

from _thread import get_ident

from classhook.agent import open_tests as runs
from classhook.agent.testing.hook import Hook
from classhook.agent.testing.values import at, described, items, text
from classhook.base.test_words import ABORTED, CONTAINER, FAILED, PASSED, SKIPPED, TEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

SOURCE: Final = "JUnit Platform"
TASK: Final = "org.junit.platform.engine.support.hierarchical.NodeTestTask"
DESCRIPTOR = "testDescriptor"
#: Types of segments of unique ids that name containers, even if they have no children yet.
CONTAINERS: Final = frozenset(
    {
        "engine", "class", "nested-class", "class-template", "class-template-invocation", "test-factory",
        "test-template", "dynamic-container", "suite", "spec", "runner", "uri", "package",
    }
)  # fmt: skip
CONTAINER_CLASSES: Final = ("ParameterizedFeatureNode", "ScenarioOutlineDescriptor", "ExamplesDescriptor")
#: Spock runs what has no parameters as one iteration, of which listeners are not told.
SIMPLE: Final = "org.spockframework.runtime.SimpleFeatureNode"
SPOCK: Final = "spock"
#: Exceptions by which a test says that it cannot run.
ABORTING: Final = frozenset(
    {
        "org.opentest4j.TestAbortedException", "org.junit.AssumptionViolatedException",
        "org.junit.internal.AssumptionViolatedException",
        "org.testng.SkipException", "org.spockframework.runtime.IncompatibleGroovyVersionException",
    }
)  # fmt: skip

_results: dict[str, tuple[str, str]] = {}  # of those that have reported one, by key: status and exception
_executed: dict[int, list[str]] = {}  # by each thread: the keys of nodes, the innermost last
_simple: set[str] = set()  # keys of Spock's tests without parameters that run


def of_throwable(thrown: Any) -> str:
    """The status of a test that ended by this exception; None: by none."""
    if thrown is None:
        return PASSED
    return ABORTED if ABORTING.intersection(thrown.classes) else FAILED


def begins(e: Any) -> None:
    own = _executed.setdefault(get_ident(), [])
    own.append("")
    descriptor = at(e.this, DESCRIPTOR)
    segments = segments_of(descriptor)
    if len(segments) > 1 and key_of(segments[:-1]) not in _simple:
        own[-1] = key_of(segments)
        runs.begin(run_of(descriptor, segments), e.thread)
        if descriptor.cls == SIMPLE:
            _simple.add(own[-1])


def reports(e: Any) -> None:
    """Notes the result of a test, which is forgotten afterwards."""
    key = executed()
    if key in runs.OPENED:
        _results[key] = result_of(e.this)


def result_of(task: Any) -> tuple[str, str]:
    """The status of a test, and the exception if it failed."""
    if at(task, "skipResult", "skipped"):
        return SKIPPED, ""
    thrown = at(task, "throwableCollector", "throwable")
    return of_throwable(thrown), described(thrown)


def ends(e: Any) -> None:
    key = executed()
    if key is None:
        return
    own = _executed[get_ident()]
    own.pop()
    if not own:
        del _executed[get_ident()]
    if key:
        thrown = e.exception
        result = _results.pop(key, None) or ((of_throwable(thrown), described(thrown)) if thrown else result_of(e.this))
        _simple.discard(key)
        runs.end(key, *result)


def executed() -> str | None:
    """The key of the node that this thread executes; empty: of one that is no test's; None: it executes none that has
    begun here."""
    own = _executed.get(get_ident())
    return own[-1] if own else None


def segments_of(descriptor: Any) -> list[tuple[str, str]]:
    """The segments of the unique id: types and values."""
    return [(text(one, "type"), text(one, "value")) for one in items(at(descriptor, "uniqueId", "segments"))]


def key_of(segments: list[tuple[str, str]]) -> str:
    return "/".join([f"{kind}:{value}" for kind, value in segments])


def run_of(descriptor: Any, segments: list[tuple[str, str]]) -> runs.Run:
    source = at(descriptor, "source")
    class_name, method = text(source, "className"), text(source, "methodName")
    display = text(descriptor, "displayName")
    kind, _ = segments[-1]
    container = (
        kind in CONTAINERS
        or descriptor.cls.endswith(CONTAINER_CLASSES)
        or bool(at(descriptor, "children", "map", "size"))
    )
    return runs.Run(
        key=key_of(segments),
        name=name_of(segments, class_name, method, text(source, "methodParameterTypes"), display),
        source=f"{SOURCE}: {segments[0][1]}",
        kind=CONTAINER if container else TEST,
        class_name=class_name,
        method=method,
        display=display,
        parent=key_of(segments[:-1]),
    )


def name_of(segments: list[tuple[str, str]], class_name: str, method: str, parameters: str, display: str) -> str:
    """`com.acme.OrdersTest::places(int) [2]`: the class, the method, and numbers of invocations. Else what the
    framework shows, below what is around it. Spock's methods have the names of their features, in which it replaces
    parameters."""
    numbers = "".join(
        [f" [{value.lstrip('#')}]" for kind, value in segments if value.startswith("#") or kind == "iteration"]
    )
    around = runs.OPENED.get(key_of(segments[:-1]))
    if class_name and method:
        if segments[0][1] == SPOCK:
            plain = method.isidentifier() and not method.startswith("$spock")
            return f"{class_name}::{method if plain else display}{numbers}"
        simple = ", ".join([one.strip().rpartition(".")[2] for one in parameters.split(",")]) if parameters else ""
        return f"{class_name}::{method}{f'({simple})' if simple else ''}{numbers}"
    if class_name and (
        numbers or around is None or around.class_name != class_name
    ):  # a group of tests may have its class for a source
        return class_name + numbers
    own = display or segments[-1][1]
    return f"{around.context} > {own}" if around is not None else own


HOOKS = (
    Hook(f"{TASK}::execute", begins),
    Hook(f"{TASK}::reportCompletion", reports),
    Hook(f"{TASK}::execute", ends, exit=True),
)

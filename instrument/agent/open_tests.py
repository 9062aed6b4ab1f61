"""The tests that run in this JVM: each begins and ends once, on one thread, and is a context meanwhile.

A test that is run again gets a context of its own, whose name says so; it is told apart by `key`, which no two that run
at the same time share.
"""

from __future__ import annotations

import time
from _thread import allocate_lock

from classhook.agent.class_initialisation import so_far
from classhook.base.embedded import events as jvm
from classhook.base.test_words import CONTAINER, FAILED, FIELDS, OPEN, PASSED, SKIPPED, STATUSES, TEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

LONGEST = 500  # characters of a name


class Run:
    """A test that runs, or a container. `key`: what tells it from all others of this JVM at this time; `parent`: the
    key of its container."""

    __slots__ = (
        "attempt",
        "began",
        "children",
        "class_name",
        "context",
        "display",
        "entered",
        "initialised",
        "initialisers",
        "key",
        "kind",
        "method",
        "number",
        "open",
        "parent",
        "source",
        "started",
        "thread",
    )

    def __init__(
        self,
        key: str,
        name: str,
        source: str,
        kind: str = TEST,
        class_name: str = "",
        method: str = "",
        display: str = "",
        parent: str = "",
    ) -> None:
        self.key = key
        self.context = cut(name)
        self.source = source
        self.kind = kind
        self.class_name = cut(class_name)
        self.method = cut(method)
        self.display = cut(display)
        self.parent = parent
        self.children = 0  # that it had, and that are open
        self.open = 0
        self.entered = False
        self.attempt = 1
        self.thread = ""
        self.number = 0
        self.started = self.began = 0
        self.initialised = self.initialisers = 0  # static initialisers, until its begin, and within it

    def note(self, status: str, duration_ns: int, exception: str = "") -> None:
        """Writes the test's record into the data file. `exception`: why it failed."""
        values: dict[str, str | int] = {
            "context": self.context,
            "class_name": self.class_name,
            "method": self.method,
            "display": self.display,
            "kind": self.kind,
            "status": status,
            "started_unix_ns": self.started,
            "duration_ns": duration_ns,
            "parent": _around.get(self.parent, ""),
            "attempt": self.attempt,
            "thread": self.thread,
            "source": self.source,
            "exception": exception,
            "initialisers_ns": self.initialisers,
        }
        jvm.test(self.number, "\0".join([str(values[name]) for name in FIELDS]))


def cut(text: str) -> str:
    """Cuts a text to fit a record."""
    whole = text.replace("\0", "").encode("utf-8", "replace").decode()
    return whole if len(whole) <= LONGEST else f"{whole[: LONGEST // 2]}...{whole[-LONGEST // 2 :]}"


#: The tests that run, by key.
OPENED: Final[dict[str, Run]] = {}
#: The open ones that contain no other open one.
_innermost: dict[str, Run] = {}
#: By key, the context of each that has had others in it: of an asynchronous suite, some begin after its end.
_around: dict[str, str] = {}
_settling = allocate_lock()
#: The number of begins of each, by the name of its context.
_attempts: dict[str, int] = {}
_number = 0
#: Is told of each test and container before it begins.
before_begin: Callable[[Run], None] | None = None


def begin(run: Run, thread: str) -> None:
    """Begins the test on this thread."""
    if run.key in OPENED:  # its end was not told
        end(run.key, PASSED)
    if before_begin is not None:
        before_begin(run)
    run.thread = thread
    run.attempt = _attempts[run.context] = _attempts.get(run.context, 0) + 1
    if run.attempt > 1:
        run.context += f" (attempt {run.attempt})"
    OPENED[run.key] = run
    parent = OPENED.get(run.parent)
    numbered(run, parent)
    _innermost[run.key] = run
    if parent is not None:
        parent.children += 1
        parent.open += 1
        _innermost.pop(parent.key, None)
    run.started = time.time_ns()
    run.note(OPEN, 0)
    run.entered = jvm.context_begins(run.context)
    settle()
    run.initialised, run.began = so_far(), time.monotonic_ns()


def numbered(run: Run, parent: Run | None) -> None:
    """Gives a run, within `parent`, the number of its records."""
    global _number
    _number += 1
    run.number = _number
    if parent is not None:
        _around[parent.key] = parent.context


def has_begun(key: str) -> bool:
    """True if a container of this key is open, or has had a test in it."""
    return key in OPENED or key in _around


def are_in(context: str, *keys: str) -> None:
    """Makes this context the container of all tests that name one of these keys, unless one of that key began."""
    for key in keys:
        _around.setdefault(key, context)


def is_alone(run: Run) -> bool:
    """True if no test is open, nor a container but those around this one."""
    return not (_innermost.keys() - {run.parent})


def running_on(thread: str) -> Run | None:
    """The innermost test or container that began last on the thread of this name; if none did, the only one of all."""
    every = list(_innermost.values())
    own = [run for run in every if run.thread == thread]
    return own[-1] if own else every[0] if len(every) == 1 else None


def end(key: str, status: str, exception: str = "") -> None:
    """Ends the test, on the same thread, unless it has left that. Tests that were not begun do not end. `exception`:
    why it failed, as values.py describes one."""
    run = OPENED.get(key)
    if run is None:
        return
    took, run.initialisers = time.monotonic_ns() - run.began, so_far() - run.initialised
    if run.entered:
        jvm.context_ends(run.context)
    if run.children:
        run.kind = CONTAINER
    run.note(status, took, exception if status == FAILED else "")
    OPENED.pop(key, None)
    _innermost.pop(key, None)
    parent = OPENED.get(run.parent)
    if parent is not None:
        parent.open -= 1
        if not parent.open:
            _innermost[parent.key] = parent
    settle()


def enter(run: Run) -> None:
    """Continues the test, on this thread as well."""
    jvm.context_begins(run.context)


def leave(run: Run) -> None:
    """Continues the test, but no longer on this thread; any other may end it."""
    run.entered = False
    jvm.context_ends(run.context)


def settle() -> None:
    """While only one test runs, or what is around the next one, all threads belong to it that have no other. Calls of
    the JVM let other threads go on here: whoever is first says what there is then."""
    said = None
    while said != (name := innermost()) and _settling.acquire(False):
        try:
            jvm.context_ambient(name)
            said = name
        finally:
            _settling.release()


def innermost() -> str:
    """The context of the test that runs, if there is only one; else of the container."""
    every = list(_innermost.values())
    return every[0].context if len(every) == 1 else ""


def skipped(run: Run, thread: str) -> None:
    """Notes a test that does not run at all."""
    if run.key not in OPENED:
        begin(run, thread)
    end(run.key, SKIPPED)


class ScriptTest:
    """A test that a script begins and ends, in handlers or commands; both on the same thread."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.key = f"script/{name}"

    def begin(self) -> None:
        """Raises ValueError if one of this name runs."""
        if self.key in OPENED or not self.name:
            raise ValueError(f"a test named {self.name!r} has begun" if self.name else "a test needs a name")
        begin(Run(self.key, self.name, "script", display=self.name), "")

    def end(self, status: str = PASSED) -> None:
        """Raises ValueError for an unknown status."""
        if status not in STATUSES:
            raise ValueError(f"{status!r} is not a status; there are {', '.join(STATUSES)}")
        end(self.key, status)

    def __enter__(self) -> ScriptTest:
        self.begin()
        return self

    def __exit__(self, kind: type[BaseException] | None, *others: object) -> None:
        self.end(PASSED if kind is None else FAILED)

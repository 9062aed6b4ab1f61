"""Code of a test class that JUnit 4 calls before it runs any test: constructors of JUnit 3's tests, and methods that
return parameters. It is a container of its own, around the class and its tests.

No other threads belong to it but those that it starts. It does not begin while a test, a container or another discovery
is open: then the code may be theirs.
"""

from __future__ import annotations

import time
from _thread import get_ident

from classhook.agent import open_tests as runs
from classhook.agent.testing.values import described
from classhook.base.embedded import events as jvm
from classhook.base.test_words import CONTAINER, FAILED, OPEN, PASSED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

_known: Final[dict[str, runs.Run]] = {}  # by key: a class may be discovered more than once
_took: Final[dict[str, int]] = {}  # ns, by key
_open: Final[dict[int, list[runs.Run | None]]] = {}  # by thread, for each open call of the framework; None: none began


def key_of(class_name: str) -> str:
    return f"discovery/{class_name}"


def entered(e: Any) -> None:
    """Notes that the framework entered a method on this thread. A discovery may begin in it, and ends with it."""
    _open.setdefault(get_ident(), []).append(None)


def begin(class_name: str, class_key: str, source: str, thread: str) -> None:
    """Begins the discovery of a class on this thread. `class_name`: empty if the call discovers none; `class_key`: the
    key of the container that the class's tests name, even if there is none; `thread`: the thread's name."""
    own = _open.get(get_ident())
    if not class_name or not own or any(own) or runs.OPENED:
        return
    key = key_of(class_name)
    run = _known.get(key)
    if run is None:
        context = f"{class_name} (discovery)"
        run = runs.Run(key, context, source, CONTAINER, class_name, display="discovery")
        run.thread, run.started = thread, time.time_ns()
        runs.numbered(run, None)
        runs.are_in(run.context, key, class_key)
        run.note(OPEN, 0)
        _known[key] = run
    own[-1] = run
    run.began = time.monotonic_ns()
    run.entered = jvm.context_begins(run.context)


def ends(e: Any) -> None:
    """Ends the innermost call of this thread, and the discovery that began in it."""
    own = _open.get(get_ident(), [])
    run = own.pop() if own else None
    if not own:
        _open.pop(get_ident(), None)
    if run is not None:
        if run.entered:
            jvm.context_ends(run.context)
        took = _took[run.key] = _took.get(run.key, 0) + time.monotonic_ns() - run.began
        run.note(FAILED if e.exception else PASSED, took, described(e.exception))

"""What frameworks call of a test class before they run any test: constructors of tests, and methods that return the
parameters. It is a container of its own, around the class and its tests, since these see what was made there."""

from __future__ import annotations

from _thread import get_ident

from classhook.agent import open_tests as runs
from classhook.agent.testing.values import described
from classhook.base.test_words import CONTAINER, FAILED, PASSED, TEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

_open: Final[dict[int, list[str]]] = {}  # by thread, the keys of those that run there, the innermost last; empty: none


def key_of(class_name: str) -> str:
    return f"discovery/{class_name}"


def begin(class_name: str, source: str, thread: str) -> None:
    """Begins it on this thread. `class_name`: empty if there is nothing to find out; `thread`: its name."""
    key, around = key_of(class_name), runs.running_on(thread)
    own = _open.setdefault(get_ident(), [])
    if not class_name or key in runs.OPENED or (around is not None and around.kind == TEST):
        own.append("")
        return
    own.append(key)
    run = runs.Run(key, f"{class_name} (discovery)", source, CONTAINER, class_name=class_name, display="discovery")
    runs.begin(run, thread)


def ends(e: Any) -> None:
    """Ends the innermost one of this thread. `e`: the event that says so."""
    own = _open.get(get_ident())
    key = own.pop() if own else ""
    if own is not None and not own:
        del _open[get_ident()]
    if key:
        runs.end(key, FAILED if e.exception else PASSED, described(e.exception))

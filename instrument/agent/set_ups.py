"""Set-ups: objects such as a Spring context that several tests share, made while the first of them runs. A set-up is
noted as a run within that test, so reports can show its time separately. Its calls still count in the test, which needs
it."""

from __future__ import annotations

import time
from _thread import get_ident

from classhook.agent.class_initialisation import so_far
from classhook.agent.open_tests import Run, numbered, running_on
from classhook.base.test_words import OPEN, SET_UP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_open: Final[dict[int, list[Run]]] = {}  # by thread, the innermost last


def begin(name: str, source: str, thread: str) -> None:
    """Begins a set-up on this thread. `thread`: its name."""
    around = running_on(thread)
    run = Run(f"set-up/{name}", name, source, kind=SET_UP, parent=around.key if around is not None else "")
    run.thread, run.started, run.began = thread, time.time_ns(), time.monotonic_ns()
    numbered(run, around)
    run.initialised = so_far()
    _open.setdefault(get_ident(), []).append(run)
    run.note(OPEN, 0)


def end(status: str, exception: str = "") -> None:
    """Ends the innermost one of this thread, if there is one."""
    own = _open.get(get_ident())
    if not own:
        return
    run = own.pop()
    if not own:
        del _open[get_ident()]
    run.initialisers = so_far() - run.initialised
    run.note(status, time.monotonic_ns() - run.began, exception)

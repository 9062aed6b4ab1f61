"""Queued events: none is lost, however slow the handler, unless the script prefers that; stacks that come with them."""

from __future__ import annotations

import pytest

from tests.conftest import EACH
from tests.events.conftest import Scripted, notes, said

pytestmark = pytest.mark.any_jvm  # what C and Python do with it is the same on each; a test shows that

#: The queues' room, in MB: 16 thousand events. Four times as many are kept before any is lost.
SMALL = {"CLASSHOOK_EVENTS_MB": "1"}


@pytest.fixture(scope="session")
def classes(compiled: object) -> object:
    """The compiled programs of tests/jvm/java/jvmpi."""
    return compiled("jvmpi")  # type: ignore[operator]


@EACH
def test_more_events_than_there_is_room_for(scripted: Scripted) -> None:
    result = scripted(
        """
n = missed = 0
stacks = set()
@agent.on.method_entry("Flood::call(..)", stack=1)
def called(e):
    global n, missed
    n += 1
    missed += e.missed
    if n % 1000 == 0: stacks.add(tuple(e.stack()))
@agent.on.end
def end(e): print("told", n, missed, called.lost, stacks)
""",
        "Flood",
        "call",
        "300000",
        env=SMALL,
    )
    assert said(result, "told") == ["300000 0 0 {('Flood.call(Flood.java:21)',)}"]
    assert notes(result) == []


def test_a_handler_that_wants_the_lock_of_a_thread_that_waits_for_it(scripted: Scripted) -> None:
    """The thread goes on, and the queue grows."""
    result = scripted(
        """
kept, n, texts = [], 0, set()
@agent.on.method_entry("Flood::touch(..)", args=True, sync=True)
def touched(e): kept.append(e.args[0].keep())
@agent.on.method_entry("Flood::call(..)")
def called(e):
    global n
    n += 1
    if n % 1000 == 1: texts.add(str(kept[0]))
@agent.on.end
def end(e): print("told", n, called.lost, texts)
""",
        "Flood",
        "locked",
        "40000",
        env=SMALL,
    )
    assert said(result, "told") == ["40000 0 {'flood'}"]


@pytest.mark.parametrize("wish", ["lossy=True", "timeout=100"])
def test_a_handler_that_is_stuck(scripted: Scripted, wish: str) -> None:
    """Who prefers loss loses at once, others when four times the room is taken: the memory has a bound. Both are
    told."""
    result = scripted(
        f"""
import time
n, missed = 0, []
@agent.on.method_entry("Flood::call(..)", {wish})
def called(e):
    global n
    n += 1
    missed.append(e.missed)
    if n == 1 and "lossy" in {wish!r}: time.sleep(0.5)
    if n == 1 and "timeout" in {wish!r}: str(kept[0])
kept = []
@agent.on.method_entry("Flood::touch(..)", args=True, sync=True)
def touched(e): kept.append(e.args[0].keep())
@agent.on.end
def end(e): print("told", n, sum(missed), called.lost)
""",
        "Flood",
        "locked",
        "200000",
        env=SMALL,
    )
    n, missed, lost = map(int, said(result, "told")[0].split())
    assert n + lost == 200000
    assert n >= 1024 if "lossy" in wish else 4 * 16384 <= n <= 5 * 16384, n
    assert 0 <= missed <= lost
    assert lost > 10000
    assert [f"`called` (handlers.py:6) missed {lost:,} events" in note for note in notes(result)] == [True], notes(
        result
    )


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ('method_entry("Flood::call(..)", sync=True, lossy=True)', "method_entry: lossy=True needs sync=False"),
        ("data_dump(lossy=True)", "data_dump: lossy=True needs sync=False"),
        ("gc_start(stack=3)", "gc_start has no `stack`: it belongs to no call of the program"),
        ("object_alloc(stack=1025)", "object_alloc: stack=1025 is not a number of frames from 1 to 1024"),
    ],
)
def test_options_that_an_event_does_not_have(scripted: Scripted, words: str, why: str) -> None:
    result = scripted(f"agent.on.{words}(print)\n", "Flood", "call", "100")
    assert why in result.stderr
    assert "java done" in result.stdout


def test_a_queued_stack_is_asked_for(scripted: Scripted) -> None:
    result = scripted(
        """
@agent.on.method_entry("Flood::call(..)")
def called(e):
    try: e.stack()
    except RuntimeError as error: print("said", error)
""",
        "Flood",
        "call",
        "100",
    )
    assert said(result, "said")[:1] == ["e.stack() was not taken: a queued handler asks for it, as in stack=16"]

"""Sessions that begin and end, and JVMs that end, while there is a safepoint at any moment: nothing hangs
(java/live/Dumped.java).

Each has a short form, and a long one of some minutes, which is `slow`.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

import pytest

from classhook import attach
from tests.conftest import ENVIRONMENT, IN_TWO_FORMS, OLDEST_AND_NEWEST, PATIENCE, Jvm, classhook_command
from tests.live.conftest import Serve, classhook
from tests.live.test_long import STEADY_HEAP, memory_kb
from tests.pressure.conftest import leave_nothing

LIVE = "alloc * in Dumped live every 1KB"
#: Rules of every kind, to go with LIVE, which hung HotSpot when JVMTI's ObjectFree told the agent of freed objects.
RULES = (
    "time Dumped::*",
    "count Dumped::*",
    "profile Dumped::*",
    "alloc * in Dumped",
    "alloc * in Dumped live stack 4 every 0",
    "cover Dumped",
    "cpu every 10ms",
    "locks over 1us stack 4",
    "watch Dumped::made when arg0 == 499 show args, result",
    "time Dumped::* sample 1/10",
)
WARM = 3 * len(RULES)
LIMIT = 100  # seconds for what takes one or two
MORE_KB = 12 << 10  # of resident memory, beside what comes and goes with the program's garbage

HANDLERS = """
from classhook.agent import Agent
agent = Agent()
freed = unloaded = 0
@agent.on.object_alloc("byte[]", every="1k", sync=True)
def allocated(e): e.this.tag("x")
@agent.on.object_free
def free(e):
    global freed
    freed += 1
@agent.on.class_unload
def unload(e):
    global unloaded
    unloaded += 1
@agent.on.method_entry("Dumped::dump")
def dumping(e): pass
"""
JVMPI = """
from classhook import jvmpi as p
freed = 0
def notify(event):
    global freed
    freed += event.event_type == p.EVENT_OBJECT_FREE
p.NotifyEvent = notify
for event, argument in ((p.EVENT_OBJECT_ALLOC, 1024), (p.EVENT_OBJECT_FREE, None), (p.EVENT_CLASS_LOAD, None), (p.EVENT_CLASS_UNLOAD, None)):
    p.EnableEvent(event, argument)
"""


@contextmanager
def in_time(process: subprocess.Popen[str]) -> Iterator[None]:
    """Kills the JVM if this takes too long: it hangs, and whatever waits for its answer goes on."""
    timer = Timer(LIMIT, process.kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@IN_TWO_FORMS
@OLDEST_AND_NEWEST
def test_attached_and_left_while_stacks_are_dumped(jvm: Jvm, serve: Serve, tmp_path: Path, long: bool) -> None:
    cycles = 200 if long else 5
    running = serve(jvm, *STEADY_HEAP, main="Dumped")
    (tmp_path / "handlers.py").write_text(HANDLERS)
    before = 0
    with in_time(running.process):
        assert (
            classhook("attach", running.pid, "--agent", tmp_path / "handlers.py", "-e", LIVE, "-o", running.data).status
            == 0
        )
        assert running.detach().status == 0
    for i in range(cycles):
        with (
            in_time(running.process),
            attach(running.process.pid, [LIVE, RULES[i % len(RULES)]], data=running.data, cache=False),
        ):
            pass
        if long and i == WARM:
            before = memory_kb(running)[0]
    end = time.monotonic() + PATIENCE
    while "classhook freed" in running.agents_threads():  # it has done its work, and ends
        assert time.monotonic() < end
        time.sleep(0.05)
    if long:
        more = memory_kb(running)[0] - before
        print(f"{cycles - WARM} cycles: {more} KB")
        assert more < MORE_KB


@pytest.mark.parametrize("script", [HANDLERS, JVMPI], ids=["handlers", "jvmpi"])
@IN_TWO_FORMS
@OLDEST_AND_NEWEST
def test_jvms_end_while_objects_are_freed(jvm: Jvm, classes: Path, tmp_path: Path, script: str, long: bool) -> None:
    (tmp_path / "agent.py").write_text(script)
    own = ["--quiet", "--no-cache", "--agent", tmp_path / "agent.py", "-e", LIVE, "-o", tmp_path / "data"]
    for i in range(60 if long else 1):
        line = [
            *classhook_command(),
            "run",
            *own,
            "--",
            jvm.java,
            "-Xmx64m",
            "-cp",
            classes,
            "Dumped",
            str(200 + 37 * i % 200),
        ]
        done = subprocess.run(
            line, capture_output=True, text=True, env=ENVIRONMENT, timeout=LIMIT
        )  # kills `run`, not a JVM that hangs
        assert (done.returncode, done.stdout) == (0, "ready\nstill working\n"), done.stderr
    leave_nothing(tmp_path / "data")

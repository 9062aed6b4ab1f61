"""All events at once on a real program, while threads are suspended, monitors dumped and the heap collected again and again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.events.conftest import said
from tests.jvmpi.conftest import Profiled

SCRIPT = """
import time
import classhook_jvmpi as native
from instrument import jvmpi as p
from instrument.jvmpi.events import EVENTS
seen, running = set(), True
def collect():
    while running:
        p.RunGC()
        time.sleep(0.1)
def profile():
    while running:
        for env in native.threads():
            if p.SuspendThread(env) == p.SUCCESS:
                p.GetCallTrace(p.CallTrace(env), 20)
                p.ResumeThread(env)
        p.RequestEvent(p.EVENT_MONITOR_DUMP)
        time.sleep(0.005)
def notify(event):
    global running
    seen.add(event.name)
    if event.name == "CLASS_LOAD": len(event.u.class_load.methods)
    if event.name == "JVM_INIT_DONE": print("threads", p.CreateSystemThread("a", 5, profile), p.CreateSystemThread("b", 5, collect))
    if event.name == "JVM_SHUT_DOWN":
        running = False
        print("seen", len(seen))
p.NotifyEvent = notify
for kind in EVENTS: p.EnableEvent(kind.number, "org.h2.mvstore.*::get*(..)" if kind.name.startswith("METHOD") else None)
"""


@pytest.mark.parametrize("collector", ["G1", "Serial", "Parallel", "Z", "Shenandoah"])
def test_the_program_does_what_it_did(profiled: Profiled, h2: Path, collector: str) -> None:
    sql = "create table t(n int primary key); insert into t select x from system_range(1, 1000); select sum(n) as answer from t"
    words = ("-cp", h2, "org.h2.tools.Shell", "-url", "jdbc:h2:mem:x", "-sql", sql)
    result = profiled(SCRIPT, *words, options=(f"-XX:+Use{collector}GC", "-Xmx300m"), head="")
    assert "\n500500\n" in result.stdout
    assert said(result, "threads") == ["0 0"]
    assert int(said(result, "seen")[0]) >= 14

"""All events at once on a real program, while threads are suspended, monitors dumped and the heap collected again and
again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Jvm, classhook_command, execute
from tests.events.conftest import said
from tests.extensions.jvmpi.conftest import Profiled

SCRIPT = """
import time
import classhook_jvmpi as native
from classhook import jvmpi as p
from classhook.extensions.jvmpi.events import EVENTS
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
for kind in EVENTS:
    if kind.name == "INSTRUCTION_START": continue  # each instruction: minutes
    p.EnableEvent(kind.number, "org.h2.mvstore.*::get*(..)" if kind.name.startswith("METHOD") else None)
"""


COLLECTORS = {17: ("Serial", "Z"), 25: ("G1", "Parallel", "Shenandoah")}


@pytest.mark.parametrize(
    ("jvm", "collector"), [(jvm, one) for jvm, every in COLLECTORS.items() for one in every], indirect=["jvm"]
)
def test_the_program_does_what_it_did(profiled: Profiled, h2: Path, collector: str) -> None:
    sql = (
        "create table t(n int primary key); insert into t select x from system_range(1, 1000); select sum(n) as answer"
        " from t"
    )
    words = ("-cp", h2, "org.h2.tools.Shell", "-url", "jdbc:h2:mem:x", "-sql", sql)
    result = profiled(SCRIPT, *words, options=(f"-XX:+Use{collector}GC", "-Xmx300m"), head="")
    assert "\n500500\n" in result.stdout
    assert said(result, "threads") == ["0 0"]
    assert int(said(result, "seen")[0]) >= 14


FOREIGN = """
import threading
import classhook_jvmpi as native
from classhook import jvmpi as p
from classhook.extensions.jvmpi.events import EVENTS
from classhook.extensions.jvmpi.functions import FUNCTIONS
results, ids, monitors = {}, [], []
def each():
    trace = p.CallTrace(ids[0])
    arguments = {
        "EnableEvent": [(kind.number, None) for kind in EVENTS], "DisableEvent": [(kind.number, None) for kind in EVENTS],
        "RequestEvent": [(kind.number, ids[0]) for kind in EVENTS], "GetCallTrace": [(trace, 9)], "ProfilerExit": [(3,)],
        "RawMonitorCreate": [("new",)], "RawMonitorWait": [(monitors[0], 9)],
        "CreateSystemThread": [("new", 5, print)], "SetThreadLocalStorage": [(ids[0], 1)],
    }
    given = {"RawMonitorEnter": monitors, "RawMonitorExit": monitors, "RawMonitorNotifyAll": monitors, "RawMonitorDestroy": monitors}
    for function in FUNCTIONS:
        if function.name == "NotifyEvent": continue
        f = getattr(p, function.name)
        for words in arguments.get(function.name, [tuple(given.get(function.name, ids))[: f.__code__.co_argcount]]):
            results[function.name] = f(*words)
    for name in ("threads", "own_thread", "monitor_dump", "count_objects", "classes", "drop_known", "collect"): getattr(native, name)()
def notify(event):
    if event.name == "JVM_INIT_DONE":
        ids.append(event.env_id)
        monitors.append(p.RawMonitorCreate("m"))
        thread = threading.Thread(target=each)
        thread.start()
        thread.join()
    elif event.name == "JVM_SHUT_DOWN":
        monitors_did = {results["RawMonitor" + name] for name in ("Enter", "Exit", "Wait", "NotifyAll", "Destroy")}
        others_did = {results[name] for name in ("EnableEvent", "DisableEvent", "RequestEvent", "ProfilerExit", "CreateSystemThread", "GetCallTrace")}
        print("results", len(results), monitors_did, results["RawMonitorCreate"], others_did)
        print("still", p.RawMonitorEnter(monitors[0]), p.RawMonitorExit(monitors[0]))
p.NotifyEvent = notify
p.EnableEvent(p.EVENT_JVM_INIT_DONE, None)
p.EnableEvent(p.EVENT_JVM_SHUT_DOWN, None)
"""


def test_functions_on_a_thread_of_pythons(profiled: Profiled) -> None:
    """They fail, and the JVM does not."""
    result = profiled(FOREIGN, "Work", head="")
    assert said(result, "results") == ["24 {-1} None {-1}"]
    assert said(result, "still") == ["0 0"]


def test_one_script_of_a_jvm_has_jvmpi(jvm: Jvm, classes: Path, tmp_path: Path) -> None:
    """Also if both are there from the start: the second one is refused, and does not take the place of the first
    without a word."""
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_text("from classhook import jvmpi\njvmpi.NotifyEvent = print\n")
    own = ["--quiet", "--agent", tmp_path / "one.py", "--agent", tmp_path / "two.py", "-o", tmp_path / "data"]
    result = execute([*classhook_command(), "run", *own, "--", jvm.java, "-cp", classes, "Members"])
    assert f"two.py:1: RuntimeError: {tmp_path}/one.py uses JVMPI already" in result.stderr

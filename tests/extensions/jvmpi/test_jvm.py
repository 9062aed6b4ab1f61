"""Events of the JVM as a whole: its ends, collections, references of JNI code, requests of users."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ENVIRONMENT, PATIENCE, Jvm, classhook_command
from tests.events.conftest import notes, said
from tests.extensions.jvmpi.conftest import HEAD, Library, Profiled
from tests.live.conftest import classhook


def test_the_ends(profiled: Profiled) -> None:
    result = profiled(
        """
print("early", p.RunGC(), p.RequestEvent(p.EVENT_MONITOR_DUMP), p.ProfilerExit(0))
@on("JVM_INIT_DONE", "JVM_SHUT_DOWN")
def both(event): print("told", event.name, event.env_id > 0)
""",
        "Members",
    )
    assert said(result, "told") == ["JVM_INIT_DONE True", "JVM_SHUT_DOWN True"]
    assert said(result, "early") == ["-1 -1 -1"]


def test_the_profiler_ends_the_jvm(profiled: Profiled) -> None:
    result = profiled(
        """
@on("METHOD_ENTRY", arg="Work::mark(..)")
def marked(event): print("exit", p.ProfilerExit(7))
@on("JVM_SHUT_DOWN")
def end(event): print("end")
""",
        "Work",
        "mark",
        "sleep",
        status=7,
    )
    # in either order: the thread that ends the JVM may be the faster one
    assert said(result, "exit") == ["0"]
    assert "end" in result.stdout.splitlines()


def test_collections(profiled: Profiled, tmp_path: Path) -> None:
    """The collections told are those that the MXBeans count, and that of RunGC; the heap's numbers are those of the
    JVM's log, although they are read later."""
    log = tmp_path / "gc.log"
    result = profiled(
        """
n, infos = {"GC_START": 0, "GC_FINISH": 0}, []
@on("GC_START", "GC_FINISH")
def collected(event):
    n[event.name] += 1
    if event.name == "GC_FINISH": infos.append(event.u.gc_info)
    if event.name == "GC_FINISH": print("info", 1000 < infos[-1].used_objects < infos[-1].used_object_space / 8)
@on("METHOD_ENTRY", arg="Work::mark(..)")
def marked(event): print("run", p.RunGC())
@on("JVM_SHUT_DOWN")
def end(event):
    print("told", n["GC_START"], n["GC_FINISH"])
    for g in infos: print("heap", g.used_object_space >> 20, g.used_object_space < g.total_object_space <= 1 << 30)
""",
        "Work",
        "gc",
        "mark",
        options=("-XX:+UseSerialGC", "-Xmx1g", "-Xmn512m", f"-Xlog:gc:file={log}"),
    )
    (counted,) = said(result, "java")
    assert counted == "3"
    assert said(result, "run") == ["0"]
    assert said(result, "told") == ["4 4"]
    assert set(said(result, "info")) == {"True"}
    logged = re.findall(r"Pause .*->(\d+)M\(", log.read_text())
    assert said(result, "heap") == [f"{used} True" for used in logged[-4:]]


COLLECTED = """
import time
seen = []
@on("GC_START", "GC_FINISH", "OBJECT_FREE")
def collected(event): seen.append(event.name)
def run():
    seen.clear()
    code = p.RunGC()
    return code, seen.count("GC_START") > 0, seen.count("GC_START") == seen.count("GC_FINISH")
"""


@pytest.mark.parametrize("collector", ["Serial", "G1", "Z"])
def test_what_a_collection_queues_is_told_before_it_returns(profiled: Profiled, collector: str) -> None:
    """In NotifyEvent and on a thread of the agent: the collection, and the objects that it freed."""
    result = profiled(
        COLLECTED
        + """
def work():
    print("system", *run())
    done.append(1)
done, objects = [], 0
@on("OBJECT_ALLOC", arg=4096)
def allocated(event): pass
@on("METHOD_ENTRY", arg="Work::mark(..)")
def marked(event):
    p.CreateSystemThread("collects", p.NORMAL_PRIORITY, work)
    while not done: time.sleep(0.001)
    for i in range(20): print("run", *run())
    p.DisableEvent(p.EVENT_OBJECT_ALLOC)
    p.RunGC()
    before = len(seen)
    time.sleep(0.1)
    print("later", seen[before:].count("OBJECT_FREE"))
""",
        "Work",
        "mark",
        options=(f"-XX:+Use{collector}GC", "-Xmx200m"),
    )
    assert said(result, "system") == ["0 True True"]
    assert said(result, "run") == ["0 True True"] * 20
    assert said(result, "later") == ["0"]


def test_objects_that_a_collection_frees_are_told_before_it_returns(profiled: Profiled) -> None:
    """In NotifyEvent, whose own thread finds them: 90 of 100."""
    result = profiled(
        """
things, thing, marks = set(), {}, []
@on("OBJECT_ALLOC")
def alloc(event):
    if event.u.obj_alloc.class_id == thing.get("id"): things.add(event.u.obj_alloc.obj_id)
@on("OBJECT_FREE")
def free(event): things.discard(event.u.obj_free.obj_id)
@on("CLASS_LOAD")
def loaded(event):
    if event.u.class_load.class_name == "Work$Thing": thing["id"] = event.u.class_load.class_id
@on("METHOD_ENTRY", arg="Work::mark(..)")
def marked(event):
    marks.append(p.RunGC())
    print("things", len(things))
""",
        "Work",
        "alloc",
        options=("-XX:+UseSerialGC",),
    )
    assert said(result, "things") == ["0", "10"]


def test_collections_while_the_events_are_held_up(profiled: Profiled) -> None:
    """A raw monitor that the thread has, a lock of Python's, an event that is told on the thread of the queued ones:
    they are told afterwards."""
    result = profiled(
        COLLECTED
        + """
import threading
lock, monitor = threading.Lock(), p.RawMonitorCreate("held")
def entered(event):
    p.RawMonitorEnter(monitor)
    with lock: collected(event)
    p.RawMonitorExit(monitor)
told["GC_START"] = told["GC_FINISH"] = entered
def timed(what):
    began = time.monotonic()
    print(what, *run(), time.monotonic() - began < 60)
@on("OBJECT_ALLOC")
def allocated(event):
    p.DisableEvent(p.EVENT_OBJECT_ALLOC)
    timed("queued")
@on("METHOD_ENTRY", arg="Work::mark(..)")
def marked(event):
    timed("before")
    p.RawMonitorEnter(monitor)
    for i in range(5): timed("monitor")
    p.RawMonitorExit(monitor)
    timed("after")
    with lock: timed("lock")
    timed("after")
""",
        "Work",
        "mark",
    )
    held = {what: said(result, what) for what in ("before", "monitor", "lock", "queued", "after")}
    assert held["before"] == ["0 True True True"]
    assert held["monitor"] == ["0 False True True"] * 5
    assert held["lock"] == held["queued"] == ["0 False True True"]
    assert held["after"] == ["0 True True True"] * 2


def test_collections_without_the_jvms_counters(profiled: Profiled) -> None:
    result = profiled(
        """
@on("GC_FINISH")
def collected(event): print("info", 0 < event.u.gc_info.used_object_space <= event.u.gc_info.total_object_space)
@on("METHOD_ENTRY", arg="Work::mark(..)")
def marked(event): p.RunGC()
""",
        "Work",
        "mark",
        options=("-XX:+UseSerialGC", "-XX:-UsePerfData"),
    )
    assert set(said(result, "info")) == {"True"}


def test_references_of_jni_code(jvm: Jvm, profiled: Profiled, library: Library) -> None:
    """Fifty of each kind, all to one object; one of each kind stays. The JDK's own native code makes some more."""
    result = profiled(
        """
made, freed = {"JNI_GLOBALREF_ALLOC": {}, "JNI_WEAK_GLOBALREF_ALLOC": {}}, {"JNI_GLOBALREF_FREE": [], "JNI_WEAK_GLOBALREF_FREE": []}
@on("JNI_GLOBALREF_ALLOC", "JNI_WEAK_GLOBALREF_ALLOC")
def alloc(event):
    a = event.u.jni_globalref_alloc
    made[event.name].setdefault(a.obj_id, []).append(a.ref_id)
@on("JNI_GLOBALREF_FREE", "JNI_WEAK_GLOBALREF_FREE")
def free(event): freed[event.name].append(event.u.jni_globalref_free.ref_id)
@on("JVM_SHUT_DOWN")
def end(event):
    for (name, by_object), gone in zip(made.items(), freed.values()):
        object_id, most = max(by_object.items(), key=lambda item: len(item[1]))
        print("told", name, object_id > 0, len(most), len([ref for ref in gone if ref in most]))
""",
        "References",
        library("references"),
        "20000",
        options=("--enable-native-access=ALL-UNNAMED",) if jvm.version > 17 else (),
    )
    assert said(result, "told") == ["JNI_GLOBALREF_ALLOC True 20000 19999", "JNI_WEAK_GLOBALREF_ALLOC True 20000 19999"]


def test_requests_of_users(jvm: Jvm, classes: Path, tmp_path: Path) -> None:
    """SIGQUIT, and `classhook ctl`."""
    script = """
@on("DATA_DUMP_REQUEST", "DATA_RESET_REQUEST")
def asked(event): print("asked", event.name, event.env_id > 0, flush=True)
"""
    (tmp_path / "agent.py").write_text(HEAD + script)
    own = ["--quiet", "--agent", tmp_path / "agent.py", "-o", tmp_path / "data"]
    line = [*classhook_command(), "run", *own, "--", jvm.java, "-cp", classes, "Work", "forever"]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        (file,) = (tmp_path / "data").glob("*.ctl")
        pid = file.stem.partition("-")[0]
        os.kill(int(pid), signal.SIGQUIT)
        assert any(said == "asked DATA_DUMP_REQUEST True\n" for said in iter(process.stdout.readline, ""))
        for what in ("dump", "reset"):
            assert classhook("ctl", pid, "jvmpi", what).status == 0
            assert process.stdout.readline() == f"asked DATA_{what.upper()}_REQUEST True\n"
        wrong = classhook("ctl", pid, "jvmpi", "all")
        assert (wrong.status, "`jvmpi dump` and `jvmpi reset`" in wrong.stderr) == (1, True)
        process.communicate("\n", timeout=PATIENCE)


def test_attached(jvm: Jvm, classes: Path, tmp_path: Path) -> None:
    """JVM_INIT_DONE is sent at once; methods are told of; a dump of monitors needs to have been there from the
    start."""
    script = """
@on("JVM_INIT_DONE", "JVM_SHUT_DOWN", "DATA_DUMP_REQUEST")
def both(event): print("told", event.name, p.RequestEvent(p.EVENT_MONITOR_DUMP) if event.name[0] == "D" else "", flush=True)
@on("THREAD_END")
def end(event): pass
@on("CLASS_LOAD")
def loaded(event): pass
"""
    (tmp_path / "agent.py").write_text(HEAD + script)
    line = [jvm.java, "-cp", classes, "Work", "forever", "calls"]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        done = classhook(
            "attach", str(process.pid), "--agent", str(tmp_path / "agent.py"), "-o", str(tmp_path / "data")
        )
        assert done.status == 0, done.stderr
        assert process.stdout.readline() == "told JVM_INIT_DONE \n"
        os.kill(process.pid, signal.SIGQUIT)
        assert any(said == "told DATA_DUMP_REQUEST 1\n" for said in iter(process.stdout.readline, ""))
        rest, _ = process.communicate("\n", timeout=PATIENCE)
        assert rest.splitlines() == ["java caught", "told JVM_SHUT_DOWN "]


def test_a_function_that_raises_is_named(jvm: Jvm, profiled: Profiled, tmp_path: Path) -> None:
    script = """
from classhook import jvmpi
def mine(event): raise ValueError(event.name)
jvmpi.NotifyEvent = mine
jvmpi.EnableEvent(jvmpi.EVENT_THREAD_START)
"""
    (tmp_path / "agent.py").write_text(script)
    from tests.conftest import execute
    from tests.events.conftest import report

    command = [
        *classhook_command(),
        "run",
        "--quiet",
        "--agent",
        tmp_path / "agent.py",
        "-o",
        tmp_path / "data",
        "--",
        jvm.java,
        "-version",
    ]
    result = execute(command)
    assert result.status == 0
    assert "the handler `mine` (agent.py:3) raised ValueError: THREAD_START" in result.stderr
    result.report = report(tmp_path / "data")
    assert any("agent.py:3 in mine" in note for note in notes(result))


def test_the_exit_status_at_the_end(profiled: Profiled) -> None:
    result = profiled(
        """
@on("JVM_SHUT_DOWN")
def end(event): print("exit", p.ProfilerExit(7))
""",
        "Work",
        "calls",
        status=7,
    )
    assert said(result, "exit") == ["0"]
    assert result.report["processes"][0]["end"] == "exit"

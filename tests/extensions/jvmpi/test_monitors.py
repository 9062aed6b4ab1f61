"""Monitors: Java's, contended and waited for, raw ones, and their dump, against what the program does."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.conftest import ENVIRONMENT, PATIENCE, Jvm
from tests.events.conftest import said
from tests.extensions.jvmpi.conftest import HEAD, Profiled
from tests.live.conftest import classhook

NAMES = """
names, of_lock = {}, {}
@on("THREAD_START")
def start(event): names[event.env_id] = event.u.thread_start.thread_name
"""


def test_contended_monitors(profiled: Profiled) -> None:
    """The exit is the owner's, and told before the other one has entered. The owner of a thread's own monitor, for
    which that thread and `main` contend at its end, may be unknown (0)."""
    result = profiled(
        NAMES
        + """
@on("MONITOR_CONTENDED_ENTER", "MONITOR_CONTENDED_ENTERED", "MONITOR_CONTENDED_EXIT")
def contended(event):
    object_id = event.u.monitor.object
    if object_id not in of_lock: p.RequestEvent(p.EVENT_OBJECT_ALLOC, object_id)
    print("told", event.name, names.get(event.env_id), of_lock[object_id])
def alloc(event): of_lock[event.u.obj_alloc.obj_id] = classes.get(event.u.obj_alloc.class_id)
told["OBJECT_ALLOC"] = alloc
classes = {}
@on("CLASS_LOAD")
def loaded(event): classes[event.u.class_load.class_id] = event.u.class_load.class_name
""",
        "Work",
        "contend",
    )
    lines = [line for line in said(result, "told") if line.endswith("Work$Thing")]
    assert lines == [
        "MONITOR_CONTENDED_ENTER contending Work$Thing",
        "MONITOR_CONTENDED_EXIT main Work$Thing",
        "MONITOR_CONTENDED_ENTERED contending Work$Thing",
    ]
    assert said(result, "java") == ["blocked main"]


def test_waits(profiled: Profiled) -> None:
    result = profiled(
        NAMES
        + """
objects = set()
@on("MONITOR_WAIT", "MONITOR_WAITED")
def waits(event):
    w = event.u.monitor_wait
    if names[event.env_id] != "main": return
    if event.name == "MONITOR_WAITED" and first[0]:
        print("first", w.timeout >= 19)
        first[0] = False
    objects.add(w.object)
    print("told", event.name, *([w.timeout] if event.name == "MONITOR_WAIT" else []))
first = [True]
@on("JVM_SHUT_DOWN")
def end(event): print("objects", len(objects))
""",
        "Work",
        "wait",
    )
    # the third one is Thread.join
    assert said(result, "told")[:4] == ["MONITOR_WAIT 20", "MONITOR_WAITED", "MONITOR_WAIT 0", "MONITOR_WAITED"]
    assert said(result, "first") == ["True"]
    assert said(result, "objects")[0] in ("1", "2")


def test_sleeps(profiled: Profiled) -> None:
    """A wait without an object, which may be interrupted."""
    result = profiled(
        NAMES
        + """
@on("MONITOR_WAIT", "MONITOR_WAITED")
def waits(event):
    w = event.u.monitor_wait
    if names[event.env_id] == "main" and not w.object: print("told", event.name, w.timeout >= 30 if event.name == "MONITOR_WAITED" else w.timeout)
""",
        "Work",
        "nap",
    )
    assert said(result, "java") == ["interrupted false"]
    assert said(result, "told") == [
        "MONITOR_WAIT 30",
        "MONITOR_WAITED True",
        "MONITOR_WAIT 1000",
        "MONITOR_WAITED False",
    ]


def test_sleeps_of_a_program_that_runs(jvm: Jvm, classes: Path, tmp_path: Path) -> None:
    """After attaching, and after attaching again. The JVM says nothing of it."""
    script = """
told_ = {}
@on("MONITOR_WAIT", "MONITOR_WAITED")
def waits(event):
    w = event.u.monitor_wait
    if not w.object and names.get(event.env_id) == "napping":
        told_[event.name] = told_.get(event.name, 0) + 1
        if event.name == "MONITOR_WAIT": assert w.timeout == 3
        if told_[event.name] == 50: print("told", event.name, flush=True)
"""
    (tmp_path / "agent.py").write_text(HEAD + NAMES + script)
    line = [jvm.java, "-Xcheck:jni", "-XX:+EnableDynamicAgentLoading", "-cp", classes, "Work", "naps"]
    with subprocess.Popen(
        line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        for i in range(2):
            done = classhook(
                "attach", str(process.pid), "--agent", str(tmp_path / "agent.py"), "-o", str(tmp_path / f"data{i}")
            )
            assert done.status == 0, done.stderr
            assert sorted(process.stdout.readline() for _ in range(2)) == [
                "told MONITOR_WAIT\n",
                "told MONITOR_WAITED\n",
            ]
            assert classhook("detach", str(process.pid)).status == 0
        rest, errors = process.communicate("\n", timeout=PATIENCE)
        assert (rest, errors) == ("java interrupted\n", "")


def test_raw_monitors(profiled: Profiled) -> None:
    """Two threads; one has the monitor until the other one is seen to wait for it, then waits until it is notified."""
    result = profiled(
        """
import time
def status(*codes): print("codes", *codes)
@on("RAW_MONITOR_CONTENDED_ENTER", "RAW_MONITOR_CONTENDED_ENTERED", "RAW_MONITOR_CONTENDED_EXIT")
def contended(event):
    print("told", event.name, event.u.raw_monitor.name, event.u.raw_monitor.id is monitor, "first" if event.env_id == main[0] else "second")
monitor = p.RawMonitorCreate("a lock")
main = []
ended = []
def second():
    print("entered", p.RawMonitorEnter(monitor), monitor.count)
    print("notified", p.RawMonitorNotifyAll(monitor), p.RawMonitorExit(monitor))
    ended.append(1)
@on("METHOD_ENTRY", arg="Work::mark(..)")
def marked(event):
    main.append(event.env_id)
    print("strange", p.RawMonitorExit(monitor), p.RawMonitorWait(monitor, 1), p.RawMonitorNotifyAll(monitor))
    status(p.RawMonitorEnter(monitor), p.RawMonitorEnter(monitor), monitor.count, p.RawMonitorExit(monitor))
    print("timeout", p.RawMonitorWait(monitor, 20))
    p.CreateSystemThread("second", p.NORMAL_PRIORITY, second)
    while not monitor.entering: time.sleep(0.001)
    p.RequestEvent(p.EVENT_MONITOR_DUMP)
    print("waited", p.RawMonitorWait(monitor, 0), monitor.owner == event.env_id)
    status(p.RawMonitorExit(monitor))
    while not ended: time.sleep(0.001)
    print("destroyed", p.RawMonitorDestroy(monitor), p.RawMonitorEnter(monitor))
def dump(event):
    raw = [r for r in event.u.monitor_dump.records if r.record_type == p.MONITOR_RAW]
    print("raw", [(r.name, r.owner == main[0], r.entry_count, len(r.waiting_to_enter)) for r in raw], raw[0].pack()[:8])
told["MONITOR_DUMP"] = dump
""",
        "Work",
        "mark",
    )
    assert said(result, "strange") == ["-1 -1 -1"]
    assert said(result, "codes") == ["0 0 2 0", "0"]
    assert said(result, "timeout") == ["0"]
    assert said(result, "raw") == ["[('a lock', True, 1, 1)] b'\\x02a lock\\x00'"]
    # who waits gives it up
    first, *others = said(result, "told")
    assert first == "RAW_MONITOR_CONTENDED_ENTER a lock True second"
    assert sorted(others) == [
        "RAW_MONITOR_CONTENDED_ENTERED a lock True second",
        "RAW_MONITOR_CONTENDED_EXIT a lock True first",
    ]
    assert (said(result, "entered"), said(result, "notified"), said(result, "waited")) == (["0 1"], ["0 0"], ["0 True"])
    assert said(result, "destroyed") == ["0 -1"]


def test_each_contention_of_raw_monitors_is_told(profiled: Profiled) -> None:
    """Three threads; each contention with the exit that ends it. NotifyEvent uses a monitor itself; monitors come and
    go."""
    result = profiled(
        """
import time
from collections import Counter
told_ = Counter()
monitor, own = p.RawMonitorCreate("a lock"), p.RawMonitorCreate("NotifyEvent's")
waits = []
@on("RAW_MONITOR_CONTENDED_ENTER", "RAW_MONITOR_CONTENDED_ENTERED", "RAW_MONITOR_CONTENDED_EXIT")
def contended(event):
    p.RawMonitorEnter(own)
    if event.u.raw_monitor.id is monitor: told_[event.name] += 1
    p.RawMonitorExit(own)
inside, most, ended = [], [0], []
def work():
    for _ in range(200):
        assert p.RawMonitorEnter(monitor) == p.SUCCESS
        inside.append(1)
        most[0] = max(most[0], len(inside))
        time.sleep(0.0001)
        inside.pop()
        assert p.RawMonitorExit(monitor) == p.SUCCESS
    ended.append(1)
@on("METHOD_ENTRY", arg="Work::mark(..)")
def marked(event):
    for i in range(3): p.CreateSystemThread(f"worker{i}", p.NORMAL_PRIORITY, work)
    while len(ended) < 3: time.sleep(0.01)
    print("told", len(set(told_.values())), min(told_.values()) > 10, len(told_), most)
    made = [p.RawMonitorCreate(str(i)) for i in range(3)]
    for i in range(10000): assert p.RawMonitorDestroy(p.RawMonitorCreate("short")) == p.SUCCESS
    print("numbers", len({m.number for m in made}), p.RawMonitorEnter(made[0]), made[1].owner, made[0].owner == event.env_id)
""",
        "Work",
        "mark",
    )
    assert said(result, "told") == ["1 True 3 [1]"]
    assert said(result, "numbers") == ["3 0 0 True"]


def test_a_dump_of_monitors(profiled: Profiled) -> None:
    """Who has what, and who waits for it, as Threads.java makes it; a stack and a status for each thread."""
    result = profiled(
        NAMES
        + """
WORKERS = ("spinning", "waiting", "parked", "blocked")
@on("METHOD_ENTRY", arg="Threads::ready()")
def ready(event): print("answers", p.RequestEvent(p.EVENT_MONITOR_DUMP, None), p.EnableEvent(p.EVENT_MONITOR_DUMP))
def dump(event):
    d = event.u.monitor_dump
    assert d.num_traces == len(d.traces) == len(d.threads_status)
    ours = [(names[t.env_id], status, t) for t, status in zip(d.traces, d.threads_status) if names.get(t.env_id) in WORKERS]
    print("threads", sorted((name, status) for name, status, _ in ours))
    print("frames", {name: t.num_frames > 1 for name, _, t in ours})
    for r in d.begin:
        who = [names.get(env) for env in r.waiting_to_enter + r.waiting_to_be_notified]
        if set(who) & {"waiting", "blocked"}:
            waiting = len(r.waiting_to_enter), len(r.waiting_to_be_notified)
            print("monitor", names.get(r.owner), r.entry_count, *waiting, who, r.record_type == p.MONITOR_JAVA)
            print("packed", len(r.pack()))
told["MONITOR_DUMP"] = dump
""",
        "Threads",
    )
    assert said(result, "answers") == ["0 1"]
    assert said(result, "threads") == ["[('blocked', 2), ('parked', 3), ('spinning', 1), ('waiting', 3)]"]
    assert said(result, "frames")[0].count("True") == 4
    assert sorted(said(result, "monitor")) == ["None 0 0 1 ['waiting'] True", "main 1 1 0 ['blocked'] True"]
    assert said(result, "packed") == ["37", "37"]

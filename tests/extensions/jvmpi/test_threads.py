"""Threads: their events and functions, against Thread.getAllStackTraces, Thread.getState and what the program does."""

from __future__ import annotations

import pytest

from tests.conftest import Jvm
from tests.events.conftest import said
from tests.extensions.jvmpi.conftest import Profiled


def test_threads_begin_and_end(profiled: Profiled) -> None:
    result = profiled(
        """
@on("THREAD_START")
def start(event):
    s = event.u.thread_start
    same = s.thread_env_id == event.env_id and s.thread_id == p.GetThreadObject(s.thread_env_id) > 0
    print("start" if s.thread_name == "made" else "other", s.thread_name, s.group_name, s.parent_name, same)
    if s.thread_name == "made":
        p.SetThreadLocalStorage(event.env_id, {"name": s.thread_name})
        print("unset", p.GetThreadLocalStorage(event.env_id + 4))
@on("THREAD_END")
def end(event):
    kept = p.GetThreadLocalStorage(event.env_id)
    if kept: print("end", kept)
    ended.append(event.env_id)
ended = []
def requested(event):
    s = event.u.thread_start
    print("requested", event.event_type == p.EVENT_THREAD_START | p.REQUESTED_EVENT, s.thread_name, s.thread_env_id == event.env_id)
@on("METHOD_ENTRY", arg="Work::mark(..)")
def marked(event):
    told["THREAD_START"] = requested
    p.DisableEvent(p.EVENT_THREAD_START)
    print("answers", p.RequestEvent(p.EVENT_THREAD_START, event.env_id), p.RequestEvent(p.EVENT_THREAD_START, 2), p.GetThreadObject(2))
""",
        "Work",
        "thread",
    )
    assert said(result, "start") == ["made group main True"]
    assert said(result, "end") == ["{'name': 'made'}"]
    assert said(result, "unset") == ["None"]
    assert said(result, "requested") == ["True made True"]
    assert said(result, "answers") == ["0 -1 0"]


STATES = """
names = {}
@on("THREAD_START")
def start(event): names[event.env_id] = event.u.thread_start.thread_name
@on("CLASS_LOAD")
def loaded(event):
    for m in event.u.class_load.methods: methods[m.method_id] = m.method_name
methods = {}
def stack(env):
    trace = p.CallTrace(env)
    assert p.GetCallTrace(trace, 100) == p.SUCCESS
    assert trace.num_frames == len(trace.frames)
    return trace
"""
OURS = ("waiting", "parked", "blocked")


def test_states_and_stacks(profiled: Profiled) -> None:
    """Line by line, but for the frames that Java hides."""
    result = profiled(
        STATES
        + """
@on("METHOD_ENTRY", arg="Threads::ready()")
def ready(event):
    for env, name in names.items():
        if not p.GetThreadStatus(env): continue
        print("told", name, p.GetThreadStatus(env), *(f"{methods.get(f.method_id, '')}:{f.lineno}" for f in stack(env).frames))
    print("own", *(methods[f.method_id] for f in stack(event.env_id).frames), "and", p.GetCallTrace(p.CallTrace(2), 4))
    trace = p.CallTrace(event.env_id)
    p.GetCallTrace(trace, 1)
    print("depth", trace.num_frames)
""",
        "Threads",
    )
    told = {line.split()[0]: line.split()[1:] for line in said(result, "told")}
    java = {line.split()[0]: line.split()[1:] for line in said(result, "java")}
    expected = {"WAITING": "3", "TIMED_WAITING": "3", "BLOCKED": "2", "RUNNABLE": "1"}
    for name in OURS:
        state, *frames = java[name]
        assert told[name][0] == expected[state], name
        lines = [frame.rpartition(":")[2] for frame in frames if not frame.endswith(":-1")]
        ours = [frame.rpartition(":")[2] for frame in told[name][1:] if not frame.endswith(":-1")]
        assert [line for line in ours if line in lines] == lines, (name, ours)
    assert said(result, "own") == ["ready main and -1"]
    assert said(result, "depth") == ["1"]
    assert {"sleepy:15", "blocked:21"} <= {frame for name in OURS for frame in told[name]}


def test_suspended_threads(profiled: Profiled) -> None:
    """A suspended thread does not go on; that it has run is seen by the time that it used."""
    result = profiled(
        STATES
        + """
import time
import classhook_events
@on("METHOD_ENTRY", arg="Threads::ready()")
def ready(event):
    env = {name: env for env, name in names.items()}
    for name in ("spinning", "parked"):
        print(name, p.SuspendThread(env[name]), p.SuspendThread(env[name]), p.GetThreadStatus(env[name]) & p.THREAD_SUSPENDED)
    time.sleep(0.05)
    for name in ("spinning", "parked"):
        p.ThreadHasRun(env[name])
        used = thread_cpu(env[name])
        time.sleep(0.05)
        print(name, "stood", thread_cpu(env[name]) == used, p.ResumeThread(env[name]), p.ResumeThread(env[name]))
    time.sleep(0.2)
    for name in ("spinning", "parked"):
        p.SuspendThread(env[name])
        print(name, "ran", p.ThreadHasRun(env[name]), p.ResumeThread(env[name]))
    print("others", p.SuspendThread(event.env_id), p.SuspendThread(2), p.ResumeThread(2), p.ThreadHasRun(2), p.GetThreadStatus(2))
def thread_cpu(env): return [(f.method_id, f.lineno) for f in stack(env).frames]
""",
        "Threads",
    )
    for name, ran in (("spinning", True), ("parked", False)):
        assert said(result, name) == [f"0 -1 {0x8000}", "stood True 0 -1", f"ran {ran} 0"]
    assert said(result, "others") == ["-1 -1 -1 False 0"]


def test_a_thread_that_runs_a_handler_is_not_suspended(profiled: Profiled) -> None:
    """It may have Python's lock, and nobody would ever get it again."""
    result = profiled(
        """
tried = {0: 0, -1: 0}
def profile():
    import classhook_jvmpi
    while running:
        for env in classhook_jvmpi.threads():
            found = p.SuspendThread(env)
            tried[found] += 1
            if found == p.SUCCESS and p.ResumeThread(env) != p.SUCCESS: assert not p.GetThreadStatus(env), hex(p.GetThreadStatus(env))
running = True
@on("JVM_INIT_DONE")
def begin(event): print("thread", p.CreateSystemThread("profiler", p.NORMAL_PRIORITY, profile))
@on("CLASS_LOAD")
def loaded(event): len(event.u.class_load.methods)
@on("METHOD_ENTRY2", arg="Work$Thing::same(..)")
def entered(event): p.RequestEvent(p.EVENT_OBJECT_DUMP, event.u.method_entry2.obj_id)
def dumped(event): pass
told["OBJECT_DUMP"] = dumped
@on("JVM_SHUT_DOWN")
def end(event):
    global running
    running = False
    print("tried", tried[0] > 100, tried[-1] > 0)
""",
        "Work",
        "compile",
        *["calls"] * 50,
        "compile",
    )
    assert said(result, "thread") == ["0"]
    assert said(result, "tried") == ["True True"]


def test_threads_of_the_agent(profiled: Profiled) -> None:
    result = profiled(
        """
import time
print("early", p.CreateSystemThread("early", 5, print))
def work():
    before = p.GetCurrentThreadCpuTime()
    sum(range(100000))
    print("worked", p.GetCurrentThreadCpuTime() > before, p.GetThreadStatus(native.own_thread()))
import classhook_jvmpi as native
@on("JVM_INIT_DONE")
def begin(event):
    print("answers", p.CreateSystemThread("worker", p.MAXIMUM_PRIORITY, work), p.CreateSystemThread("worker", 11, work))
""",
        "Work",
        "compile",
    )
    assert said(result, "early") == ["-1"]
    assert said(result, "answers") == ["0 -1"]
    assert said(result, "worked") == ["True 1"]


def test_storage_of_virtual_threads(profiled: Profiled, jvm: Jvm) -> None:
    """The JVM does not list them; what they have stays there."""
    if jvm.version < 21:
        pytest.skip("this JVM has no virtual threads")
    result = profiled(
        """
kept = set()
@on("METHOD_ENTRY", arg="Virtual::begin(..)")
def begin(event): p.SetThreadLocalStorage(event.env_id, event.env_id)
def end(event): kept.add(p.GetThreadLocalStorage(event.env_id) == event.env_id)
assert p.EnableEvent(p.EVENT_METHOD_ENTRY2, "Virtual::end(..)") == p.SUCCESS
told["METHOD_ENTRY2"] = end
@on("JVM_SHUT_DOWN")
def shut(event): print("kept", kept)
""",
        "Virtual",
        "1000",
    )
    assert said(result, "kept") == ["{True}"]


def test_lists_of_threads(profiled: Profiled) -> None:
    result = profiled(
        STATES
        + """
@on("METHOD_ENTRY", arg="Threads::ready()")
def ready(event):
    ids = [env for env, name in names.items() if name in ("spinning", "parked")]
    print("codes", p.SuspendThreadList([*ids, 2, None]), [p.GetThreadStatus(i) & p.THREAD_SUSPENDED for i in ids], p.ResumeThreadList([*ids, -1]))
""",
        "Threads",
    )
    assert said(result, "codes") == [f"[0, 0, -1, -1] [{0x8000}, {0x8000}] [0, 0, -1]"]


def test_virtual_threads_begin_and_end(profiled: Profiled, jvm: Jvm) -> None:
    """If they are asked for: each defines its id before a method of it is entered."""
    result = profiled(
        """
starts, ends, unknown = set(), set(), set()
for number in (p.EVENT_THREAD_START, p.EVENT_THREAD_END): print("answers", p.EnableEvent(number, "virtual"), p.EnableEvent(number, "all"))
def start(event):
    if event.u.thread_start.group_name == "VirtualThreads": starts.add(event.env_id)
told["THREAD_START"] = start
told["THREAD_END"] = lambda event: ends.add(event.env_id)
@on("METHOD_ENTRY", arg="Virtual::begin(..)")
def begin(event): unknown.update({event.env_id} - starts)
@on("JVM_SHUT_DOWN")
def shut(event): print("told", len(starts), len(starts & ends), len(unknown))
""",
        *(("Virtual", "500") if jvm.version >= 21 else ("Work",)),
    )
    assert said(result, "answers") == ["0 -1" if jvm.version >= 21 else "1 -1"] * 2
    if jvm.version >= 21:
        assert said(result, "told") == ["500 500 0"]

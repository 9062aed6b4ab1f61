"""Answers of functions while NotifyEvent is told of an event: those in the table of docs/reference/jvmpi.md."""

from __future__ import annotations

from tests.conftest import on
from tests.events.conftest import said
from tests.extensions.jvmpi.conftest import Profiled

HEAD = """
from collections import Counter
answers = Counter()
def top(event, depth=1):
    trace = p.CallTrace(event.env_id)
    code = p.GetCallTrace(trace, depth)
    return code, str(p.GetMethodName(trace.frames[0].method_id)) if trace.frames else ""
@on("JVM_SHUT_DOWN")
def end(event):
    for (name, answer), n in sorted(answers.items(), key=str): print("answer", name, *answer)
    freed.clear()
    print("collected", p.RunGC(), freed)
freed = []
"""


def test_events_that_are_told_at_once(profiled: Profiled) -> None:
    result = profiled(
        HEAD
        + """
@on("METHOD_ENTRY", "METHOD_EXIT", arg="Work$Thing::same")
def called(event): answers[event.name, (*top(event), str(p.GetMethodName(event.u.method.method_id)))] += 1
@on("METHOD_ENTRY2", arg="Work$Thing::same")
def entered(event): answers[event.name, (*top(event), p.jobjectID2jobject(event.u.method_entry2.obj_id).cls)] += 1
@on("CLASS_LOAD")
def loaded(event):
    if event.u.class_load.class_name == "Work$Thing": answers[event.name, (top(event)[0], p.RequestEvent(p.EVENT_MONITOR_DUMP))] += 1
told["MONITOR_DUMP"] = lambda event: None
@on("THREAD_START")
def started(event):
    if p.SetThreadLocalStorage(event.env_id, "mine") == p.SUCCESS and event.u.thread_start.thread_name == "DestroyJavaVM": pass
@on("OBJECT_FREE")
def free(event): freed.append(event.u.obj_free.obj_id)
""",
        "Work",
        "calls",
    )
    same = "Work$Thing.same"
    assert said(result, "answer") == [
        "CLASS_LOAD 0 0",
        f"METHOD_ENTRY 0 {same} {same}",
        f"METHOD_ENTRY2 0 {same} Work$Thing",
        f"METHOD_EXIT 0 {same} {same}",
    ]
    assert said(result, "collected") == ["0 []"]


def test_threads_that_begin_and_end(profiled: Profiled) -> None:
    result = profiled(
        HEAD
        + """
@on("THREAD_START")
def started(event):
    if event.u.thread_start.group_name != "workers": return
    p.SetThreadLocalStorage(event.env_id, "mine")
    answers[event.name, top(event)] += 1
@on("THREAD_END")
def ended(event):
    if (mine := p.GetThreadLocalStorage(event.env_id)): answers[event.name, (mine, top(event)[0])] += 1
@on("MONITOR_CONTENDED_ENTER", "MONITOR_CONTENDED_ENTERED", "MONITOR_CONTENDED_EXIT")
def contended(event):
    handle = p.jobjectID2jobject(event.u.monitor.object)
    if handle.cls == "java.lang.Object": answers[event.name, top(event)] += 1
@on("MONITOR_WAIT")
def waits(event):
    if top(event, 3)[1].startswith("java.lang.Object.wait"): answers[event.name, (p.GetThreadStatus(event.env_id) > 0,)] += 1
""",
        "Threads",
    )
    answers = dict(line.partition(" ")[::2] for line in said(result, "answer"))
    assert answers["THREAD_START"].strip() == "0"
    assert answers["MONITOR_CONTENDED_ENTER"] == "0 Threads.blocked"
    assert answers["MONITOR_WAIT"] == "True"
    assert answers.get("MONITOR_CONTENDED_ENTERED", "0 Threads.blocked") == "0 Threads.blocked"
    assert answers.get("MONITOR_CONTENDED_EXIT", "1 ").strip() == "1"


@on(17)
def test_events_that_are_queued(profiled: Profiled) -> None:
    result = profiled(
        HEAD
        + """
@on("GC_START", "GC_FINISH")
def collected(event): answers[event.name, (event.env_id, top(event)[0])] += 1
@on("COMPILED_METHOD_LOAD")
def compiled(event):
    code = event.u.compiled_method_load
    name = p.GetMethodName(code.method_id)
    if str(name) == "Work.hot": answers[event.name, (repr(name), p.GetMethodClass(code.method_id) > 0, code.lineno_table[0].lineno > 0)] += 1
    assert all(place.frames[-1].method_id == code.method_id for place in code.inlined)
    assert repr(code).startswith("<method_id=")
""",
        "Work",
        "compile",
        "gc",
    )
    assert sorted(set(said(result, "answer"))) == [
        "COMPILED_METHOD_LOAD <MethodName Work.hot(I)I> True True",
        "GC_FINISH 0 -1",
        "GC_START 0 -1",
    ]


def test_no_method_has_this_id(profiled: Profiled) -> None:
    result = profiled(
        """
@on("JVM_SHUT_DOWN")
def end(event): print("none", [p.GetMethodName(number) for number in (0, 1, -1, 1 << 70)])
""",
        "Work",
    )
    assert said(result, "none") == ["[None, None, None, None]"]

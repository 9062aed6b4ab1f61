"""Ids: what defines one comes before what uses it; objects of handlers have them; what is none is refused."""

from __future__ import annotations

import struct

from tests.events.conftest import said
from tests.extensions.jvmpi.conftest import Profiled

DEFINED = """
from collections import Counter
names, threads, unknown = Counter(), Counter(), Counter()
types = {}
@on("CLASS_LOAD")
def loaded(event):
    names[event.u.class_load.class_id] += 1
    types[event.u.class_load.class_name] = event.u.class_load.class_id
@on("THREAD_START")
def start(event): threads[event.env_id] += 1
@on("OBJECT_ALLOC")
def alloc(event):
    a = event.u.obj_alloc
    if a.class_id not in names: unknown["class"] += 1
    if event.env_id not in threads: unknown["thread"] += 1
    if a.is_array == p.CLASS: elements.add(a.class_id)
elements = set()
@on("COMPILED_METHOD_LOAD")
def compiled(event):
    if p.GetMethodClass(event.u.compiled_method_load.method_id) not in names: unknown["method"] += 1
"""


def test_what_defines_an_id_comes_first(profiled: Profiled) -> None:
    """Classes of the JDK, arrays and threads, too, that were there before the script; once each. Arrays have the class
    of their elements."""
    result = profiled(
        DEFINED
        + """
@on("JVM_SHUT_DOWN")
def end(event):
    print("unknown", dict(unknown), max(names.values()), max(threads.values()), len(names) > 300)
    print("arrays", {"java.lang.String"} <= {name for name, id_ in types.items() if id_ in elements}, "[Ljava.lang.String;" in types, "[I" in types)
""",
        "Work",
        "calls",
        "compile",
        "alloc",
    )
    assert said(result, "unknown") == ["{} 1 1 True"]
    assert said(result, "arrays") == ["True True True"]


def test_what_was_there_when_an_event_is_enabled(profiled: Profiled) -> None:
    result = profiled(
        """
names = []
def loaded(event): names.append(event.u.class_load.class_name)
told["CLASS_LOAD"] = loaded
@on("METHOD_ENTRY", arg="Work::mark(..)")
def marked(event):
    print("before", len(names), p.EnableEvent(p.EVENT_CLASS_LOAD))
    print("there", {"Work", "Work$Thing", "java.lang.Object", "[I"} <= set(names), len(names) == len(set(names)))
    print("again", p.DisableEvent(p.EVENT_CLASS_LOAD), p.EnableEvent(p.EVENT_CLASS_LOAD), len(names) == len(set(names)))
""",
        "Work",
        "mark",
    )
    assert said(result, "before") == ["0 0"]
    assert said(result, "there") == ["True True"]
    assert said(result, "again") == ["0 0 True"]


def test_objects_of_handlers(profiled: Profiled) -> None:
    result = profiled(
        """
from classhook.agent import Agent
from functools import partial
agent = Agent()
ids = []
@on("METHOD_ENTRY2", arg="Work$Thing::same(..)")
def entered(event):
    ids.append(event.u.method_entry2.obj_id)
    if len(ids) > 1: return
    handle = p.jobjectID2jobject(ids[0])
    print("handle", handle.cls, handle.field("number"), p.jobject2jobjectID(handle) == ids[0], p.jobject2jobjectID(handle.field("numbers")) > 0)
    print("none", p.jobjectID2jobject(99), p.jobjectID2jobject("x"), p.jobjectID2jobject(-1), p.jobject2jobjectID(3), p.jobject2jobjectID(None))
@agent.on.method_exit("Work$Thing::same(..)", sync=True)
def left(e): print("same", p.jobject2jobjectID(e.this) == ids[0])
""",
        "Work",
        "calls",
    )
    assert said(result, "handle") == ["Work$Thing 42 True True"]
    assert said(result, "none") == ["None None None 0 0"]
    assert said(result, "same") == ["True"] * 4


def test_what_is_no_id(profiled: Profiled) -> None:
    """FAIL, None or 0: no exception."""
    result = profiled(
        """
WRONG = (0, 1, 4, -1, 1 << 70, 1.5, "x", None)
@on("METHOD_ENTRY", arg="Work::mark(..)")
def marked(event):
    kinds = (p.EVENT_CLASS_LOAD, p.EVENT_THREAD_START, p.EVENT_OBJECT_ALLOC, p.EVENT_OBJECT_DUMP)
    print("events", {p.RequestEvent(kind, id_) for kind in kinds for id_ in WRONG})
    print("codes", {f(id_) for f in (p.SuspendThread, p.ResumeThread) for id_ in WRONG} | {p.GetCallTrace(p.CallTrace(id_), 4) for id_ in WRONG})
    print("zeros", {f(id_) for f in (p.GetThreadStatus, p.GetThreadObject, p.GetMethodClass) for id_ in WRONG}, {p.ThreadHasRun(i) for i in WRONG})
    functions = (p.RawMonitorEnter, p.RawMonitorExit, p.RawMonitorWait, p.RawMonitorNotifyAll, p.RawMonitorDestroy)
    print("monitors", {f(m) for f in functions for m in WRONG})
""",
        "Work",
        "mark",
    )
    assert said(result, "events") == ["{-1}"]
    assert said(result, "codes") == ["{-1}"]
    assert said(result, "zeros") == ["{0} {False}"]
    assert said(result, "monitors") == ["{-1}"]


def test_dumps_of_classes(profiled: Profiled) -> None:
    """ArrayList: two ints and a reference; four interfaces, as the specification packs them: without their number."""
    result = profiled(
        """
types = {}
@on("CLASS_LOAD")
def loaded(event): types[event.u.class_load.class_name] = event.u.class_load.class_id
@on("METHOD_ENTRY", arg="Work::mark(..)")
def marked(event): p.RequestEvent(p.EVENT_OBJECT_DUMP, types["java.util.ArrayList"]), p.RequestEvent(p.EVENT_HEAP_DUMP, 2)
def show(r):
    names = {id_: name for name, id_ in types.items()}
    size = sum({p.CLASS: 8, p.INT: 4, p.LONG: 8}[type_] for _, type_, _ in r.statics)
    hidden = [name for name, _, _ in r.statics if name[0] == "<"]
    print("class", r.class_name, r.instance_size, *(names.get(i) for i in r.interfaces), len(r.pack()) - size, hidden)
def dumped(event): show(event.u.object_dump.record)
told["OBJECT_DUMP"] = dumped
def heap(event): [show(r) for r in event.u.heap_dump.records if getattr(r, "class_name", "") == "java.util.ArrayList"]
told["HEAP_DUMP"] = heap
""",
        "Work",
        "mark",
    )
    length = struct.calcsize(">B7QI4QH")
    interfaces = "java.util.List java.util.RandomAccess java.lang.Cloneable java.io.Serializable"
    assert said(result, "class") == [f"java.util.ArrayList 16 {interfaces} {length} []"] * 2

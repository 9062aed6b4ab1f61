"""Contexts (tests, requests, endpoints), and tasks that take theirs to other threads (native/counting/context_blocks.c, tasks.c)."""

from __future__ import annotations

from jawa.assemble import Label

from classhook.native.building.tracker.names import OBJECT, THREAD, Code
from classhook.native.building.tracker.part import Part
from classhook.native.building.tracker.thread_slots import Tracker


def contexts(t: Tracker) -> None:
    """``beginContext(int slot)`` and ``beginContextBy(Object root, int slot)`` return the context's depth, which ``endContext`` and
    ``endContextOnward`` take."""
    code: Code = [("iload_0",), t.current(), t.native("contextBegins"), ("ireturn",)]
    t.method("beginContext", "(I)I", code, stack=2, local=1)
    code = [("aload_0",), ("iload_1",), t.current(), t.native("contextBeginsBy"), ("ireturn",)]
    t.method("beginContextBy", "(Ljava/lang/Object;I)I", code, stack=3, local=2)
    for name, native in (("endContext", "contextEnds"), ("endContextOnward", "contextGoesOn")):
        none = Label("none")
        code = [("iload_0",), ("ifeq", none), ("iload_0",), t.current(), t.native(native), none, ("return",)]
        t.method(name, "(I)V", code, stack=2, local=1)


def tasks(t: Tracker) -> None:
    """``submitted(Object task)`` marks a task with this thread's context; ``beginTask(Object task)`` enters the task's, and returns a depth for
    ``endContext``; ``nextTask(Object task)`` leaves all before, and ``noTask()`` leaves all."""
    code: Code = [("aload_0",), t.current(), t.native("taskBegins"), ("ireturn",)]
    t.method("beginTask", "(Ljava/lang/Object;)I", code, stack=2, local=1)
    code = [("aload_0",), t.current(), t.native("taskFollows"), ("return",)]
    t.method("nextTask", "(Ljava/lang/Object;)V", code, stack=2, local=1)
    code = [t.current(), t.native("tasksEnd"), ("return",)]
    t.method("noTask", "()V", code, stack=1)


def add(t: Tracker) -> None:
    contexts(t)
    tasks(t)


def link(t: Tracker) -> Code:
    nothing, thread = ("aconst_null",), t.current()
    return [
        nothing, t.native("submitted"), nothing, thread, t.native("taskBegins"), ("pop",),
        nothing, thread, t.native("taskFollows"), thread, t.native("tasksEnd"),
        nothing, ("iconst_m1",), thread, t.native("contextBeginsBy"), ("pop",),
        ("iconst_m1",), thread, t.native("contextBegins"), thread, t.native("contextEnds"),
        ("iconst_0",), thread, t.native("contextGoesOn"),
    ]


PART = Part(
    add,
    natives={
        "contextBegins": f"(IL{THREAD};)I",
        "contextBeginsBy": f"({OBJECT}IL{THREAD};)I",
        "contextEnds": f"(IL{THREAD};)V",
        "contextGoesOn": f"(IL{THREAD};)V",
        "submitted": f"({OBJECT})V",
        "taskBegins": f"({OBJECT}L{THREAD};)I",
        "taskFollows": f"({OBJECT}L{THREAD};)V",
        "tasksEnd": f"(L{THREAD};)V",
    },
    public=("beginContext", "beginContextBy", "endContext", "endContextOnward", "submitted", "beginTask", "nextTask", "noTask"),
    link=link,
)

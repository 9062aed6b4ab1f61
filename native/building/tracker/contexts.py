"""Contexts (tests, requests, endpoints), and tasks that take theirs to other threads (native/counting/context_blocks.c, tasks.c)."""

from __future__ import annotations

from jawa.assemble import Label

from classhook.native.building.tracker.moving import around
from classhook.native.building.tracker.names import OBJECT, THREAD, Code
from classhook.native.building.tracker.part import Part
from classhook.native.building.tracker.thread_slots import Tracker


def contexts(t: Tracker) -> None:
    """``beginContext(int slot)`` and ``beginContextBy(Object root, int slot)`` return the context's depth, which ``endContext`` and
    ``endContextOnward`` take."""
    t.method("beginContext", "(I)I", [*around(t, "contextBegins", [("iload_0",)], 1), ("ireturn",)], stack=5, local=5)
    code = [*around(t, "contextBeginsBy", [("aload_0",), ("iload_1",)], 2), ("ireturn",)]
    t.method("beginContextBy", "(Ljava/lang/Object;I)I", code, stack=5, local=6)
    for name, native in (("endContext", "contextEnds"), ("endContextOnward", "contextGoesOn")):
        none = Label("none")
        code = [("iload_0",), ("ifeq", none), *around(t, native, [("iload_0",)], 1), ("pop",), none, ("return",)]
        t.method(name, "(I)V", code, stack=5, local=5)


def tasks(t: Tracker) -> None:
    """``submitted(Object task)`` marks a task with this thread's context; ``beginTask(Object task)`` enters the task's, and returns a depth for
    ``endContext``; ``nextTask(Object task)`` leaves all before, and ``noTask()`` leaves all."""
    t.method("beginTask", "(Ljava/lang/Object;)I", [*around(t, "taskBegins", [("aload_0",)], 1), ("ireturn",)], stack=5, local=5)
    t.method("nextTask", "(Ljava/lang/Object;)V", [*around(t, "taskFollows", [("aload_0",)], 1), ("pop",), ("return",)], stack=5, local=5)
    t.method("noTask", "()V", [*around(t, "tasksEnd", [], 0), ("pop",), ("return",)], stack=5, local=4)


def add(t: Tracker) -> None:
    contexts(t)
    tasks(t)


def link(t: Tracker) -> Code:
    nothing, thread = ("aconst_null",), t.current()
    return [
        nothing, t.native("submitted"), nothing, thread, t.native("taskBegins"), ("pop2",),
        nothing, thread, t.native("taskFollows"), ("pop2",), thread, t.native("tasksEnd"), ("pop2",),
        nothing, ("iconst_m1",), thread, t.native("contextBeginsBy"), ("pop2",),
        ("iconst_m1",), thread, t.native("contextBegins"), ("pop2",), ("iconst_0",), thread, t.native("contextEnds"), ("pop2",),
        ("iconst_0",), thread, t.native("contextGoesOn"), ("pop2",),
    ]


PART = Part(
    add,
    natives={
        "contextBegins": f"(IL{THREAD};)J",
        "contextBeginsBy": f"({OBJECT}IL{THREAD};)J",
        "contextEnds": f"(IL{THREAD};)J",
        "contextGoesOn": f"(IL{THREAD};)J",
        "submitted": f"({OBJECT})V",
        "taskBegins": f"({OBJECT}L{THREAD};)J",
        "taskFollows": f"({OBJECT}L{THREAD};)J",
        "tasksEnd": f"(L{THREAD};)J",
    },
    public=("beginContext", "beginContextBy", "endContext", "endContextOnward", "submitted", "beginTask", "nextTask", "noTask"),
    link=link,
)

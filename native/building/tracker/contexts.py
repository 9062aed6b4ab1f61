"""Contexts (tests, requests, endpoints), and tasks that take theirs to other threads (native/contexts/context_blocks.c,
tasks.c)."""

from __future__ import annotations

from classhook.native.building.tracker import moving
from classhook.native.building.tracker.names import OBJECT, THREAD, Code
from classhook.native.building.tracker.part import Part
from classhook.native.building.tracker.thread_slots import Tracker

#: In place of the context around a call that began in none of its own.
UNKNOWN = -1


def contexts(t: Tracker) -> None:
    """``beginContext(int slot)`` and ``beginContextBy(Object root, int slot)`` return the context's depth, which
    ``endContext`` and ``endContextOnward`` take."""
    moving.method(t, "beginContext", "(I)I", "contextBegins", [("iload_0",)], 1)
    moving.method(t, "beginContextBy", f"({OBJECT}I)I", "contextBeginsBy", [("aload_0",), ("iload_1",)], 2)
    moving.method(t, "endContext", "(I)V", "contextEnds", [("iload_0",)], 1, unless=[("iload_0",)])
    moving.method(t, "endContextOnward", "(I)V", "contextGoesOn", [("iload_0",)], 1, unless=[("iload_0",)])


def calls(t: Tracker) -> None:
    """Of calls that wait: ``resumeContext(long kept)`` enters the context that ``contextAt(int depth)`` has returned,
    and returns a depth; ``leaveCall(int depth, long around)`` ends it in place of ``endContext``, `around`: what
    ``contextAround(int depth)`` has returned, or UNKNOWN."""
    moving.method(t, "resumeContext", "(J)I", "contextResumes", [("lload_0",)], 2)
    known: Code = [("lload_1",), ("ldc2_w", t.cf.constants.create_long(UNKNOWN)), ("lcmp",)]
    moving.method(t, "leaveCall", "(IJ)V", "callLeaves", [("iload_0",), ("lload_1",)], 3, unless=known)


def tasks(t: Tracker) -> None:
    """``submitted(Object task)`` marks a task with this thread's context; ``beginTask(Object task)`` enters the task's,
    and returns a depth for ``endContext``; ``nextTask(Object task)`` leaves all before, and ``noTask()`` leaves all."""
    moving.method(t, "beginTask", f"({OBJECT})I", "taskBegins", [("aload_0",)], 1)
    moving.method(t, "nextTask", f"({OBJECT})V", "taskFollows", [("aload_0",)], 1)
    moving.method(t, "noTask", "()V", "tasksEnd", [], 0)


def add(t: Tracker) -> None:
    contexts(t)
    calls(t)
    tasks(t)


def link(t: Tracker) -> Code:
    nothing, thread = ("aconst_null",), t.current()
    return [
        nothing,
        t.native("submitted"),
        nothing,
        thread,
        t.native("taskBegins"),
        ("pop2",),
        nothing,
        thread,
        t.native("taskFollows"),
        ("pop2",),
        thread,
        t.native("tasksEnd"),
        ("pop2",),
        nothing,
        ("iconst_m1",),
        thread,
        t.native("contextBeginsBy"),
        ("pop2",),
        ("iconst_m1",),
        thread,
        t.native("contextBegins"),
        ("pop2",),
        ("iconst_0",),
        thread,
        t.native("contextEnds"),
        ("pop2",),
        ("iconst_0",),
        thread,
        t.native("contextGoesOn"),
        ("pop2",),
        ("iconst_0",),
        t.native("contextAt"),
        ("pop2",),
        ("iconst_0",),
        t.native("contextAround"),
        ("pop2",),
        ("lconst_0",),
        thread,
        t.native("contextResumes"),
        ("pop2",),
        ("iconst_0",),
        ("lconst_0",),
        thread,
        t.native("callLeaves"),
        ("pop2",),
    ]


PART = Part(
    add,
    natives={
        "contextBegins": f"(IL{THREAD};)J",
        "contextBeginsBy": f"({OBJECT}IL{THREAD};)J",
        "contextEnds": f"(IL{THREAD};)J",
        "contextGoesOn": f"(IL{THREAD};)J",
        "contextAt": "(I)J",
        "contextAround": "(I)J",
        "contextResumes": f"(JL{THREAD};)J",
        "callLeaves": f"(IJL{THREAD};)J",
        "submitted": f"({OBJECT})V",
        "taskBegins": f"({OBJECT}L{THREAD};)J",
        "taskFollows": f"({OBJECT}L{THREAD};)J",
        "tasksEnd": f"(L{THREAD};)J",
    },
    public=(
        "beginContext",
        "beginContextBy",
        "endContext",
        "endContextOnward",
        "contextAt",
        "contextAround",
        "resumeContext",
        "leaveCall",
        "submitted",
        "beginTask",
        "nextTask",
        "noTask",
    ),
    link=link,
)

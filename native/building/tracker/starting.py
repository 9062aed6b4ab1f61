"""How the class starts: what all parts use, and what the agent calls."""

from __future__ import annotations

from classhook.native.building.tracker.names import HOLDER, OBJECTS, THREAD, UNSAFE, Code
from classhook.native.building.tracker.part import Part
from classhook.native.building.tracker.thread_slots import Tracker


def add(t: Tracker) -> None:
    invoke(t)
    shutdown_hook(t)


def initialise(t: Tracker) -> Code:
    return [
        ("invokestatic", t.ref("getUnsafe", f"()L{UNSAFE};", UNSAFE)),
        t.put("U", f"L{UNSAFE};"),
        t.native("mask"),
        t.put("MASK", "I"),
        t.native("alignment"),
        ("i2l",),
        t.put("ALIGN", "J"),
        *(t.offset("HOLDER", THREAD, "holder") if t.carriers else []),
        *t.offset("SLOTS", HOLDER if t.carriers else THREAD, "stackSize"),
        # log2 of a reference's size: 4 or 8 bytes
        t.get("U", f"L{UNSAFE};"),
        ("ldc_w", t.type(OBJECTS)),
        t.call("arrayIndexScale", "(Ljava/lang/Class;)I", UNSAFE),
        ("iconst_2",),
        ("ishr",),
        ("iconst_1",),
        ("iadd",),
        t.put("REF", "I"),
    ]


def invoke(t: Tracker) -> None:
    """``invoke(Method)``: calls a static method without arguments, as the JDK's own code."""
    call = t.call("invoke", "(Ljava/lang/Object;[Ljava/lang/Object;)Ljava/lang/Object;", "java/lang/reflect/Method")
    code = [("aload_0",), ("aconst_null",), ("aconst_null",), call, ("pop",), ("return",)]
    t.method("invoke", "(Ljava/lang/reflect/Method;)V", code, stack=3, local=1)


def shutdown_hook(t: Tracker) -> None:
    """``run()`` of Runnable, for java.lang.Shutdown (native/base/shutdown_hook.c); that class runs no method that is
    static."""
    t.cf._interfaces.append(t.type("java/lang/Runnable").index)  # jawa's property can only be read
    t.method("run", "()V", [t.native("shutDown"), ("return",)], local=1, static=False)


PART = Part(
    add,
    natives={"mask": "()I", "alignment": "()I", "shutDown": "()V"},
    fields={"U": f"L{UNSAFE};", "HOLDER": "J", "SLOTS": "J", "ALIGN": "J", "REF": "I", "MASK": "I"},
    initialise=initialise,
)

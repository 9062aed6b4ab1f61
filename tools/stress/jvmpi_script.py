"""Runs in the JVM: counts JVMPI's events, while three threads suspend, dump, collect and use raw monitors as it comes.

Options: `quiet=FILE`: is made when these threads have ended; `all=0`: of allocations only samples.
"""

from __future__ import annotations

import sys
from itertools import count
from random import Random
from time import sleep

import classhook_jvmpi as native

from classhook import jvmpi as p
from classhook.agent import Agent
from classhook.extensions.jvmpi.events import EVENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

agent = Agent()
THREADS = 3
#: Raises each by one without losing any, whatever threads do so at once.
counts: dict[str, count[int]] = {}
freed: set[int] = set()
drops: set[int] = set()
names: dict[int, str] = {}
workers: set[int] = set()
#: Ids of objects, to ask for.
some: list[int] = []


class State:
    running = True
    ended = count()


def add(name: str) -> None:
    counter = counts.get(name)
    if counter is None:
        counter = counts.setdefault(name, count())
    next(counter)


def value(name: str) -> int:
    return next(counts[name]) if name in counts else 0


# ---- events


def class_load(event: Any) -> None:
    loaded = event.u.class_load
    names[loaded.class_id] = loaded.class_name
    if loaded.class_name == "StressGen":
        add("generated")
        len(loaded.methods)


def class_unload(event: Any) -> None:
    if names.pop(event.u.class_unload.class_id, "") == "StressGen":
        add("gone")


def thread_start(event: Any) -> None:
    name = event.u.thread_start.thread_name
    add("virtual" if event.u.thread_start.group_name == "VirtualThreads" else "thread " + name.partition("-")[0])
    if name.startswith("worker-"):
        workers.add(event.env_id)


def thread_end(event: Any) -> None:
    add("ended")


def object_alloc(event: Any) -> None:
    allocated = event.u.obj_alloc
    if names.get(allocated.class_id) == "Stress$Drop":
        drops.add(allocated.obj_id)
        add("drops")
    elif len(some) < 1000:
        some.append(allocated.obj_id)


def object_free(event: Any) -> None:
    freed.add(event.u.obj_free.obj_id)
    add("frees")


def of_workers(event: Any) -> None:
    if native.own_thread() in workers:
        add(event.name)


def by_name(event: Any) -> None:
    add(event.name)


TOLD: dict[str, Callable[[Any], None]] = {
    "CLASS_LOAD": class_load,
    "CLASS_UNLOAD": class_unload,
    "THREAD_START": thread_start,
    "THREAD_END": thread_end,
    "OBJECT_ALLOC": object_alloc,
    "OBJECT_FREE": object_free,
    **dict.fromkeys(
        (
            "MONITOR_CONTENDED_ENTER",
            "MONITOR_CONTENDED_ENTERED",
            "MONITOR_CONTENDED_EXIT",
            "MONITOR_WAIT",
            "MONITOR_WAITED",
        ),
        of_workers,
    ),
}
NUMBERS = {kind.name: kind.number for kind in EVENTS}


def notify(event: Any) -> None:
    if event.name == "JVM_INIT_DONE":
        for _ in range(THREADS):
            p.CreateSystemThread("chaos", 5, chaos)  # refused if the agent is being detached again
    elif event.name == "JVM_SHUT_DOWN":
        end()
    else:
        TOLD.get(event.name, by_name)(event)


# ---- what threads do


def suspend(random: Random) -> None:
    chosen = [*workers]
    codes = p.SuspendThreadList(chosen)
    for env in chosen:
        p.GetCallTrace(p.CallTrace(env), 16)
        p.GetThreadStatus(env)
        p.ThreadHasRun(env)
    sleep(random.random() / 500)
    p.ResumeThreadList([env for env, code in zip(chosen, codes, strict=True) if code == p.SUCCESS])
    add("suspends")


def stacks(random: Random) -> None:
    for env in native.threads():
        p.GetCallTrace(p.CallTrace(env), 64)
        p.SetThreadLocalStorage(env, (p.GetThreadLocalStorage(env) or 0) + 1)
    add("stacks")


def raw(random: Random) -> None:
    for _ in range(20):
        monitor = random.choice(RAW)
        assert p.RawMonitorEnter(monitor) == p.SUCCESS
        if random.random() < 0.1:
            p.RawMonitorWait(monitor, 1)
        p.RawMonitorNotifyAll(monitor)
        if random.random() < 0.3:
            sleep(0.0005)
        assert p.RawMonitorExit(monitor) == p.SUCCESS
    own = p.RawMonitorCreate("short")
    assert own is not None
    p.RawMonitorDestroy(own)


def dump_monitors(random: Random) -> None:
    if p.RequestEvent(p.EVENT_MONITOR_DUMP) == p.SUCCESS:  # else the agent was attached
        add("monitor dumps")


def dump_heap(random: Random) -> None:
    if random.random() < 0.1:
        assert p.RequestEvent(p.EVENT_HEAP_DUMP, p.HeapDumpArg(p.DUMP_LEVEL_1)) == p.SUCCESS
        add("heap dumps")


def dump_objects(random: Random) -> None:
    for id_ in random.choices(some or [0], k=20):
        p.RequestEvent(p.EVENT_OBJECT_DUMP, id_)
        p.RequestEvent(p.EVENT_OBJECT_ALLOC, id_)


def collect(random: Random) -> None:
    if random.random() < 0.3 and p.RunGC() == p.SUCCESS:
        add("collections")


def steps(random: Random) -> None:
    """One thread, for a moment. After attaching, the JVM does not let it."""
    env = random.choice([*workers]) if workers else 0
    if env and p.EnableEvent(p.EVENT_INSTRUCTION_START, env) == p.SUCCESS:
        sleep(0.002)
        p.DisableEvent(p.EVENT_INSTRUCTION_START, env)


def class_files(random: Random) -> None:
    """Requests the class files of some classes, also of classes that have gone meanwhile; changes none."""
    for id_ in random.choices([*names] or [0], k=3):
        if p.RequestEvent(p.EVENT_CLASS_LOAD_HOOK, id_) == p.SUCCESS:
            add("class files")


SWITCHED = (
    "COMPILED_METHOD_LOAD",
    "COMPILED_METHOD_UNLOAD",
    "JNI_GLOBALREF_ALLOC",
    "JNI_GLOBALREF_FREE",
    "DATA_DUMP_REQUEST",
    "CLASS_LOAD_HOOK",
)


def switch(random: Random) -> None:
    number = NUMBERS[random.choice(SWITCHED)]
    p.DisableEvent(number)
    p.EnableEvent(number, None)
    add("switches")


ACTIONS = (suspend, stacks, raw, raw, dump_monitors, dump_heap, dump_objects, collect, switch, steps, class_files)


def chaos() -> None:
    random = Random()
    try:
        while State.running:
            random.choice(ACTIONS)(random)
            sleep(random.random() / 10)
    except AssertionError:
        sleep(1)  # functions may fail from the moment on when the agent is being detached, before the script is told
        if State.running:
            raise
    finally:
        if next(State.ended) + 1 == THREADS and "quiet" in agent.options:
            with open(agent.options["quiet"], "w") as file:
                file.write("quiet")


@agent.every(0.2)
def watch_for_end() -> None:
    """The driver makes this file, too, before the program compares."""
    import os

    if os.path.exists(agent.options.get("stop", "")):
        State.running = False


def end() -> None:
    State.running = False
    lost = {kind.name: n for kind in EVENTS if (n := p.LostEvents(kind.number))}
    wrong = len(freed - freed) + value("frees") - len(freed)
    lines = [f"told {name.replace(' ', '_')} {value(name)}" for name in [*counts]]
    lines += [
        f"told drop_ids {len(drops)}",
        f"told freed_drops {len(freed & drops)}",
        f"told freed_twice {wrong}",
        f"told lost {sum(lost.values())}",
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


RAW = [p.RawMonitorCreate(name) for name in ("a", "b")]
p.NotifyEvent = notify
p.EnableEvent(p.EVENT_INSTRUCTION_START, None)  # the JVM has to know now
p.DisableEvent(p.EVENT_INSTRUCTION_START)
for kind in EVENTS:
    if kind.name in ("METHOD_ENTRY2", "INSTRUCTION_START"):
        continue
    if kind.name.startswith("METHOD_"):
        p.EnableEvent(kind.number, "Stress::work(..)")
    elif (
        kind.name not in ("THREAD_START", "THREAD_END") or p.EnableEvent(kind.number, "virtual") != p.SUCCESS
    ):  # that is from JDK 21 on
        p.EnableEvent(kind.number, None)

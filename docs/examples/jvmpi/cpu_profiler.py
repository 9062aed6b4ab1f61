"""A CPU profiler: every 10 ms a thread of its own suspends each thread, and takes the stacks of those that have run
since the last time."""

import time
from collections import Counter

from classhook import jvmpi

DEPTH, EVERY = 32, 0.01
threads: dict[int, str] = {}
methods: dict[int, str] = {}
samples: Counter[tuple[int, ...]] = Counter()
running = True


def look(env_id: int) -> None:
    if jvmpi.SuspendThread(env_id) != jvmpi.SUCCESS:
        return
    if jvmpi.ThreadHasRun(env_id) and jvmpi.GetThreadStatus(env_id) == jvmpi.THREAD_RUNNABLE | jvmpi.THREAD_SUSPENDED:
        trace = jvmpi.CallTrace(env_id)
        jvmpi.GetCallTrace(trace, DEPTH)
        samples[tuple(frame.method_id for frame in trace.frames)] += 1
    jvmpi.ResumeThread(env_id)


def profile() -> None:
    while running:
        for env_id in list(threads):
            look(env_id)
        time.sleep(EVERY)


def report() -> None:
    own: Counter[int] = Counter()
    all_: Counter[int] = Counter()
    for stack, count in samples.items():
        if stack:
            own[stack[0]] += count
        for method in set(stack):
            all_[method] += count
    print(f"{samples.total()} samples\n   own   all  method")
    for method, count in own.most_common(5):
        if method not in methods:  # of a class that was there before
            jvmpi.RequestEvent(jvmpi.EVENT_CLASS_LOAD, jvmpi.GetMethodClass(method))
        print(f"{count:6}{all_[method]:6}  {methods.get(method, 'unloaded')}")


def notify(event: jvmpi.Event) -> None:
    global running
    if event.event_type == jvmpi.EVENT_THREAD_START:
        threads[event.env_id] = event.u.thread_start.thread_name
    elif event.event_type == jvmpi.EVENT_THREAD_END:
        threads.pop(event.env_id, None)
    elif event.event_type & ~jvmpi.REQUESTED_EVENT == jvmpi.EVENT_CLASS_LOAD:
        loaded = event.u.class_load
        methods.update((method.method_id, f"{loaded.class_name}.{method.method_name}") for method in loaded.methods)
    elif event.event_type == jvmpi.EVENT_JVM_INIT_DONE:
        jvmpi.CreateSystemThread("CPU profiler", jvmpi.MAXIMUM_PRIORITY, profile)
    else:
        running = False
        report()


jvmpi.NotifyEvent = notify
for name in "THREAD_START", "THREAD_END", "CLASS_LOAD", "JVM_INIT_DONE", "JVM_SHUT_DOWN":
    assert jvmpi.EnableEvent(getattr(jvmpi, f"EVENT_{name}"), None) == jvmpi.SUCCESS

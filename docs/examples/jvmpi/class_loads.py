"""Counts class loads: how many by each thread, and the package with most of them."""

from collections import Counter

from classhook import jvmpi

threads: Counter[int] = Counter()
packages: Counter[str] = Counter()
names: dict[int, str] = {}


def notify(event: jvmpi.Event) -> None:
    if event.event_type == jvmpi.EVENT_THREAD_START:
        names[event.env_id] = event.u.thread_start.thread_name
    elif event.event_type == jvmpi.EVENT_CLASS_LOAD:
        threads[event.env_id] += 1
        packages[event.u.class_load.class_name.rpartition(".")[0]] += 1
    else:
        print(f"{threads.total()} classes were loaded")
        for env_id, count in threads.most_common(3):
            print(f"  {count} by {names.get(env_id, 'an unknown thread')}")
        print("most of them in", *packages.most_common(1)[0])


jvmpi.NotifyEvent = notify
for event_type in jvmpi.EVENT_THREAD_START, jvmpi.EVENT_CLASS_LOAD, jvmpi.EVENT_JVM_SHUT_DOWN:
    assert jvmpi.EnableEvent(event_type, None) == jvmpi.SUCCESS

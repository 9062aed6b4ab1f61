"""waiters: for each class of objects, how often threads waited for the lock, waited to be notified, and gave up.

classhook run --agent waiters.py -- java -jar app.jar
"""

from collections import Counter

from classhook import jvmpi

MONITORS = (
    jvmpi.EVENT_MONITOR_CONTENDED_ENTER,
    jvmpi.EVENT_MONITOR_CONTENDED_ENTERED,
    jvmpi.EVENT_MONITOR_WAIT,
    jvmpi.EVENT_MONITOR_WAITED,
)
counts: Counter[tuple[str, str]] = Counter()


def name_of(obj_id: int) -> str:
    handle = jvmpi.jobjectID2jobject(obj_id)
    return handle.cls if handle else "Thread.sleep"


def notify(event: jvmpi.Event) -> None:
    if event.event_type == jvmpi.EVENT_JVM_SHUT_DOWN:
        for (name, what), count in sorted(counts.items()):
            print(f"{count:8} {what:24} {name}")
    elif event.event_type in MONITORS[:2]:
        counts[name_of(event.u.monitor.object), event.name] += 1
    else:
        gave_up = event.event_type == jvmpi.EVENT_MONITOR_WAITED and event.u.monitor_wait.timed_out
        counts[name_of(event.u.monitor_wait.object), event.name + (" (timeout)" if gave_up else "")] += 1


jvmpi.NotifyEvent = notify
for event_type in (*MONITORS, jvmpi.EVENT_JVM_SHUT_DOWN):
    jvmpi.EnableEvent(event_type)

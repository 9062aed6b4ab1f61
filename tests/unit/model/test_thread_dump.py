"""HotSpot's text of threads and monitors, as JDK 17 and 25 write it, and damaged."""

from __future__ import annotations

import pytest

from classhook.model.thread_dump import parse

TEXT = """\
"main" #1 [123] prio=5 os_prio=0 cpu=1ms elapsed=1s tid=0x1 nid=123 waiting for monitor entry  [0x00007f]
   java.lang.Thread.State: BLOCKED (on object monitor)
\tat a.B.pay(B.java:9)
\t- waiting to lock <0x01> (a a.Till)
\tat a.B$$Lambda$14/0x0000000800c03000.run(Unknown Source)
\tat java.lang.Thread.run(java.base@17.0.15/Thread.java:840)

   Locked ownable synchronizers:
\t- <0x02> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)

"a "quoted" name" #22 daemon prio=5 os_prio=0 tid=0x2 nid=0x5 in Object.wait()
   Carrying virtual thread #31
   java.lang.Thread.State: WAITING (parking)
\tat jdk.internal.misc.Unsafe.park(java.base@25/Native Method)
\t- parking to wait for  <0x02> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)
\t- locked <0x01> (an a.Till)
\t- locked <0x01> (an a.Till)
\tat a.C.wait0(C.java)
\t- waiting on <0x03> (a a.Bell)
\t- locked <0x03> (a a.Bell)

"VM Thread" os_prio=0 cpu=1ms tid=0x3 nid=0x6 runnable
\t- locked <0x09> (a a.Nobody)
JNI global refs: 10
"""


def test_threads_and_monitors() -> None:
    found = parse(TEXT, 7)
    assert [(one.name, one.number, one.state, one.how, one.virtual) for one in found.threads] == [
        ("main", 1, "BLOCKED", "on object monitor", 0),
        ('a "quoted" name', 22, "WAITING", "parking", 31),
    ]
    assert [(frame.cls, frame.method, frame.source, frame.line) for frame in found.threads[0].stack] == [
        ("a.B", "pay", "B.java", 9),
        ("a.B$$Lambda", "run", "", 0),
        ("java.lang.Thread", "run", "Thread.java", 840),
    ]
    assert {one.type: (one.owner, one.entries, one.entering, one.waiting) for one in found.monitors.values()} == {
        "a.Till": (22, 2, [1], []),
        "java.util.concurrent.locks.ReentrantLock$NonfairSync": (1, 1, [22], []),
        "a.Bell": (0, 0, [], [22]),
    }


@pytest.mark.parametrize(
    "text",
    ["", "\t- " + " " * 1_000_000, '"' * 100_000, TEXT[:400], '"x" #99999999999999999999 \n\tat .(:\n\t- locked <0x>'],
)
def test_damaged_text_takes_no_time(text: str) -> None:
    assert len(parse(text).threads) <= 1

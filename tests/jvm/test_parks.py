"""`locks parks`: threads that wait for locks of java.util.concurrent, held for known times, and a pinned virtual thread
(java/parks/Parks.java)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Compiled, Jvm, Result, Run

pytestmark = pytest.mark.every_jvm  # of virtual threads, each has its own

UNIT = 100e6
VIRTUAL = 21  # the first JDK with virtual threads
SYNC = "java.util.concurrent.locks.ReentrantLock$NonfairSync"


@pytest.fixture(scope="module")
def parks(jvm: Jvm, compiled: Compiled, run: Run) -> Result:
    pinned = ["pinned"] if jvm.version >= VIRTUAL else []
    result = run("locks parks stack 2", jvm.java, "-Xcheck:jni", "-cp", compiled("parks"), "Parks", *pinned)
    assert result.status == 0, result.stderr
    assert "WARNING" not in result.stdout + result.stderr
    assert "warning" not in result.stdout + result.stderr, "the JVM has nothing to say about it"
    return result


def rows(result: Result, event: str, place: str) -> list[dict[str, Any]]:
    return [row for row in result.report["locks"] if row["event"] == event and place in row["stack"]]


def row(result: Result, event: str, place: str) -> dict[str, Any]:
    (found,) = rows(result, event, place)
    return found


def test_who_had_the_lock(parks: Result) -> None:
    found = row(parks, "lock", "Parks.pay")
    assert (found["monitor"], found["class"], found["method"], found["kind"]) == (SYNC, "Parks", "pay", "blocked")
    assert found["count"] == 3
    assert found["total_ns"] >= 3 * UNIT
    assert found["held_by"] == "auditor"
    at = found["held_at"]  # it may load a class at that moment, in a stack that is cut off
    assert "Parks.count(Parks.java:" in at or "ClassLoader" in at, "below the frames of the JDK"


def test_what_is_no_lock_is_a_wait(parks: Result) -> None:
    found = row(parks, "park", "Parks.listen")
    assert (found["monitor"], found["count"], found["kind"]) == (
        "java.util.concurrent.CountDownLatch$Sync",
        1,
        "waited",
    )
    assert found["stack"].startswith("java.util.concurrent.CountDownLatch.await("), "the JDK's own parking is not shown"


def test_a_pinned_virtual_thread_is_named(jvm: Jvm, parks: Result) -> None:
    if jvm.version < VIRTUAL:
        pytest.skip("this JVM has no virtual threads")
    found = rows(
        parks, "park", "Parks$Slow.<clinit>"
    )  # more than one where a park of Thread.sleep ended early: it parks again
    assert found
    assert all(each["pinned"] == each["count"] and each["pinned_thread"] == "stuck" for each in found)
    assert sum(each["total_ns"] for each in found) >= 4.9 * UNIT


def test_only_if_asked_for(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    result = run("locks", jvm.java, "-cp", compiled("parks"), "Parks")
    assert {row["event"] for row in result.report["locks"]} <= {"enter", "wait"}

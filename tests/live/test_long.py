"""Rules that change hundreds of times, and hundreds of attachments: exact, and neither files nor memory pile up.

Each has a short form, and a long one of some minutes, which is `slow`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from classhook import Session, attach
from classhook.live import protocol
from classhook.live.jvms import jvm_of
from tests.conftest import IN_TWO_FORMS, Jvm
from tests.live.conftest import Running, Serve, made_library

#: A heap that does not grow: what does is the JVM's own memory, and the agent's.
STEADY_HEAP = (
    "-Xmx64m",
    "-Xms64m",
    "-XX:+AlwaysPreTouch",
    "-XX:+UseSerialGC",
    "-XX:+EnableDynamicAgentLoading",
    "-XX:NativeMemoryTracking=summary",
)
CHANGING = (
    "time Server::step",
    "count Server::work",
    "profile Server::load",
    "alloc * in Server",
    "time Server::* tree",
    "count java.util.HashMap::put",
    "time Server::answer sample 1/10",
    "cover Server",
)
WARM = 2 * len(CHANGING)
MORE_KB = 8 << 10  # resident memory that comes and goes anyway
REST_S = 6  # HotSpot gives back what its compilers needed every 5 s


@pytest.fixture(scope="session")
def retransformer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library made of retransform.c."""
    return made_library(tmp_path_factory.mktemp("retransformer"), "retransform.c")


def execute(running: Running, *words: str) -> str:
    found = jvm_of(running.process.pid)
    assert found is not None
    status, said = protocol.execute(found, *words)
    assert (status, said.strip() in ("", "return code: 0")) == (0, True) or words[0] == "jcmd", said
    return said


def memory_kb(running: Running) -> tuple[int, int]:
    """Returns the resident memory, and the memory that the JVM says it has taken for itself. Before, it ends the load,
    waits until the compilers' memory is given back, has old versions of classes collected, and has the C library
    return what was freed."""
    running.end_load()
    time.sleep(REST_S)
    for command in ("GC.run", "GC.run", "System.trim_native_heap"):
        execute(running, "jcmd", command)
    status = Path(f"/proc/{running.pid}/status").read_text()
    taken = re.search(r"Total: reserved=\d+KB, committed=(\d+)KB", execute(running, "jcmd", "VM.native_memory summary"))
    assert taken is not None
    return int(status.partition("VmRSS:")[2].split()[0]), int(taken[1])


def files(running: Running) -> int:
    return len(list(Path(f"/proc/{running.pid}/fd").iterdir()))


def calls(session: Session, method: str) -> int:
    return sum(row.calls for row in session.snapshot().methods if (row.class_name, row.method) == ("Server", method))


def grown(running: Running, times: int, step: Callable[[int], None]) -> tuple[int, int]:
    """By how many KB that grew in so many steps, once everything was done that there is to do."""
    for i in range(WARM):
        step(i)
    before = memory_kb(running)
    for i in range(WARM, times):
        step(i)
    now = memory_kb(running)
    return now[0] - before[0], now[1] - before[1]


@pytest.mark.any_jvm
@IN_TWO_FORMS
def test_rules_change_hundreds_of_times_under_load(jvm: Jvm, serve: Serve, long: bool) -> None:
    changes = 500 if long else 20
    running = serve(jvm, *STEADY_HEAP)
    sent, opened = 0, 0
    with attach(running.process.pid, "count Server::counted", data=running.data, cache=False) as session:

        def change(i: int) -> None:
            nonlocal sent, opened
            if i in (0, WARM):
                running.under_load(threads=2)
            rule = CHANGING[i // 2 % len(CHANGING)]
            session.add(rule) if i % 2 == 0 else session.remove(rule)
            assert len(session.rules) == 1 + (i % 2 == 0)
            if i % 20 == 10:
                running.requests("counted", 20)
                sent += 20
                assert calls(session, "counted") == sent
            if i == WARM:
                opened = files(running)

        more, by_the_jvm = grown(running, changes, change)
        assert calls(session, "counted") == sent
        assert files(running) <= opened + 4
    print(f"{changes} changes: {more} KB, of them the JVM's own: {by_the_jvm} KB")
    assert more < by_the_jvm + MORE_KB


@pytest.mark.slow
@pytest.mark.any_jvm
@IN_TWO_FORMS
def test_hundreds_of_attachments(jvm: Jvm, serve: Serve, retransformer: Path, long: bool) -> None:
    cycles = 1000 if long else 20
    control, running = serve(jvm, *STEADY_HEAP), serve(jvm, *STEADY_HEAP)
    sent = 0

    def retransform(i: int) -> None:
        execute(control, "load", str(retransformer), "true", "LServer; 2")
        if i % 20 == 10:
            control.requests("counted", 10)

    def cycle(i: int) -> None:
        nonlocal sent
        with attach(running.process.pid, "count Server::*", data=running.data, cache=False) as session:
            if i % 20 == 10:
                running.requests("counted", 10)
                sent += 10
                assert calls(session, "counted") == 10

    for one in (control, running):
        one.requests("counted", 200)
    by_the_jvm, more = grown(control, cycles, retransform)[0], grown(running, cycles, cycle)[0]
    assert running.calls()["counted"] == sent
    print(f"{cycles} cycles: {more} KB, retransformed only: {by_the_jvm} KB")
    assert more < by_the_jvm + MORE_KB

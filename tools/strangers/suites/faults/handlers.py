"""Handlers that run in the JVM while calls fail: of calls, threads and time, a command, and code that is inserted."""

from __future__ import annotations

from classhook.agent import Agent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

agent = Agent()
told: list[str] = []


@agent.on.method_exit("Small$Failing::tried(..)", sync=True, args=True, value=True)
def left(e: Any) -> None:
    told.append(f"{e.value}")


@agent.on.method_entry("Small::work(..)")
@agent.on.class_load("Small*", sync=False)
@agent.on.thread_start
@agent.on.thread_end
def later(e: Any) -> None:
    told.append(e.kind)


@agent.on.object_alloc(every="16k", sync=True)
def allocated(e: Any) -> None:
    e.this.tag("kept")
    e.stack(4)


inserted = agent.insert.counter()
agent.insert.entry("Small$Hot::run(..)", call=inserted)


@agent.every(0.05)
def look() -> None:
    agent.threads()


@agent.command("told")
def so_far() -> str:
    return str(len(told))


@agent.on.end
def end(e: Any) -> None:
    told.clear()

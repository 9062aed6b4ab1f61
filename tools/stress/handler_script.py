"""Runs in the JVM beside jvmpi_script.py, and is exchanged while it runs: handlers of all events. Says at its end what
it was told."""

from __future__ import annotations

import sys
from itertools import count

from classhook.agent import Agent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

agent = Agent()
counts: dict[str, count[int]] = {}


def add(name: str) -> None:
    next(counts.get(name) or counts.setdefault(name, count()))


@agent.on.method_entry("Stress::work(..)")
def entry(e: Any) -> None:
    add("entry")


@agent.on.method_exit("Stress::work(..)", sync=True, args=True, value=True)
def left(e: Any) -> None:
    add("thrown" if e.exception is not None else "returned")


@agent.on.class_load("StressGen", sync=False)
@agent.on.class_unload("StressGen")
@agent.on.thread_start
@agent.on.thread_end
@agent.on.gc_start
@agent.on.gc_finish
@agent.on.object_free(tagged="kept")
def told(e: Any) -> None:
    add(e.kind)


@agent.on.object_alloc(every="64k", sync=True)
def allocated(e: Any) -> None:
    add(e.kind)
    e.this.tag("kept")
    e.stack(4)


@agent.on.object_alloc(every="64k", stack=4)
def allocated_later(e: Any) -> None:
    e.stack()


@agent.on.monitor_contended(sync=True)
def contended(e: Any) -> None:
    add(e.kind)
    e.stack(4)


@agent.transform("StressGen")
def same(cls: Any) -> bytes:
    add("transform")
    data: bytes = cls.data
    return data


inserted = agent.insert.counter()
agent.insert.entry("Stress::work(..)", call=inserted)


@agent.every(0.5)
def look() -> None:
    agent.threads()
    agent.dump.monitors()


@agent.command("told")
def so_far() -> str:
    return " ".join(counts)


@agent.on.end
def end(e: Any) -> None:
    handlers = [value for value in globals().values() if hasattr(value, "lost") and hasattr(value, "errors")]
    lines = [f"handlers {name} {next(counter)}" for name, counter in [*counts.items()]]
    lines += [f"handlers inserted {inserted.value}", f"handlers lost {sum(one.lost for one in handlers)}"]
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()

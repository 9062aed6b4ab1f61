"""Handlers that do what BTrace's scripts do with code of their own. btrace.toml has the same names, and what each
records.

The options: `to=FILE` is written at the end, as JSON: each text that was said, and how often. With `levels`, rules and
handlers rest until the program calls `BTraceTargets.level(1)`.
"""

import json
import os
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from classhook.agent import Agent, Event, Handler

agent = Agent()
said: Counter[str] = Counter()
handlers: list[Handler] = []
TARGET = "**.OnMethodTest"
turns: Counter[str] = Counter()


def entry(method: str) -> Callable[[Callable[[Event], None]], Handler]:
    return lambda function: kept(agent.on.method_entry(method, args=True, sync=True)(function))


def leave(method: str) -> Callable[[Callable[[Event], None]], Handler]:
    return lambda function: kept(agent.on.method_exit(method, args=True, value=True, sync=True)(function))


def kept(handler: Handler) -> Handler:
    handlers.append(handler)
    if "levels" in agent.options:
        handler.disable()
    return handler


def say(*words: Any) -> None:
    said[" ".join(map(str, words))] += 1


def chosen(name: str, every: int = 10) -> bool:
    """Counts a call, and returns whether it is its turn."""
    turns[name] += 1
    return turns[name] % every == 0


def caller(e: Event) -> str:
    """The name of the method that called this one."""
    return e.stack(2)[1].partition("(")[0].rpartition(".")[2]


# the entry of a method, and code of one's own

threads: Counter[str] = Counter()
exported: dict[str, Any] = {"x": 10, "times": deque()}
by_thread: dict[str, dict[str, Any]] = defaultdict(lambda: {"x": 10, "times": deque()})
last: dict[str, str] = {}


@entry(f"{TARGET}::args")
def args(e: Event) -> None:
    a, b, _, _ = e.args
    threads[e.thread] += 1
    last["args"] = f"{a} {b} {threads[e.thread]}"
    for values in (exported, by_thread[e.thread]):
        values["name"] = a
        values["times"].append(b)
    say("ArgsUnsafe", os.getloadavg()[0] >= 0 and time.process_time() > 0)
    say("ServicesTest args", 10, "hello")
    if chosen("ArgsSampled"):
        say("ArgsSampled", a, b)
    for twice in (1, 2):
        if chosen(f"Args2Sampled{twice}"):
            say("Args2Sampled", twice, a, b)
    say("ArgsSampledNoSampling all", a, b)
    if chosen("ArgsSampledNoSampling"):
        say("ArgsSampledNoSampling sampled", a, b)


@agent.command("exported")
def export() -> str:
    return f"name={exported.get('name')} x={exported['x']} times={len(exported['times'])}"


@entry(f"{TARGET}::noargs")
def noargs(e: Event) -> None:
    say("ServicesTest noargs", "hello", 10)


@entry(f"{TARGET}::noargs$static")
def noargs_static(e: Event) -> None:
    say("ServicesTest noargs$static", 10, "hey")
    say("ServicesTest noargs$static", 20, "ho")


# the return


@leave(f"{TARGET}::args")
def returned(e: Event) -> None:
    a, b, _, _ = e.args
    if chosen("ArgsReturnSampled"):
        say("ArgsReturnSampled", a, b, "=", e.value)
    if chosen("ArgsDurationSampled", 20):
        say("ArgsDurationSampled", a, b, "=", e.value, "timed", e.ns > 0)
    for twice in (1, 2):
        if chosen(f"ArgsDuration2Sampled{twice}"):
            say("ArgsDuration2Sampled", twice, a, b, "=", e.value, "timed", e.ns > 0)


# calls of a method in another


@entry(f"{TARGET}::callTarget")
def called(e: Event) -> None:
    of = caller(e)
    if of == "callTopLevelStatic":
        say("StaticMethodCall", of, e.this.cls.rpartition(".")[2], *e.args)
    if of != "callTopLevel":
        return
    words = (of, e.this.cls.rpartition(".")[2], *e.args)
    say("MethodCall", *words)
    if chosen("MethodCallSampled"):
        say("MethodCallSampled", *words)
    if e.time > last_sample[0] + 60e9:  # ns
        last_sample[0] = e.time
        say("MethodCallSampledAdaptive", *words)


last_sample = [-60_000_000_001]


@entry(f"{TARGET}::callTargetStatic")
def called_static(e: Event) -> None:
    names = {"callTopLevel": "MethodCallStatic", "callTopLevelStatic": "StaticMethodCallStatic"}
    if (of := caller(e)) in names:
        say(names[of], of, e.this, *e.args)


@leave(f"{TARGET}::callTarget*")
def call_returned(e: Event) -> None:
    of, (a, b), name = caller(e), e.args, e.method.rpartition("::")[2]
    timed = (a, b, "=", e.value, "timed", e.ns > 0)
    if of == "callTopLevel1" and chosen("MethodCallDurationSampledMulti", 1):
        say("MethodCallDurationSampledMulti", name, *timed)
    if of != "callTopLevel" or name != "callTarget":
        return
    say("MethodCallReturn", a, b, "=", e.value)
    say("MethodCallDuration", *timed)
    say("MethodCallDuration2", 1, *timed)
    say("MethodCallDuration2", 2, *timed)
    if chosen("MethodCallDurationSampled"):
        say("MethodCallDurationSampled", *timed)


# new objects


def allocated(name: str, pattern: str, method: str) -> None:
    @agent.on.object_alloc(pattern, every="1", sync=True)
    def made(e: Event) -> None:
        if any(f".OnMethodTest.{method}(" in frame for frame in e.stack(1)):  # threads of the JVM's own have none
            say(name, e.name, *([len(e.this)] if pattern.endswith("[]") else []))

    kept(made)


allocated("NewAfter", "java.util.*Map", "newObject")
allocated("NewArrayIntAfter", "int[]", "newArray")
allocated("NewArrayStringAfter", "java.lang.String[]", "newArray")


# the JVM, levels, and the end


@agent.every(0.02)
def timer() -> None:
    said["OnTimerTest timer"] = 1


def measuring() -> list[str]:
    """The rules, without those of handlers."""
    return [one["rule"] for one in agent.rules.list() if not one["rule"].startswith("event ")]


@agent.on.start
def start(e: Event) -> None:
    say("OnTimerTest version", bool(agent.versions.jvm) and e.time <= time.monotonic_ns())
    if "levels" in agent.options:
        for rule in measuring():
            agent.rules.pause(rule)


@agent.on.method_entry("BTraceTargets::level", args=True, sync=True, timeout=0)
def level(e: Event) -> None:
    if "levels" in agent.options and e.args[0] >= 1:
        for rule in measuring():
            agent.rules.resume(rule)
        for handler in handlers:
            handler.enable()


@agent.on.end
def end(e: Event) -> None:
    for name in ("Args", "ArgsShared"):
        say(name, last.get("args"))
    say("ExportTest", export())
    for thread, values in by_thread.items():
        say("TLSTest", thread, f"name={values['name']} x={values['x']} times={len(values['times'])}")
    Path(agent.options["to"]).write_text(json.dumps(said, indent=1))

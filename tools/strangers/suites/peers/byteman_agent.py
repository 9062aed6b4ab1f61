"""Handlers that do what Byteman's tests do with code of their own. byteman.toml has what each records.

The option `to=FILE` is written at the end, as JSON: each text that was said, and how often.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from classhook.agent import Agent, Event

agent = Agent()
said: Counter[str] = Counter()
calls: Counter[str] = Counter()  # by object and method
exits: list[str] = []
NAMES = {"TestCallThrowSynchAuxiliary": "TestCall", "TestAllAuxiliary": "TestAll"}


def say(*words: Any) -> None:
    said[" ".join(map(str, words))] += 1


def frames(e: Event, depth: int = 16, whole: bool = False) -> list[str]:
    """The methods on the stack, innermost first; `whole`: with their classes."""
    names = [frame.partition("(")[0] for frame in e.stack(depth)]
    return names if whole else [name.rpartition(".")[2] for name in names]


@agent.on.method_exit("**.Test{CallThrowSynch,All}Auxiliary::{get,set}Counter", args=True, value=True, sync=True)
def called(e: Event) -> None:
    name, method = e.method.rpartition(".")[2].split("::")
    if frames(e, 2)[1] != "testMethod":
        return
    key = f"{hash(e.this)} {method}"
    calls[key] += 1
    say(NAMES[name], calls[key], f"{method}({', '.join(map(str, e.args))}) = {e.value}")


@agent.on.method_exit("**.TestEntryExitAuxiliary+::*", sync=True)
def left(e: Event) -> None:
    name, method = e.method.rpartition(".")[2].split("::")
    if name.endswith("Sub") or method == "testMethod":
        exits.append(method if name.endswith("Sub") else f"{method}-of-super")


def created(e: Event) -> None:
    if any(".TestAtNew.test(" in frame for frame in e.stack(1)):  # threads of the JVM's own have no frames
        say("TestAtNew", e.name.rpartition(".")[2], *([len(e.this)] if e.name.endswith("]") else []))


TYPES = (
    "org.jboss.byteman.tests.auxiliary.{Parent,Child}",
    "org.jboss.byteman.tests.auxiliary.*[]",
    "int[]",
    "int[][]",
)
for pattern in TYPES:
    agent.on.object_alloc(pattern, every="1", sync=True)(created)


# bindings


@agent.on.method_entry("**.I3+::testMethod", sync=True)
def implemented(e: Event) -> None:
    say("TestTriggerClassMethodBinding", e.method.rpartition(".")[2], e.descriptor)


@agent.on.method_entry("**.TestInvokeParamBinding::subMethod", args=True, sync=True)
def invoked(e: Event) -> None:
    if frames(e, 2)[1] == "triggerMethod":
        calls["subMethod"] += 1
        say("TestInvokeParamBinding", f"{calls['subMethod']}:", *e.args)


# callers and stacks

CLASS = "org.jboss.byteman.tests.helpertests.TestCallerMatches"
CALLERS: dict[str, Callable[[Event], bool]] = {
    "triggerMethod1": lambda e: frames(e)[1] == "test",
    "triggerMethod2": lambda e: frames(e, whole=True)[1].endswith("TestCallerMatches.test"),
    "triggerMethod21": lambda e: frames(e, whole=True)[1] == f"{CLASS}.triggerMethod2",
    "triggerMethod211": lambda e: "triggerMethod2" in frames(e)[1:3],
    "triggerMethod212": lambda e: "triggerMethod21" in frames(e)[1:3],
    "triggerMethod3111": lambda e: frames(e)[2] == "triggerMethod31",
}


@agent.on.method_entry("**.TestCallerMatches::triggerMethod*", sync=True)
def matched(e: Event) -> None:
    name = e.method.rpartition("::")[2]
    if name in CALLERS and CALLERS[name](e):
        say("TestCallerMatches", name)


@agent.on.method_entry("**.TestStackTrace::triggerMethod*", sync=True)
def stacks(e: Event) -> None:
    name, methods = e.method.rpartition("::")[2], frames(e)
    first = {"triggerMethod1": 2, "triggerMethod311": 3}
    if name in first:
        say("TestStackTrace", *methods[: first[name]])
    if name in ("triggerMethod211", "triggerMethod212", "triggerMethod3111"):
        family = name[: len("triggerMethod2")]
        say("TestStackTrace", *(one for one in methods if one.startswith(family)))


@agent.on.method_exit("**.TestStackTrace::triggerMethod3111", sync=True)
def between(e: Event) -> None:
    for last in ("triggerMethod31", "triggerMethod3"):
        say("TestStackTrace", *frames(e)[: frames(e).index(last) + 1])


@agent.on.method_exit("**.TestThread::fire", sync=True)
def thread_dump(e: Event) -> None:
    say("TestStackTrace thread", '"TestThread-false"' in agent.dump.threads())


# what rules keep

links: dict[Any, dict[Any, Any]] = defaultdict(dict)


@agent.on.method_entry("**.TestLinkMap::triggerMethod1", sync=True)
def own_map(e: Event) -> None:
    of = links[e.this.keep()]
    absent = of.get(1)
    of[1] = "one"
    before, of[1] = of[1], "uno"
    say("TestLinkMap", absent, before, dict(of), of.pop(1), of)
    del links[e.this]


@agent.on.method_entry("**.TestLinkMap::triggerMethod2", sync=True)
def default_map(e: Event) -> None:
    of = links["default"]
    of["one"] = 1
    of["uno"] = "one"
    say("TestLinkMap", of[of["uno"]])


@agent.on.end
def end(e: Event) -> None:
    say("TestExit", *exits)
    Path(agent.options["to"]).write_text(json.dumps(said, indent=1))

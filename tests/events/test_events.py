"""Each event reaches its handler, with what Java itself says."""

from __future__ import annotations

import pytest

from tests.events.conftest import Scripted, notes, said

pytestmark = pytest.mark.core

PROGRAM = ("Shop", "4")
PRINTED = "hello w\u00f6rld 3 1 5"


def test_classes(scripted: Scripted) -> None:
    result = scripted(
        """
@agent.on.class_load("Shop$Order")
def loaded(e):
    print("class", e.name, e.source, sorted(e.methods), e.fields, e.interfaces, e.loader.cls.rpartition("$")[2], e.thread)
@agent.on.class_load("Shop", sync=False)
def other(e):
    print("other", e.name, e.thread)
""",
        *PROGRAM,
    )
    assert said(result, "class") == [
        "Shop$Order Shop.java ['<init>', 'toString'] ['id', 'state', 'prices', 'next'] ['java.io.Serializable']"
        " AppClassLoader main"
    ]
    assert said(result, "other") == ["Shop main"]
    assert (result.status, PRINTED in result.stdout, result.stderr) == (0, True, "")


def test_arguments_and_objects_at_the_entry(scripted: Scripted) -> None:
    result = scripted(
        """
@agent.on.method_entry("Shop::place", args=True, sync=True)
def placing(e):
    order, *numbers, label = e.args
    print("args", e.method, e.descriptor, numbers, list(label), len(label), e.thread)
    print("order", order.cls, order.field("id"), order.field("state"), list(order.field("prices")), order.field("next"), order)
    print("this", e.this.cls, e.this.field("name"), e.this == e.this, e.this == order, e.this.field("orders"))
    print("stack", e.stack(depth=2))
""",
        *PROGRAM,
    )
    assert said(result, "args")[:2] == [
        "Shop::place (LShop$Order;IJDCZ[B)Z [0, 1099511627776, 0.5, 'x', True] [1, -2] 2 main",
        "Shop::place (LShop$Order;IJDCZ[B)Z [1, 1099511627776, 0.5, 'x', False] [1, -2] 2 main",
    ]
    assert said(result, "order")[1] == "Shop$Order 1 OLD [1.5, 1.0] None Order 1 OLD"
    assert said(result, "this")[1] == "Shop corner True False [Order 0 NEW]"
    assert said(result, "stack")[0] == "['Shop.place(Shop.java:28)', 'Shop.main(Shop.java:47)']"


def test_results_and_exceptions_at_the_exit(scripted: Scripted) -> None:
    result = scripted(
        """
@agent.on.method_exit("Shop::place", sync=True, value=True, args=True)
def placed(e):
    print("exit", e.value, e.exception, e.args[1], e.this.cls, e.ns > 0)
@agent.on.method_exit("Shop::greet", sync=True, value=True)
def greeted(e):
    print("greeted", e.value, e.this)
@agent.on.method_exit("Shop::place")
def queued(e):
    print("queued", e.exception, e.ns > 0, e.thread)
@agent.on.method_exit("Shop$Order::<init>", sync=True)
def made(e):
    print("made", e.this.field("id"))
""",
        *PROGRAM,
    )
    assert said(result, "exit") == [
        "True None 0 Shop True",
        "False None 1 Shop True",
        "False None 2 Shop True",
        "None java.lang.IllegalArgumentException: too many 3 Shop True",
    ]
    assert said(result, "greeted") == ["hello w\u00f6rld None", "hello thread None", "hello lock None"]
    assert said(result, "queued") == ["None True main"] * 3 + ["java.lang.IllegalArgumentException True main"]
    assert said(result, "made") == ["0", "1", "2", "3", "0"]


def test_recursive_calls_and_rules_beside(scripted: Scripted) -> None:
    result = scripted(
        """
n = 0
agent = Agent(rules="count Shop::greet")
@agent.on.method_entry("Shop::depth")
def entered(e):
    global n
    n += 1
@agent.on.end
def end(e):
    print("entered", n)
""",
        *PROGRAM,
        rules=("time Shop::depth",),
    )
    assert said(result, "entered") == ["6"]
    assert result.method("Shop::depth")["calls"] == 6
    assert result.method("Shop::greet")["calls"] == 3


def test_threads_and_collections_and_the_ends(scripted: Scripted) -> None:
    result = scripted(
        """
@agent.on.start
def start(e): print("first")
@agent.on.thread_start
def started(e): print("started", e.name)
@agent.on.thread_end(sync=True)
def ended(e): print("ended", e.name, e.thread)
@agent.on.gc_start
def begin(e): print("begin", e.kind)
@agent.on.gc_finish
def collected(e): print("collected", e.pause_ns > 0, 0 < e.used <= e.total, agent.heap[1] == e.total)
@agent.on.end
def end(e): print("last")
""",
        *PROGRAM,
        options=("-XX:+UseSerialGC",),
    )
    lines = result.stdout.splitlines()
    assert (lines[0], lines[-1]) == ("first", "last")
    assert "helper" in said(result, "started")
    assert "helper helper" in said(result, "ended")
    assert said(result, "collected") == ["True True True"] * len(said(result, "begin"))
    assert said(result, "begin")


def test_locks_and_what_takes_long(scripted: Scripted) -> None:
    result = scripted(
        """
@agent.on.monitor_contended("Shop$Order", over="10ms")
def waited(e): print("waited", e.name, e.ns > 10_000_000, e.thread)
@agent.on.monitor_contended(sync=True, over="20s")
def never(e): print("never")
@agent.on.monitor_contended("Shop*", sync=True)
def at_once(e): print("at_once", e.this, e.stack(1))
@agent.on.method_exit("Shop::main", over="20ms")
def long(e): print("long", e.method)
@agent.on.method_exit("Shop::greet", over="100s")
def longer(e): print("never")
""",
        *PROGRAM,
    )
    assert said(result, "waited") == ["Shop$Order True waiting"]
    assert said(result, "at_once") == ["Order 0 LOCK ['Shop.lambda$main$1(Shop.java:60)']"]
    assert said(result, "long") == ["Shop::main"]
    assert "never" not in result.stdout


def test_timers(scripted: Scripted) -> None:
    result = scripted(
        """
import time
@agent.every(0.01)
def tick(): print("tick")
@agent.on.method_entry("Shop::greet", sync=True)
def wait(e): time.sleep(0.3)
""",
        *PROGRAM,
    )
    assert result.stdout.count("tick\n") >= 5


def test_handlers_can_be_switched(scripted: Scripted) -> None:
    result = scripted(
        """
@agent.on.method_entry("Shop::place", sync=True)
def placing(e):
    print("placing")
    placing.disable()
@agent.on.method_entry("Shop::greet", sync=True)
def greeting(e):
    print("greeting")
""",
        *PROGRAM,
    )
    assert result.stdout.count("placing\n") == 1
    assert result.stdout.count("greeting") == 3
    assert notes(result) == []

"""Handlers that do what they should not: the program never pays for it but by time."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.conftest import ENVIRONMENT, PATIENCE, Compiled, Jvm, classhook_command, execute, on
from tests.events.conftest import HEAD, Scripted, notes, said
from tests.live.conftest import classhook


def test_a_handler_that_raises_is_named_once_and_disabled_after_ten(scripted: Scripted) -> None:
    result = scripted(
        """
calls = 0
@agent.on.method_entry("Abused::work", sync=True)
def broken(e):
    global calls
    calls += 1
    inner(calls)
def inner(n):
    return 1 / 0
@agent.on.method_entry("Abused::work")
def queued(e):
    queue.append(e)
    raise KeyError("there")
queue = []
@agent.on.end
def end(e): print("calls", calls, "queued", len(queue))
""",
        "Abused",
        "calls",
        "50",
    )
    assert (result.status, "calls 50\n" in result.stdout) == (0, True)
    assert sorted(said(result, "calls")) == ["10 queued 10", "50"]
    found = notes(result)
    assert [note for note in found if "`broken`" in note] == [
        (
            "the handler `broken` (handlers.py:5) raised an exception: handlers.py:9 in broken: inner(calls); "
            "handlers.py:11 in inner: return 1 / 0; ZeroDivisionError: division by zero"
        ),
        "the handler `broken` (handlers.py:5) failed 10 times, and was not called any more",
    ]
    assert any(
        "`queued` (handlers.py:12) raised an exception" in note and "KeyError: 'there'" in note for note in found
    )
    assert result.stderr.count("ZeroDivisionError") == 1


def test_a_handler_that_loops_is_stopped(scripted: Scripted) -> None:
    result = scripted(
        """
@agent.on.method_entry("Abused::work", sync=True, timeout=0.2)
def endless(e):
    while True:
        try:
            while True: pass
        except Exception:
            pass
@agent.on.method_entry("Abused::work", timeout=0.2)
def queued(e):
    while True: pass
""",
        "Abused",
        "calls",
        "2",
    )
    assert (result.status, result.stdout) == (0, "calls 2\n")
    assert [
        ("`endless`" in note or "`queued`" in note) and "HandlerTimeout: it took too long" in note
        for note in notes(result)
    ].count(True) == 2


def test_many_threads_load_classes_and_call(scripted: Scripted) -> None:
    result = scripted(
        """
entered = left = loaded = 0
names = set()
@agent.on.method_entry("Abused::work", args=True, sync=True)
def entry(e):
    global entered
    entered += e.args[0]
@agent.on.method_exit("Abused::work")
def exit(e):
    global left
    left += 1
    names.add(e.thread)
@agent.on.class_load("Abused$Many*")
def load(e):
    global loaded
    loaded += len(e.methods)
@agent.on.end
def end(e): print("counted", entered, left + exit.lost, loaded, len(names) > 1)
""",
        "Abused",
        "threads",
        "32",
    )
    assert (result.status, result.stderr) == (0, "")
    assert said(result, "threads") == ["32000"]
    assert said(result, "counted") == ["32000 32000 10 True"]


def test_many_threads_load_classes_that_are_transformed(scripted: Scripted) -> None:
    """Half of them so that the JVM refuses it."""
    result = scripted(
        """
agent = Agent(rules="count Abused$Many*::<init>")
@agent.on.class_load("Abused$Many*")
def load(e): print("source", e.name, e.source)
@agent.transform("Abused$Many*")
def changed(cls):
    data = cls.data.replace(b"Abused.java", b"changed.jav")
    constructor = cls.reader().methods[0]
    at = data.index(0xb1, constructor.code_at + 14, constructor.code_end)  # return
    return data if int(cls.name[-1]) % 2 else data[:at] + b"\\xac" + data[at + 1 :]
@agent.on.method_entry("Abused::work", args=True, sync=True)
def entry(e): e.args
""",
        "Abused",
        "threads",
        "32",
    )
    assert (result.status, said(result, "threads")) == (0, ["32000"])
    expected = [f"Abused$Many{i} {'changed.jav' if i % 2 else 'Abused.java'}" for i in range(10)]
    assert sorted(said(result, "source")) == expected
    assert sorted(note.split()[4] for note in notes(result)) == [f"Abused$Many{i}" for i in range(0, 10, 2)]


def test_the_stack_overflows_in_a_watched_method(scripted: Scripted) -> None:
    result = scripted(
        """
deep = 0
@agent.on.method_entry("Abused::deeper", sync=True, args=True)
def deeper(e):
    global deep
    deep = max(deep, e.args[0] or 0)  # None: no stack was left for its box
@agent.on.method_exit("Abused::deeper", sync=True)
def left(e): pass
@agent.on.end
def end(e): print("deep", deep > 500)
""",
        "Abused",
        "overflow",
        "3",
        options=("-Xss512k",),
    )
    assert (result.status, result.stdout) == (0, "overflow 3\ndeep True\n")
    assert notes(result) == []


def test_objects_that_outlive_their_handlers_and_methods_that_throw(scripted: Scripted) -> None:
    result = scripted(
        """
kept, gone, errors, texts = [], [], 0, set()
@agent.on.method_entry("Abused::take", sync=True, args=True)
def taking(e):
    global errors
    o = e.args[0]
    gone.append((e, o))
    kept.append(o.keep())
    try:
        texts.add(str(o))
    except RuntimeError as error:
        errors += 1
        texts.add(str(error))
@agent.on.method_entry("Abused::work", sync=True)
def never(e): print("never")
@agent.on.end
def end(e):
    print("kept", {o.cls for o in kept}, errors, sorted(texts), len(set(kept)))
    for use in (lambda: gone[0][0].args, lambda: str(gone[0][1]), lambda: gone[0][1].field("x"), lambda: kept[0].field("x"), lambda: len(kept[0])):
        try:
            print("wrong", use())
        except (RuntimeError, AttributeError, TypeError) as error:
            print("said", type(error).__name__, error)
""",
        "Abused",
        "objects",
        "30",
    )
    assert (result.status, result.stderr) == (0, "")
    assert said(result, "objects") == ["60"]
    assert said(result, "kept") == [
        "{'Abused$Spoken'} 10 ['spoken 200', 'toString threw java.lang.IllegalStateException'] 30",
    ]
    assert said(result, "wrong") == said(result, "never") == []
    assert [line.partition(" ")[0] for line in said(result, "said")] == ["RuntimeError"] * 3 + [
        "AttributeError",
        "TypeError",
    ]


FOREIGN = """
import asyncio, threading, time
refused, wrong, events, kept, waiting = 0, [], [], [], []
OF = {
    "method_entry": ["this", "args"], "method_exit": ["this", "args", "value"], "object_alloc": ["this"],
    "class_load": ["source", "methods", "fields", "interfaces", "loader"],
}
def of_event(e):
    return [lambda: e.stack(3)] + [lambda name=name: getattr(e, name) for name in OF[e.kind]]
def of_object(o):
    return [
        lambda: str(o), lambda: repr(o), lambda: hash(o), lambda: len(o), lambda: o[0], lambda: list(o), lambda: o == o,
        lambda: o != o, lambda: o.cls, lambda: o.bytes, lambda: o.field("calls"), o.fields,
        lambda: o.tag("x"), lambda: o.tag(None), lambda: o.tagged, o.keep, lambda: agent.dump.object(o),
    ]
OF_JVM = [
    lambda: agent.heap, agent.gc, agent.threads, agent.dump.threads, agent.dump.monitors, lambda: agent.dump.heap("none.hprof"),
    lambda: agent.rules.add("count A::b"), lambda: agent.on.method_entry("Abused::work")(print),
]
def tried(where, uses):
    global refused
    for i, use in enumerate(uses):
        try: wrong.append((where, i, type(use()).__name__))
        except RuntimeError: refused += 1
        except BaseException as error: wrong.append((where, i, repr(error)))
def apart(where, uses):
    thread = threading.Thread(target=tried, args=(where, uses))
    thread.start()
    thread.join()
def resumed(o):
    yield
    yield str(o)
def note(e, *objects):
    for old, o in events:
        if old is not e: tried("a later event", of_event(old) + of_object(o))
    apart(e.kind, [*of_event(e), lambda: e.thread, *OF_JVM])
    for o in objects:
        apart("object of " + e.kind, of_object(o))
        kept.append(o.keep())
        apart("kept", of_object(kept[-1]))
        asyncio.run(asyncio.to_thread(tried, "asyncio", of_object(o)))
        next(generator := resumed(o))
        apart("generator", [lambda: next(generator)])
        events.append((e, o))
@agent.on.class_load("Abused$Many0")
def loaded(e): note(e, e.loader)
@agent.transform("Abused$Many0")
def changed(cls): apart("transformer", OF_JVM)
@agent.on.method_exit("Abused::failing", args=True, sync=True)
def failed(e):
    apart("exception", [lambda: e.exception])
    note(e, e.args[0], e.exception)
@agent.on.object_alloc("byte[]", every="64k", sync=True)
def allocated(e): note(e, e.this)
@agent.on.method_entry("Abused::take", args=True, sync=True)
def taking(e):
    note(e, e.args[0])
    if "Spoken" not in e.args[0].cls: return
    waiting.append((e, e.args[0]))
    if len(waiting) == 2: tried("another JVM thread's event", [lambda: waiting[0][0].thread, *of_event(waiting[0][0]), *of_object(waiting[0][1])])
    elif len(waiting) == 1:
        deadline = time.monotonic() + 60
        while len(waiting) < 3 and time.monotonic() < deadline: time.sleep(0.001)
    waiting.append("seen")
@agent.every(0.01)
def tick():
    for e, o in [*events]: tried("a timer", of_event(e) + of_object(o))
@agent.on.end
def end(e):
    for e, o in events: tried("the end", of_event(e) + of_object(o))
    apart("the end", [use for o in kept for use in of_object(o)])
    texts = sorted({str(o.cls) for o in kept})
    apart("the last handle", [kept.clear])  # deletes what it referred to, later
    print("elsewhere", len(waiting), refused > 500, wrong[:-1], wrong[-1], texts)
"""


def test_objects_on_threads_that_they_do_not_belong_to(scripted: Scripted) -> None:
    """Each use raises RuntimeError: on threads of Python's, on other threads of the JVM, after the event, in timers."""
    result = scripted(FOREIGN, "Abused", "foreign")
    assert (result.status, result.stderr, notes(result)) == (0, "", [])
    texts = [
        "Abused$Spoken",
        "[B",
        "[I",
        "java.lang.IllegalStateException",
        "jdk.internal.loader.ClassLoaders$AppClassLoader",
    ]
    assert said(result, "elsewhere") == [f"4 True [] ('the last handle', 0, 'NoneType') {texts}"]


def test_a_program_that_calls_the_tracker_itself(jvm: Jvm, compiled: Compiled, tmp_path: Path) -> None:
    """With any arguments; handlers look at all of them."""
    script = """
def look(e):
    for o in [e.this, *e.args]: repr(o), o is None or hash(o)
    return e.stack(3), e.thread, e.method, e.ns, e.exception
@agent.on.method_entry("Arguments::called", args=True, sync=True)
def entry(e): look(e)
@agent.on.method_exit("Arguments::called", args=True, value=True, sync=True)
def exit(e): look(e), repr(e.value)
@agent.on.method_exit("Arguments::called")
def queued(e): e.exception, e.ns
"""
    (tmp_path / "handlers.py").write_text(HEAD + script)
    line = [
        *classhook_command(),
        "run",
        "--quiet",
        "--agent",
        tmp_path / "handlers.py",
        "-o",
        tmp_path / "data",
        "--",
        jvm.java,
    ]
    result = execute([*line, "-cp", compiled("hostile"), "Arguments", "10"])
    assert (result.status, result.stdout) == (0, "true\n"), result.stderr
    assert "e.args is there if the handler asks for it" in result.stderr  # the program passed null


@pytest.mark.parametrize("collector", ["Serial", "Parallel", "G1", "Z", "Shenandoah"])
def test_collections_while_handlers_run(scripted: Scripted, collector: str) -> None:
    result = scripted(
        """
n = 0
@agent.on.method_entry("Abused::work", sync=True, args=True)
def work(e): [object() for _ in range(100)]
@agent.on.method_entry("Abused::take", sync=True, args=True)
def take(e): len(e.args[0]), e.args[0][5]
@agent.on.gc_finish
def collected(e):
    global n
    n += e.used > 0
alive = set()
@agent.on.object_alloc("byte[]", every="16k", sync=True)
def allocated(e): alive.add(e.this.tag("x"))
@agent.on.object_free(tagged="x")
def freed(e): alive.remove(e.tag)
@agent.on.class_unload
def unloaded(e): e.name
@agent.on.end
def end(e): print("collected", n > 0, len(alive) < 400 + freed.lost)
""",
        "Abused",
        "garbage",
        "400",
        options=(f"-XX:+Use{collector}GC", "-Xmx64m"),
    )
    if "not supported" in result.stderr or "Unrecognized" in result.stderr:
        pytest.skip(f"this JVM has no {collector}")
    assert (result.status, said(result, "garbage"), said(result, "collected")) == (
        0,
        ["800"],
        ["True True"],
    ), result.stderr
    assert notes(result) == []


def test_a_handler_forks_and_takes_memory(scripted: Scripted) -> None:
    result = scripted(
        """
import os, subprocess
agent = Agent()
@agent.on.method_entry("Abused::work", sync=True, timeout=100)
def work(e):
    child = os.fork()
    if not child: os._exit(3)
    said = subprocess.run(["echo", "there"], capture_output=True, text=True).stdout.strip()
    print("child", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said)
    try:
        print("took", len(bytearray(1 << 30)))
    except MemoryError:
        print("took", 1 << 30)
""",
        "Abused",
        "calls",
        "3",
    )
    assert (result.status, said(result, "calls"), notes(result)) == (0, ["3"], [])
    assert said(result, "child") == ["3 there"] * 3
    assert said(result, "took") == [str(1 << 30)] * 3


@on(25)
def test_virtual_threads(scripted: Scripted) -> None:
    result = scripted(
        """
entered, times = 0, []
@agent.on.method_entry("Abused::work", sync=True, args=True)
def work(e):
    global entered
    entered += e.args[0]
@agent.on.method_exit("Abused::slow", sync=True, value=True)
def slow(e): times.append((e.ns, e.value))
@agent.on.method_exit("Abused::slow")
def queued(e): times.append((e.ns, 2))
@agent.on.end
def end(e): print("all", entered, len(times), all(20_000_000 <= ns < 60_000_000_000 and value == 2 for ns, value in times))
""",
        "Abused",
        "virtual",
        "500",
    )
    assert (result.status, said(result, "virtual"), said(result, "all")) == (0, ["500"], ["500 1000 True"])


def test_detached_while_handlers_run(jvm: Jvm, classes: Path, tmp_path: Path) -> None:
    (tmp_path / "handlers.py").write_text(f"""{HEAD}
@agent.on.method_entry("Abused::*", sync=True, args=True)
def entry(e): str(e.args), e.stack(2)
@agent.on.method_exit("Abused::*", over="1us")
def exit(e): e.method
@agent.every(0.01)
def tick(): agent.heap, agent.threads()
@agent.on.object_alloc(every="4k", sync=True)
def allocated(e): e.this.tag("x"), e.stack(2), repr(e.this)
@agent.on.object_free(tagged="x")
def freed(e): e.tag
@agent.transform("Abused")
def changed(cls): return cls.data.replace(b"Abused.java", b"abused.java")
""")
    line = [jvm.java, "-cp", classes, "Abused", "load", "4"]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        pid = str(process.pid)
        attached = classhook("attach", pid, "--agent", tmp_path / "handlers.py", "-o", tmp_path / "data")
        detached = classhook("detach", pid)
        again = classhook("attach", pid, "-e", "count Abused::work", "-o", tmp_path / "data")
        out, _ = process.communicate("\n", timeout=PATIENCE)
        assert [attached.status, detached.status, again.status] == [0, 0, 0], (
            attached.stderr + detached.stderr + again.stderr
        )
    assert (process.returncode, out) == (0, "still working\n")


WRONG = {
    "def f(:\n": ["handlers.py:3:7: invalid syntax", "    def f(:\n          ^"],
    "x = 1\n  y = 2\n": ["handlers.py:4:", "unexpected indent", "    y = 2"],
    "import nothing_like_it\n": ["handlers.py:3: ModuleNotFoundError: No module named 'nothing_like_it'"],
    "@agent.on.method_enter('A::b')\ndef f(e): pass\n": [
        "handlers.py:3: AttributeError: no event `method_enter`; did you mean `method_entry`?"
    ],
    "@agent.on.method_entry\ndef f(e): pass\n": ["handlers.py:3: ValueError: method_entry needs a pattern of methods"],
    "@agent.on.method_entry('A:b')\ndef f(e): pass\n": ["handlers.py:3: ", "^"],
    "@agent.on.gc_finish(sync=True)\ndef f(e): pass\n": ["handlers.py:3: ValueError: gc_finish cannot have sync=True"],
    "@agent.on.method_entry('A::b', args=True)\ndef f(e): pass\n": ["args=True needs sync=True"],
    "@agent.on.method_entry('A::b', value=True)\ndef f(e): pass\n": [
        "TypeError: method_entry has no `value`; it has args"
    ],
    "import sys; sys.exit(3)\n": ["handlers.py:3: SystemExit: 3"],
    "agent.on.start(1 / 0)\n": ["handlers.py:3: ZeroDivisionError: division by zero"],
}


@pytest.mark.parametrize("script", WRONG, ids=range(len(WRONG)))
@on(17)
def test_a_script_with_a_mistake(scripted: Scripted, script: str) -> None:
    """The mistake is reported with file and line; the program runs without instrumentation."""
    result = scripted(script, "Abused", "calls", "5", rules=("count Abused::*",), head=HEAD)
    assert (result.status, result.stdout) == (0, "calls 5\n")
    assert "Traceback" not in result.stderr
    for expected in [*WRONG[script], "this JVM is not instrumented"]:
        assert expected in result.stderr
    assert result.report == {}

"""METHOD_ENTRY, METHOD_ENTRY2 and METHOD_EXIT of native methods, against what Natives.java calls."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ENVIRONMENT, PATIENCE, Jvm
from tests.events.conftest import said
from tests.extensions.jvmpi.conftest import HEAD, Library, Profiled
from tests.live.conftest import classhook

#: Calls in one turn of Natives.calls().
CALLS = {
    **dict.fromkeys(
        ("nothing", "small", "letter", "brief", "number", "wide", "real", "precise", "many", "floats", "fails", "same"),
        1,
    ),
    **dict.fromkeys(("flag", "text"), 2),
    "deep": 5,
}

COUNTS = """
from collections import Counter
entries, entries2, exits, objects, tops = Counter(), Counter(), Counter(), set(), Counter()
names = {}
def name(method):
    if method not in names: names[method] = p.GetMethodName(method).method_name
    return names[method]
def entry(event):
    entries[name(event.u.method.method_id)] += 1
    trace = p.CallTrace(event.env_id)
    p.GetCallTrace(trace, 2)
    tops[trace.frames[0].method_id == event.u.method.method_id, trace.frames[0].lineno] += 1
def entry2(event):
    entries2[name(event.u.method_entry2.method_id)] += 1
    objects.add((name(event.u.method_entry2.method_id), event.u.method_entry2.obj_id > 0))
def exit(event): exits[name(event.u.method.method_id)] += 1
told.update(METHOD_ENTRY=entry, METHOD_ENTRY2=entry2, METHOD_EXIT=exit)
"""


@pytest.fixture
def native_access(jvm: Jvm) -> tuple[str, ...]:
    return ("--enable-native-access=ALL-UNNAMED",) if jvm.version > 17 else ()


@pytest.fixture(params=[17, 21, 25], ids=lambda version: f"jdk{version}")
def jvm(request: pytest.FixtureRequest, find_jvm: Callable[[int], Jvm]) -> Jvm:
    return find_jvm(request.param)


@pytest.mark.parametrize("mode", ["-Xint", "-Xcomp", "-Xcheck:jni"])
def test_each_call_has_an_entry_and_an_exit(
    profiled: Profiled, library: Library, native_access: tuple[str, ...], mode: str
) -> None:
    """Three threads make calls with all types of arguments and results, with many arguments, with an exception, and
    with Java between two of them."""
    result = profiled(
        COUNTS
        + """
for number in (p.EVENT_METHOD_ENTRY, p.EVENT_METHOD_ENTRY2, p.EVENT_METHOD_EXIT): p.EnableEvent(number, "native Natives::*", natives=True)
@on("JVM_SHUT_DOWN")
def end(event):
    print("told", sorted(entries.items()))
    print("alike", entries == entries2 == exits, dict(tops), [name for name, there in objects if there])
""",
        "Natives",
        library("natives"),
        "20",
        "3",
        options=(
            *native_access,
            mode,
            *(["-XX:CompileCommand=quiet", "-XX:CompileCommand=compileonly,Natives::*"] if mode == "-Xcomp" else []),
        ),
    )
    assert [line for line in result.stdout.splitlines() if line.startswith("java")] == ["java done"]
    assert said(result, "told") == [str(sorted((name, n * 60) for name, n in CALLS.items()))]
    total = sum(CALLS.values()) * 60
    assert said(result, "alike") == [f"True {{(True, -3): {total}}} ['same']"]


def test_natives_and_other_methods_in_their_order(
    profiled: Profiled, library: Library, native_access: tuple[str, ...]
) -> None:
    """Entries and exits of both, nested; a handler that calls natives is told of none."""
    result = profiled(
        """
depth, lines = 0, []
def entry(event):
    global depth
    lines.append("  " * depth + p.GetMethodName(event.u.method.method_id).method_name)
    depth += 1
def exit(event):
    global depth
    depth -= 1
    lines.append("  " * depth + "/" + p.GetMethodName(event.u.method.method_id).method_name)
told.update(METHOD_ENTRY=entry, METHOD_EXIT=exit)
answers = [p.EnableEvent(number, "Natives::{back, deep, fails}(..)", natives=True) for number in (p.EVENT_METHOD_ENTRY, p.EVENT_METHOD_EXIT)]
@on("JVM_SHUT_DOWN")
def end(event): print("told", answers, "|".join(lines))
""",
        "Natives",
        library("natives"),
        "1",
        "1",
        options=native_access,
    )
    lines = []

    def call(depth: int, indent: int) -> None:
        lines.append("  " * indent + "back")
        if depth:
            lines.append("  " * (indent + 1) + "deep")
            call(depth - 1, indent + 2)
            lines.append("  " * (indent + 1) + "/deep")
        lines.append("  " * indent + "/back")

    call(5, 0)
    assert said(result, "told") == ["[0, 0] " + "|".join(["fails", "/fails", *lines])]


def test_natives_of_the_jdk(profiled: Profiled) -> None:
    """A native method named by a pattern is told of as often as the program calls it; without a pattern, which means
    all methods of the program, it is not."""
    result = profiled(
        COUNTS
        + """
print("answers", p.EnableEvent(p.EVENT_METHOD_ENTRY, "java.lang.Runtime::availableProcessors()", natives=True),
    p.EnableEvent(p.EVENT_METHOD_EXIT, "java.**::availableProcessors(..)", natives=True),
    p.EnableEvent(p.EVENT_METHOD_ENTRY2, None, natives=True), p.EnableEvent(p.EVENT_THREAD_END, natives=True))
@on("JVM_SHUT_DOWN")
def end(event): print("told", dict(entries), exits == entries, "availableProcessors" in entries2)
""",
        "Work",
        "processors",
    )
    assert said(result, "answers") == ["0 0 0 1"]
    assert said(result, "told") == ["{'availableProcessors': 1000} True False"]


def test_natives_after_attaching(
    jvm: Jvm, classes: Path, library: Library, native_access: tuple[str, ...], tmp_path: Path
) -> None:
    """Native methods that are called for the first time then are told of; one that has been bound is not."""
    script = """
E = p.EVENT_METHOD_ENTRY
for number in (E, p.EVENT_METHOD_EXIT): p.EnableEvent(number, "native Natives::*", natives=True)
@on("JVM_SHUT_DOWN")
def end(event): print("told", sorted(entries.items()) == sorted(exits.items()), dict(sorted(entries.items())), flush=True)
"""
    (tmp_path / "agent.py").write_text(HEAD + COUNTS + script)
    own = ("-XX:+EnableDynamicAgentLoading", "-Xcheck:jni", *native_access)
    line = [jvm.java, *own, "-cp", classes, "Natives", library("natives"), "2", "2", "wait"]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        done = classhook(
            "attach", str(process.pid), "--agent", str(tmp_path / "agent.py"), "-o", str(tmp_path / "data")
        )
        assert done.status == 0, done.stderr
        rest, _ = process.communicate("\n", timeout=PATIENCE)
    expected = {name: n * 4 for name, n in sorted(CALLS.items()) if name != "nothing"}
    assert rest.splitlines() == ["java done", f"told True {expected}"]


def test_natives_are_disabled_and_enabled(profiled: Profiled, library: Library, native_access: tuple[str, ...]) -> None:
    """By pattern; without `natives` they are told of no more."""
    result = profiled(
        COUNTS
        + """
E = p.EVENT_METHOD_ENTRY
turn = 0
def entry(event):
    global turn
    method = name(event.u.method.method_id)
    entries[turn, method] += 1
    if method != "calls": return
    turn += 1
    if turn == 2: p.DisableEvent(E, "Natives::number(..)")
    if turn == 3: p.EnableEvent(E, "Natives::number(..)", natives=True)
    if turn == 4: p.EnableEvent(E, "Natives::number(..)")
    if turn == 5: p.DisableEvent(E)
    if turn == 5: p.EnableEvent(p.EVENT_METHOD_EXIT, "Natives::calls(..)")
def exit(event): p.EnableEvent(E, "Natives::wide(..)", natives=True)
told.update(METHOD_ENTRY=entry, METHOD_EXIT=exit)
for pattern in ("number(..)", "wide(..)"): p.EnableEvent(E, "Natives::" + pattern, natives=True)
p.EnableEvent(E, "Natives::calls()")
@on("JVM_SHUT_DOWN")
def end(event): print("told", *sorted(f"{turn}{name}" for turn, name in entries if name != "calls"))
""",
        "Natives",
        library("natives"),
        "7",
        "1",
        options=native_access,
    )
    # "2": in the second turn of `calls`, whose entry was the second one
    assert said(result, "told") == ["1number 1wide 2wide 3number 3wide 4wide 5wide"]

"""The JVM's samples of allocations, which it gives to one agent only, for rules, handlers and JVMPI at once
(tests/jvm/java/objects/Keeps.java)."""

from __future__ import annotations

import subprocess
from math import exp, sqrt
from pathlib import Path

import pytest

from tests.conftest import ENVIRONMENT, ERRORS, Compiled, FindJvm, classhook_command, execute, report_of
from tests.events.conftest import HEAD, Scripted, notes, said
from tests.live.conftest import made_library

BUFFERS, LIVE, BYTES = (
    20_000,
    10_000,
    4016,
)  # boolean[4000] of `Keeps places`: how many, how many of them live on, and how large one is

HANDLERS = """
n = 0
@agent.on.object_alloc("boolean[]", every="EVERY", sync=True)
def made(e):
    global n
    n += e.bytes == 4016
@agent.on.end
def end(e): print("handlers", n)
"""
JVMPI = """
from classhook import jvmpi as p
m = 0
def notify(event):
    global m
    if event.event_type == p.EVENT_OBJECT_ALLOC: m += event.u.obj_alloc.size == 4016
    elif event.event_type == p.EVENT_JVM_SHUT_DOWN: print("jvmpi", m)
p.NotifyEvent = notify
p.EnableEvent(p.EVENT_JVM_SHUT_DOWN, None)
print("answer", p.EnableEvent(p.EVENT_OBJECT_ALLOC, EVERY) == p.SUCCESS, flush=True)
"""


@pytest.fixture(scope="module")
def classes(compiled: Compiled) -> Path:
    return compiled("objects")


def near(told: str, objects: int, every: int) -> bool:
    """Returns whether the number that was told is likely for so many buffers, with a sample each `every` bytes. (After
    a change of the interval a sample may come too early or late.)"""
    p = 1 - exp(-BYTES / every)
    return abs(int(told) - objects * p) <= ERRORS * sqrt(objects * p * (1 - p)) + 2


@pytest.mark.parametrize(
    ("rules", "handlers", "jvmpi"),
    [(0, 64, 16), (64, 4, 32), (32, 64, 16)],
    ids=["rules-finest", "handlers-finest", "jvmpi-finest"],
)
def test_each_has_as_many_as_if_it_were_alone(scripted: Scripted, rules: int, handlers: int, jvmpi: int) -> None:
    script = HANDLERS.replace("EVERY", f"{handlers}k") + JVMPI.replace("EVERY", str(jvmpi << 10))
    rule = f"alloc boolean[] in Keeps live stack 2 every {rules << 10}"
    result = scripted(script, "Keeps", "places", options=("-Xint",), rules=(rule,))
    assert result.status == 0, result.stderr
    assert notes(result) == []
    assert near(said(result, "handlers")[0], BUFFERS, handlers << 10)
    assert said(result, "answer") == ["True"]
    assert near(said(result, "jvmpi")[0], BUFFERS, jvmpi << 10)
    assert result.report["processes"][0]["objects"]["every"] == rules << 10
    (row,) = result.report["objects"]
    assert (row["count"], row["bytes"]) == (BUFFERS, BUFFERS * BYTES)
    assert abs(row["live_count"] - LIVE) <= ERRORS * row["live_count_error"]
    assert (row["live_count_error"] > 0) == (rules > 0)
    if rules:
        assert near(str(row["sampled"]), BUFFERS, rules << 10)


def test_handlers_go_on_when_rules_ask_no_more(find_jvm: FindJvm, classes: Path, tmp_path: Path) -> None:
    jvm, script, data = find_jvm(17), tmp_path / "handlers.py", tmp_path / "data"
    script.write_text(HEAD + HANDLERS.replace("EVERY", "64k"))
    own = ["--quiet", "--agent", script, "-e", "alloc * in Keeps live every 0", "-e", "count Keeps::run", "-o", data]
    line = [*classhook_command(), "run", *own, "--", jvm.java, "-cp", classes, "Keeps", "places", "wait", "places"]
    with subprocess.Popen(line, env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        done = execute(
            [*classhook_command(), "ctl", str(report_of(data)["processes"][0]["pid"]), "rules", "remove", "1"]
        )
        out, _ = process.communicate("\n")
    assert done.status == 0, done.stderr
    (told,) = [text for text in out.splitlines() if text.startswith("handlers ")]
    assert near(told.split()[1], 2 * BUFFERS, 64 << 10)


@pytest.mark.parametrize(
    ("script", "answer"),
    [(HANDLERS.replace("EVERY", "64k"), "handlers 0"), (JVMPI.replace("EVERY", "0"), "answer False")],
)
def test_scripts_are_told_that_another_agent_has_the_samples(
    find_jvm: FindJvm, classes: Path, tmp_path: Path, script: str, answer: str
) -> None:
    jvm, file = find_jvm(17), tmp_path / "handlers.py"
    file.write_text(HEAD + script)
    first = {"JAVA_TOOL_OPTIONS": f"-agentpath:{made_library(tmp_path, 'sampled_objects.c')}"}
    line = [
        *classhook_command(),
        "run",
        "--agent",
        file,
        "-o",
        tmp_path / "data",
        "--",
        jvm.java,
        "-cp",
        classes,
        "Keeps",
        "some",
    ]
    result = execute(line, env=first)
    assert result.status == 0, result.stderr
    assert answer in result.stdout.splitlines()
    said_why = (
        "this JVM samples no allocations, or another agent has these samples: object_alloc handlers will not be called"
        in result.stderr
    )
    assert said_why == ("handlers" in answer)

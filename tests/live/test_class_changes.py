"""The cost of attaching to a program of many classes, and how it is limited and undone."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from classhook.api.sessions import begin
from classhook.live.class_changes import Cancelled, Manner
from classhook.live.jvms import named
from classhook.live.rule_changes import add, change
from classhook.rules.parse import load
from tests.conftest import ENVIRONMENT, OLDEST_AND_NEWEST, PATIENCE, Jvm, classhook_command, on, until
from tests.live.conftest import Running, Serve

MEMBERS = "count Crowd$Member*::*"
#: Crowd is looked at, too: it names what it calls.
ONE = "1 class {}, in (a stop|2 stops) of "


@pytest.fixture
def crowd(jvm: Jvm, serve: Serve) -> Running:
    return serve(jvm, main="Crowd")


def follows(crowd: Running) -> bool:
    """Returns whether the program's classes are being changed."""
    with suppress(OSError):
        for file in Path(f"/proc/{crowd.pid}/fd").iterdir():
            with suppress(OSError):  # closed meanwhile
                if "-progress" in os.readlink(file):
                    return True
    return False


@pytest.mark.parametrize(
    "rule",
    [
        "count **::@Deprecated *",
        "count **::@java.lang.Deprecated *",
        "count **::marked",
        "count calls java.lang.StringBuilder::length",
        "alloc java.lang.StringBuilder",
    ],
)
@OLDEST_AND_NEWEST
def test_only_classes_that_can_match_are_changed(crowd: Running, rule: str) -> None:
    """Four thousand classes would be changed in some ten stops."""
    done = crowd.attach("count Crowd$Member00001::*")
    assert re.search(ONE.format("instrumented"), done.stderr)
    for words in (("add", rule), ("remove", rule)):
        done = crowd.ctl("rules", *words)
        assert re.match("classhook: " + ONE.format("changed"), done.stderr), done.stderr
    crowd.detach()
    done = crowd.attach(rule)
    assert re.search(ONE.format("instrumented"), done.stderr), done.stderr


@on(17)
def test_the_program_stops_for_no_longer_than_is_allowed(crowd: Running) -> None:
    before = crowd.bytecodes()
    done = crowd.attach(MEMBERS, more=("--at-most", "1ms"))
    assert done.status == 1
    assert "this JVM stops for longer than 1.00 ms for a single class" in done.stderr
    assert "the classes are as they were before" in done.stderr
    assert crowd.changed(before) == set()
    done = crowd.attach("count Crowd$Member00001::*", more=("--at-most", "10s"))
    assert done.status == 0
    done = crowd.ctl("rules", "add", MEMBERS, "--at-most", "1ms")
    assert done.status == 1
    assert "the classes are as they were before" in done.stderr
    assert crowd.changed(before) == {"LCrowd$Member00001;"}
    assert len(crowd.ctl("rules").stdout.splitlines()) == 1
    assert [row["rule"] for row in crowd.report()["rules"]] == ["count Crowd$Member00001::*"]


@on(25)
def test_ctrl_c_undoes_what_was_done(crowd: Running) -> None:
    before = crowd.bytecodes()
    line = [*classhook_command(), "attach", crowd.pid, "-e", MEMBERS, "-o", crowd.data, "--no-cache"]
    seen: list[tuple[int, int]] = []

    def goes_on(done: int, due: int) -> bool:
        seen.append((done, due))
        return done < 2

    with pytest.raises(Cancelled, match="the classes are as they were before"):
        begin(named(crowd.pid), load([], [MEMBERS]), crowd.data, manner=Manner(goes_on=goes_on))
    assert max(due for _, due in seen) >= 4000
    assert crowd.changed(before) == set()
    assert not list(crowd.data.glob("*.classhook"))

    for _ in range(3):
        with subprocess.Popen(line, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT) as command:
            until(lambda: follows(crowd) or command.poll() is not None)
            command.send_signal(signal.SIGINT)
            _, said = command.communicate(timeout=PATIENCE)
        assert command.returncode == 130, said
        assert crowd.changed(before) == set()
        files = list(crowd.data.glob("*.classhook"))
        if "cancelled" in said:
            break
        for file in files:  # all was done before this process, which has to wait for its turn, sent the signal
            file.unlink()
    assert "cancelled" in said
    assert not files
    assert crowd.attach("count Server::step", more=("--no-cache",)).status == 0
    crowd.requests("counted", 10)
    assert crowd.calls()["step"] == 100


@on(17)
@pytest.mark.parametrize("words", [("attach", "-o"), ("rules", "add")])
def test_a_second_ctrl_c_does_not_wait_for_what_is_undone(crowd: Running, words: tuple[str, str]) -> None:
    before = crowd.bytecodes()
    if words[0] == "attach":
        line = ["attach", crowd.pid, "-e", MEMBERS, "-o", str(crowd.data), "--no-cache"]
        left: set[str] = set()
    else:
        crowd.attach("count Crowd$Member00001::*")
        line, left = ["ctl", crowd.pid, *words, MEMBERS], {"LCrowd$Member00001;"}
    with subprocess.Popen([*classhook_command(), *line], stderr=subprocess.PIPE, text=True, env=ENVIRONMENT) as command:
        until(lambda: follows(crowd) or command.poll() is not None)
        command.send_signal(signal.SIGINT)
        time.sleep(0.05)  # two signals at once are one
        command.send_signal(signal.SIGINT)
        _, said = command.communicate(timeout=PATIENCE)
    assert command.returncode == 130, said
    until(lambda: not follows(crowd))
    until(lambda: crowd.changed(before) == left)
    if left:
        assert len(crowd.ctl("rules").stdout.splitlines()) == 1
    else:
        assert not list(crowd.data.glob("*.classhook"))


@on(17)
def test_ctrl_c_does_not_cut_a_detachment_short(crowd: Running) -> None:
    before = crowd.bytecodes()
    crowd.attach(MEMBERS)
    with subprocess.Popen(
        [*classhook_command(), "detach", crowd.pid], stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as command:
        until(lambda: follows(crowd) or command.poll() is not None)
        command.send_signal(signal.SIGINT)
        command.communicate(timeout=PATIENCE)
    assert command.returncode == 130
    until(lambda: not follows(crowd))
    assert crowd.changed(before) == set()


@on(25)
def test_a_change_that_is_done_when_it_is_cancelled_is_undone(crowd: Running) -> None:
    crowd.attach("count Crowd$Member00001::*")
    before = crowd.bytecodes()
    (data,) = crowd.data.glob("*.classhook")
    with pytest.raises(Cancelled):
        change(named(crowd.pid), data, add("count Server::step"), Manner(goes_on=lambda done, due: False))
    assert crowd.changed(before) == set()
    assert [row["rule"] for row in crowd.report()["rules"]] == ["count Crowd$Member00001::*"]
    assert len(crowd.ctl("rules").stdout.splitlines()) == 1


@on(25)
def test_where_a_limit_may_be_written(crowd: Running) -> None:
    crowd.attach("count Crowd$Member00001::*")
    for words in (
        ("--at-most", "10s", "pause", "1"),
        ("resume", "1", "--at-most", "10s"),
        ("--now", "--at-most", "10s", "pause", "1"),
    ):
        assert crowd.ctl(*words).status == 0
    for words in (
        ("detach", "--at-most", "10s"),
        ("--at-most", "10s", "detach"),
        ("--at-most", "many", "resume", "1"),
        ("--at-most",),
    ):
        assert crowd.ctl(*words).status == 2
    assert crowd.status()["state"] == "attached"

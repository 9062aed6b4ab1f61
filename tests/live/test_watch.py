"""`classhook ctl PID watch`: calls of a JVM that runs, as they end; on virtual threads where there are any."""

from __future__ import annotations

import json
import signal
import subprocess

from tests.conftest import ENVIRONMENT, Jvm, classhook_command
from tests.live.conftest import Running, Serve
from tests.pressure.conftest import OLDEST_AND_NEWEST


def rules(running: Running) -> list[str]:
    return [json.loads(line)["rule"] for line in running.ctl("--json", "rules").stdout.splitlines()]


@OLDEST_AND_NEWEST
def test_calls_are_shown_as_they_end(jvm: Jvm, serve: Serve) -> None:
    running = serve(jvm)
    running.attach("count Server::counted")
    before = running.bytecodes()
    rule = "Server::work when arg0 == 10 && result != 0 show args, result, stack 1 first 3"
    line = [*classhook_command(), "ctl", running.pid, "--json", "watch", rule]
    with subprocess.Popen(line, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True) as watching:
        while rule not in "".join(rules(running)):
            pass
        running.requests("load", 2)
        running.requests("counted", 5)
        found = [json.loads(text) for text in watching.communicate()[0].splitlines()]
    assert watching.returncode == 0
    assert [row["args"] for row in found] == [{"n": 10}] * 3
    assert len({row["result"] for row in found}) == 1
    assert {row["stack"][0].partition("(")[0] for row in found} == {"Server.counted"}
    assert rules(running) == ["count Server::counted"]
    assert before.items() <= running.bytecodes().items()  # more classes were loaded meanwhile


@OLDEST_AND_NEWEST
def test_an_interrupt_takes_the_rule_out(jvm: Jvm, serve: Serve) -> None:
    running = serve(jvm)
    running.attach("watch Server::asleep as \"own\"")
    line = [*classhook_command(), "ctl", running.pid, "watch", "Server::step every 100ms"]
    with subprocess.Popen(line, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True) as watching:
        assert watching.stdout is not None
        while len(rules(running)) < 2:
            pass
        running.under_load(threads=1)
        assert "Server.step(" in watching.stdout.readline()
        watching.send_signal(signal.SIGINT)
        watching.communicate()
    assert watching.returncode == 0
    assert rules(running) == ['watch Server::asleep as "own"']


def test_mistakes(jvm: Jvm, serve: Serve) -> None:
    running = serve(jvm)
    running.attach("count Server::counted")
    done = running.ctl("watch", "Server::work when arg0 >")
    assert (done.status, "the condition ends too early" in done.stderr) == (2, True)
    done = running.ctl("watch")
    assert (done.status, "which calls?" in done.stderr) == (2, True)

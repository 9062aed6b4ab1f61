"""`classhook ctl PID watch`: calls of a JVM that runs, as they end; on virtual threads where there are any."""

from __future__ import annotations

import json
import signal
import subprocess

from tests.conftest import ENVIRONMENT, JAVA_SOURCES, OLDEST_AND_NEWEST, PATIENCE, Jvm, classhook_command, on, until
from tests.live.conftest import Running, Serve

ONE = on(17)


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


def watch(running: Running, rule: str) -> subprocess.Popen[str]:
    """`ctl PID watch`, which has printed a call."""
    line = [*classhook_command(), "ctl", running.pid, *rule.split()]
    watching = subprocess.Popen(line, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
    assert watching.stdout is not None
    assert rule.split()[1].replace("::", ".") + "(" in watching.stdout.readline()
    return watching


@OLDEST_AND_NEWEST
def test_the_rule_goes_with_its_reader_however_that_ends(jvm: Jvm, serve: Serve) -> None:
    running = serve(jvm)
    own, rule = 'watch Server::asleep as "own"', "watch Server::step every 100ms"
    running.attach(own)
    running.under_load(threads=1)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
        with watch(running, rule) as watching:
            watching.send_signal(number)
            watching.communicate()
        if number == signal.SIGKILL:
            until(lambda: rules(running) == [own])
        assert (watching.returncode, rules(running)) == (-9 if number == signal.SIGKILL else 0, [own])


@ONE
def test_a_rule_that_others_need_stays(jvm: Jvm, serve: Serve) -> None:
    """The session's own, and one that a second client watches, too."""
    running = serve(jvm)
    own, rule = "watch Server::work", "watch Server::step every 100ms"
    running.attach(own)
    running.under_load(threads=1)
    watching = [watch(running, text) for text in (own, rule, rule)]
    for one, left in zip(watching, ([own, rule], [own, rule], [own]), strict=True):
        one.kill()
        one.communicate()
        assert running.ctl("gc").status == 0  # the agent has seen that it is gone
        until(lambda left=left: rules(running) == left)  # type: ignore[misc]


def test_mistakes(jvm: Jvm, serve: Serve) -> None:
    running = serve(jvm)
    running.attach("count Server::counted")
    done = running.ctl("watch", "Server::work when arg0 >")
    assert (done.status, "the expression ends too early" in done.stderr) == (2, True)
    done = running.ctl("watch")
    assert (done.status, "name the calls" in done.stderr) == (2, True)
    line = [*classhook_command(), "ctl", running.pid, "watch", "Server::work when arg0 < 0"]
    with subprocess.Popen(line, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watching:
        until(lambda: len(rules(running)) == 2)
        assert running.detach().status == 0  # while the rule is being added
        out, err = watching.communicate(timeout=PATIENCE)
    assert (watching.returncode, out, f"{running.pid} goes on; classhook was detached from it" in err) == (0, "", True)
    assert "rules when the session ended:" in running.ctl("status").stdout


@ONE
def test_a_line_is_shown_as_it_is_executed(jvm: Jvm, serve: Serve) -> None:
    running = serve(jvm)
    running.attach("count Server::counted")
    before = running.bytecodes()
    number = next(
        i
        for i, text in enumerate((JAVA_SOURCES / "live" / "Server.java").read_text().splitlines(), 1)
        if "// the watched line" in text
    )
    rule = f"Server:{number} when n == 10 show n, stack 1 first 3"
    line = [*classhook_command(), "ctl", running.pid, "--json", "watch", rule]
    with subprocess.Popen(line, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True) as watching:
        while rule not in "".join(rules(running)):
            pass
        running.requests("load", 2)
        running.requests("counted", 5)
        found = [json.loads(text) for text in watching.communicate()[0].splitlines()]
    assert [(row["table"], row["line"], row["values"]) for row in found] == [("executions", number, {"n": 10})] * 3
    assert rules(running) == ["count Server::counted"]
    assert before.items() <= running.bytecodes().items()
    for wrong, why in (
        (f"Server:{number} show nosuch", "there is no local variable nosuch"),
        ("Server:9999", "the nearest line with code"),
    ):
        for words in (("watch", wrong), ("rules", "add", f"watch {wrong}")):
            refused = running.ctl(*words)
            assert why in refused.stderr
        assert rules(running) == ["count Server::counted"]

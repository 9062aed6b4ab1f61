"""The control socket, `classhook ctl`, and rules that are changed while the program runs."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import (
    ENVIRONMENT,
    OLDEST_AND_NEWEST,
    PATIENCE,
    Jvm,
    classhook_command,
    on,
    report_of,
    run_line,
    until,
)
from tests.live.conftest import Running, Serve, classhook
from tests.pressure.conftest import sized

ONE = on(17)


def path_of(running: Running) -> Path:
    (path,) = running.data.glob(f"{running.pid}-*.ctl")
    return path


def socket_of(running: Running) -> socket.socket:
    found = socket.socket(socket.AF_UNIX)
    found.connect(str(path_of(running)))
    found.settimeout(30)
    return found


def asked(running: Running, line: str) -> dict[str, object]:
    """The last line of the answer to a line, by a connection of its own."""
    with socket_of(running) as connection:
        connection.sendall(line.encode() + b"\n")
        answer: dict[str, object] = {}
        for text in connection.makefile():
            answer = json.loads(text)
            if "ok" in answer or "error" in answer:
                break
    return answer


@OLDEST_AND_NEWEST
@pytest.mark.core
def test_rules_are_added_paused_resumed_and_removed(jvm: Jvm, serve: Serve) -> None:
    running = serve(jvm)
    running.under_load(threads=2)
    running.attach("count Server::counted")
    before = running.bytecodes()
    running.requests("counted", 10)
    assert running.ctl("rules", "add", 'count Server::step as "steps"').status == 0
    running.requests("counted", 10)
    steps = running.calls()["step"]
    assert steps >= 100
    assert running.ctl("pause", "2").status == 0
    rules = [json.loads(line) for line in running.ctl("--json", "rules").stdout.splitlines()]
    assert [(one["rule"], one["paused"]) for one in rules] == [
        ("count Server::counted", False),
        ('count Server::step as "steps"', True),
    ]
    paused = running.calls()["step"]
    running.requests("counted", 10)
    assert running.calls()["step"] == paused
    assert running.ctl("resume", "2").status == 0
    running.requests("counted", 10)
    assert running.calls()["step"] >= paused + 100
    assert running.ctl("rules", "remove", 'count Server::step as "steps"').status == 0
    assert running.ctl("rules", "add", "time calls Server::step in Server").status == 0
    running.requests("counted", 10)
    assert sum(row["calls"] for row in running.report()["call_sites"]) >= 100
    assert running.ctl("rules", "remove", "time calls Server::step in Server").status == 0
    removed = running.calls()
    running.requests("counted", 10)
    assert running.calls() == {**removed, "counted": removed["counted"] + 10}
    assert running.changed(before) == set()
    assert {row["name"] for row in running.report()["methods"] if row["method"] == "step"} == {"steps"}


@OLDEST_AND_NEWEST
def test_only_classes_that_are_concerned_are_changed(jvm: Jvm, serve: Serve) -> None:
    running = serve(jvm)
    running.attach("count java.util.**::*")
    added = json.loads(running.ctl("--json", "rules", "add", "count Server::counted").stdout)
    assert added["classes"] == 1
    assert json.loads(running.ctl("--json", "rules", "add", "cpu every 10ms").stdout)["classes"] == 0
    until(
        lambda: running.agents_threads() == ["classhook cpu", "classhook ctl"]
    )  # at first a thread has the name of the one that started it
    removed = json.loads(running.ctl("--json", "rules", "remove", "1").stdout)
    assert removed["classes"] > 20
    assert running.detach().status == 0
    assert running.agents_threads() == []


@ONE
def test_damaged_rules_leave_the_session_as_it_was(jvm: Jvm, serve: Serve, tmp_path: Path) -> None:
    running = serve(jvm)
    running.attach("count Server::counted")
    assert running.ctl("rules", "add", "cpu every 10ms").status == 0
    status = asked(running, "status")
    damaged = tmp_path / "damaged.rules"
    damaged.write_text("classhook-rules 4 1\nsampler\tcpu\tperiod_us=0\nfilter\ttime\nend\t\n")
    answer = asked(running, f"exchange {status['rules']} {damaged}")
    assert "compile them again" in str(answer["error"]), answer
    assert "memory" not in str(answer["error"])
    assert running.agents_threads() == ["classhook cpu", "classhook ctl"]
    assert asked(running, "status")["rules"] == status["rules"]
    running.requests("counted", 10)
    assert running.calls()["counted"] == 10


@OLDEST_AND_NEWEST
def test_detach_waits_while_rules_are_exchanged(jvm: Jvm, serve: Serve) -> None:
    running = serve(jvm)
    running.attach("count Server::counted")
    for _ in range(3):
        line = [*classhook_command(), "ctl", running.pid, "rules", "add", "count java.util.**::*"]
        with subprocess.Popen(line, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as adding:
            while adding.poll() is None and "java.util" not in running.ctl("rules").stdout:
                pass
            done = running.detach()
            assert (done.status, "detached from" in done.stderr) == (0, True), done
        running.attach("count Server::counted")


@OLDEST_AND_NEWEST
def test_rules_change_again_and_again_under_load(jvm: Jvm, serve: Serve) -> None:
    running = serve(jvm)
    running.under_load(threads=2)
    before = running.bytecodes()
    running.attach("count Server::counted")
    sent = 0
    for i in range(sized(20, 500)):
        words = ("rules", "add", "time Server::step") if i % 2 == 0 else ("rules", "remove", "2")
        changed = running.ctl(*words)
        assert changed.status == 0, changed.stderr
        if i % 10 == 0:
            running.requests("counted", 20)
            sent += 20
    assert running.calls()["counted"] == sent
    slots = asked(running, "status")["slots"]
    for words in (("rules", "add", "time Server::step"), ("rules", "remove", "2")):
        running.ctl(*words)
    assert asked(running, "status")["slots"] == slots
    running.detach()
    assert running.changed(before) == set()


@OLDEST_AND_NEWEST
def test_two_who_change_the_rules_at_once(jvm: Jvm, serve: Serve) -> None:
    running = serve(jvm)
    running.attach("count Server::counted")
    line = [
        sys.executable,
        "-c",
        "import sys; from classhook.cli import main; sys.exit(main())",
        "ctl",
        running.pid,
        "rules",
        "add",
    ]
    added = [f"count Server::{name}" for name in ("work", "step", "load", "answer")]
    both = [subprocess.Popen([*line, rule]) for rule in added]
    assert [one.wait(120) for one in both] == [0] * 4
    rules = [json.loads(text)["rule"] for text in running.ctl("--json", "rules").stdout.splitlines()]
    assert rules[0] == "count Server::counted"
    assert sorted(rules[1:]) == sorted(added)


@OLDEST_AND_NEWEST
@pytest.mark.core
def test_reset_and_snapshot(jvm: Jvm, serve: Serve, tmp_path: Path) -> None:
    running = serve(jvm)
    running.attach("time Server::*", more=())
    running.requests("counted", 30)
    assert running.ctl("snapshot", tmp_path / "before.classhook").status == 0
    assert running.ctl("reset").status == 0
    assert "counted" not in running.calls()
    running.requests("counted", 20)
    row = next(row for row in running.report()["methods"] if row["method"] == "work")
    assert (row["calls"], row["completed"]) == (20, 20)
    assert row["min_ns"] <= row["p50_ns"] <= row["max_ns"]
    assert 20 * 900_000 < row["total_ns"] < 20 * row["max_ns"] + 1
    assert running.report()["processes"][0]["since"] > running.report()["processes"][0]["start"]
    kept = report_of(tmp_path / "before.classhook")
    assert kept["processes"][0]["end"] == "snapshot"
    assert next(row["calls"] for row in kept["methods"] if row["method"] == "counted") == 30


@ONE
def test_trees_are_reset_too(jvm: Jvm, serve: Serve) -> None:
    for rule in ("time Server::* tree", "cpu every 5ms", "profile Server::*"):
        running = serve(jvm)
        running.under_load(threads=2)
        running.attach(rule)
        time.sleep(1)
        running.end_load()
        running.ctl("reset")
        done = classhook("report", "-f", "collapsed", running.data)
        calls = sum(int(line.rsplit(" ", 1)[1]) for line in done.stdout.splitlines() if "Server.work" in line)
        assert calls == 0, (rule, done.stdout)


@OLDEST_AND_NEWEST
def test_what_the_jvm_is_asked(jvm: Jvm, serve: Serve, tmp_path: Path) -> None:
    running = serve(jvm)
    running.attach("count Server::*")
    assert "Finalizer" in running.ctl("threads").stdout
    assert running.ctl("gc").stdout.startswith("took ")
    assert "java.lang.String" in running.ctl("heap", "histogram").stdout
    assert "JDK" in running.ctl("jcmd", "VM.version").stdout
    nonsense = running.ctl("jcmd", "Nonsense")
    assert (nonsense.status, "Nonsense" in nonsense.stderr or "Unknown" in nonsense.stderr) == (1, True)
    assert running.ctl("nonsense").status == 2
    assert running.ctl("heap").status == 1
    assert running.ctl("heap", "dump", tmp_path / "heap.hprof").stdout.startswith("took ")
    assert (tmp_path / "heap.hprof").read_bytes().startswith(b"JAVA PROFILE 1.0.2\0")
    again = running.ctl("heap", "dump", tmp_path / "heap.hprof")
    assert (again.status, "exists" in again.stderr) == (1, True)
    assert running.ctl("detach").status == 0
    assert not list(running.data.glob("*.ctl"))
    assert "not attached" in running.ctl("now").stderr
    assert running.ctl("gc").status == 0, "HotSpot does it"


@ONE
def test_an_image_without_management_is_asked_by_the_attach_protocol(jvm: Jvm, serve: Serve, tmp_path: Path) -> None:
    image = tmp_path / "image"
    subprocess.run(
        [jvm.tool("jlink"), "--add-modules", "java.base,jdk.httpserver", "--output", image],
        check=True,
        timeout=PATIENCE,
        env=ENVIRONMENT,
    )
    running = serve(replace(jvm, java=image / "bin" / "java"))
    running.attach("count Server::*")
    assert running.ctl("heap", "dump", tmp_path / "a heap.hprof").stdout.startswith("took ")
    again = running.ctl("heap", "dump", tmp_path / "a heap.hprof")
    assert (again.status, "exists" in again.stderr) == (1, True)
    assert (tmp_path / "a heap.hprof").read_bytes().startswith(b"JAVA PROFILE 1.0.2\0")
    assert "java.lang.String" in running.ctl("heap", "histogram").stdout
    assert "JDK" in running.ctl("jcmd", "VM.version").stdout
    assert running.ctl("jcmd", "Nonsense").status == 1


@OLDEST_AND_NEWEST
def test_a_jvm_under_run_is_controlled_and_detached(jvm: Jvm, serve: Serve, tmp_path: Path, classes: Path) -> None:
    line = run_line(["time Server::*"], tmp_path / "data", [jvm.java, "-cp", classes, "Server"])
    running = subprocess.Popen([*map(str, line)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    Running(jvm, classes, running, running.stdout.readline().strip(), tmp_path / "data", Path()).requests("counted", 20)
    name = next(
        row["pid"]
        for row in map(json.loads, classhook("ps", "--json").stdout.splitlines())
        if str(tmp_path) in str(row["data"])
    )
    assert classhook("ctl", str(name), "rules", "add", "count Later::nothing").status == 0
    assert classhook("detach", str(name)).status == 0
    running.communicate("")
    report = report_of(tmp_path / "data")
    assert {row["method"]: row["calls"] for row in report["methods"]}["counted"] == 20
    assert running.returncode == 0


@ONE
def test_a_stopped_jvm_is_read(jvm: Jvm, serve: Serve, tmp_path: Path) -> None:
    running = serve(jvm)
    running.attach("count Server::*")
    running.requests("counted", 20)
    running.process.send_signal(signal.SIGSTOP)
    try:
        assert running.status()["state"] == "attached"
        assert running.ctl("snapshot", tmp_path / "now.classhook").status == 0
        assert running.ctl("reset").status == 0
        assert running.ctl("rules").stdout.split() == ["1", "count", "Server::*"]
    finally:
        running.process.send_signal(signal.SIGCONT)
    assert (
        next(row["calls"] for row in report_of(tmp_path / "now.classhook")["methods"] if row["method"] == "counted")
        == 20
    )


@ONE
def test_what_needs_a_stopped_jvm_does_not_wait_for_it(jvm: Jvm, serve: Serve) -> None:
    running = serve(jvm)
    running.attach("count Server::*")
    running.ctl("gc")  # it listens, and the socket is there
    running.process.send_signal(signal.SIGSTOP)
    try:
        asked = [running.ctl("threads"), running.ctl("rules", "add", "count Later::nothing"), running.detach()]
        for done in asked:
            assert (done.status, "is stopped (by SIGSTOP" in done.stderr) == (1, True), done.stderr
    finally:
        running.process.send_signal(signal.SIGCONT)
    running.requests("counted", 20)
    assert running.calls()["counted"] == 20
    assert running.detach().status == 0


# ---- who connects


@OLDEST_AND_NEWEST
def test_clients_that_do_not_behave(jvm: Jvm, serve: Serve) -> None:
    running = serve(jvm)
    running.attach("count Server::*")
    running.ctl("gc")
    path = path_of(running)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    never_reads, half = socket_of(running), socket_of(running)
    never_reads.sendall(b"heap histogram\n" * 200)
    half.sendall(b"stat")
    with socket_of(running) as long:
        long.sendall(b"x" * 100_000)
        assert b"too long" in long.recv(1000)
    with socket_of(running) as nothing:
        nothing.sendall(b"\n\0\n\xff\xfe\n" + bytes(range(1, 10)) + b"\n")
        assert b"unknown command" in nothing.recv(10000)
    many = [socket.socket(socket.AF_UNIX) for _ in range(100)]
    for one in many:
        one.setblocking(False)
        with suppress(BlockingIOError):
            one.connect(str(path))
    time.sleep(0.5)
    for one in many:
        one.close()
    time.sleep(0.5)
    assert asked(running, "status")["ok"] is True
    half.sendall(b"us\n")
    assert json.loads(half.recv(10000))["ok"] is True
    assert running.ctl("rules", "add", "count Later::nothing").status == 0
    half.close()
    never_reads.close()
    assert running.detach().status == 0


@ONE
def test_strangers(jvm: Jvm, serve: Serve) -> None:
    if os.geteuid():
        pytest.skip("only root can become another user")
    running = serve(jvm)
    running.attach("count Server::*")
    running.ctl("gc")
    path = path_of(running)
    code = (
        "import os, socket, sys; folder = os.open(sys.argv[1], os.O_PATH); os.setgid(65534); os.setuid(65534); s ="
        f" socket.socket(socket.AF_UNIX)\ns.connect(f'/proc/self/fd/{{folder}}/{path.name}'); s.sendall(b'status\\n');"
        " print(s.recv(100))"
    )
    line = [sys.executable, "-c", code, str(path.parent)]
    refused = subprocess.run(line, capture_output=True, text=True)
    assert "PermissionError" in refused.stderr
    os.chmod(path, 0o666)  # not even then
    refused = subprocess.run(line, capture_output=True, text=True)
    assert "status" not in refused.stdout
    assert refused.stdout.strip() in ("", "b''")
    assert asked(running, "status")["ok"] is True


@ONE
def test_probes_of_coverage_are_the_same_in_each_weaving(jvm: Jvm, serve: Serve) -> None:
    def probed() -> dict[str, tuple[int, int]]:
        return {
            row["method"]: (row["probes"], row["hit"])
            for row in running.report()["coverage"]
            if row["class"] == "Server"
        }

    running = serve(jvm)
    running.attach("cover Server")
    running.requests("counted", 5)
    before = probed()
    number, hit = before["counted"]
    assert number == hit > 0
    assert running.ctl("rules", "add", "count Server::counted").status == 0
    assert probed() == before
    running.requests("counted", 5)
    running.detach()
    running.attach("cover Server")
    assert probed() == before
    running.detach()
    out = classhook("report", running.data, "--fail-if", "not-hit of Server::counted > 0", "-o", os.devnull)
    assert (out.status, out.stderr) == (0, "")


@ONE
def test_rules_of_files_are_answered_when_they_are_in_force_too(jvm: Jvm, serve: Serve, tmp_path: Path) -> None:
    """Rules that nobody wrote have no number; a name after `as` is enough, and blanks do not matter."""
    file = tmp_path / "my.rules"
    file.write_text(
        'let of = Server\ntime ${of}::step slowest 2 as "s t"\ncount ${of}::stepp\nuse redis\ncount ${of}::${name}\n'
    )
    running = serve(jvm)
    running.under_load(threads=2)
    attached = running.attach(more=("-r", str(file), "-D", "name=counted"))
    assert "this rule can never match the loaded classes: count Server::stepp" in attached.stderr
    assert "did you mean Server::step?" in attached.stderr
    assert "4 rules of the stock rules redis match no loaded class yet" in attached.stderr
    listed = running.ctl("rules").stdout.splitlines()
    assert (len(listed), listed[-1]) == (7, "   7  count Server::counted")
    assert running.ctl("pause", "s t").status == running.ctl("pause", "count  Server :: counted").status == 0
    assert running.ctl("rules").stdout.count("(paused)") == 2
    for rule, why in (
        ("watch Server::step when nosuch > 3", "has no parameter nosuch"),
        ("count Server::step when arg0 > 3 && arg0 < 2", "the condition is never true"),
        ("count Server:1", "so it was removed again"),
    ):
        refused = running.ctl("rules", "add", rule)
        assert (refused.status, why in refused.stderr) == (1, True), refused.stderr
    assert len(running.ctl("rules").stdout.splitlines()) == 7
    assert "count Server:1" not in [row["rule"] for row in running.report()["rules"]]
    assert running.ctl("rules", "add", "count Server::${m}", "-D", "m=load").status == 0
    assert running.ctl("watch", "--help").stdout.startswith("  watch [RULE]")


@ONE
def test_a_row_has_the_rule_that_stands(jvm: Jvm, serve: Serve) -> None:
    counted, timed = (
        f'{word} Server::step when arg0 >= 0 as "{name}"' for word, name in (("count", "old"), ("time", "new"))
    )
    running = serve(jvm)
    running.attach(counted)
    running.requests("counted", 1)
    running.ctl("rules", "add", timed)
    running.ctl("rules", "remove", "old")
    running.requests("counted", 1)
    (row,) = running.report()["keys"]
    assert (row["calls"], row["rule"], row["name"]) == (20, timed, "new")
    running.ctl("rules", "remove", "new")
    assert [row["name"] for row in running.report()["keys"]] == ["new"], "what it counted stays"


@ONE
def test_an_interval_that_is_open_when_its_rule_goes_does_not_end(jvm: Jvm, serve: Serve) -> None:
    """`work` has the key 10, or 200, and `step` all below that."""
    rule = "time from Server::work to Server::step by arg0"
    running = serve(jvm)
    running.attach("count Server::load", rule)

    def times() -> list[int]:
        return [row["calls"] for row in running.report()["keys"] if row["method"] == "step"]

    other = "count Server::sleep"
    for before, after, found in (
        (("rules", "remove", rule), ("rules", "add", rule), []),
        (("pause", rule), ("resume", rule), []),
        (("rules", "add", other), ("rules", "remove", other), [1]),
    ):
        running.requests("counted", 1)
        assert running.ctl(*before).status == running.ctl(*after).status == 0
        running.requests("load", 1)
        assert times() == found, before

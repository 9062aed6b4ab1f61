"""Attaching to a JVM that runs, and detaching: no request fails, counts are exact, and everything is as it was
afterwards."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from classhook.base.errors import Failure
from classhook.live import protocol
from classhook.live.jvms import Jvm as Process
from tests.conftest import ENVIRONMENT, OLDEST_AND_NEWEST, PATIENCE, FindJvm, Jvm, classhook_command, on
from tests.live.conftest import Running, Serve, classhook
from tests.pressure.conftest import jar_of, sized

ONE, NEWEST = on(17), on(25)
MEASURES = (
    "cpu every 5ms",
    "profile Server::*",
    "time Server::* tree",
    "time Server::* sample 1/10",
    "cover Server",
    "alloc * in Server",
)
TIMED = ("time Server::*", "count java.util.HashMap::put")


def assert_bare(running: Running, before: dict[str, str]) -> None:
    """The bytecode is as it was before, no thread of the agent's is left, and nothing is counted any more."""
    assert running.changed(before) == set()
    assert running.agents_threads() == []
    counts = running.calls()
    running.requests("counted", 20)
    assert running.calls() == counts


@pytest.mark.core
def test_counts_are_exact_from_then_on_and_nothing_is_left_behind(jvm: Jvm, serve: Serve) -> None:
    running = serve(jvm)
    running.under_load()
    before = running.bytecodes()
    attached = running.attach(*TIMED)
    assert attached.status == 0, attached.stderr
    running.requests("counted", 300)
    assert running.changed(before) == {
        "LServer;",
        "Ljava/util/HashMap;",
        *(["Ljava/lang/VirtualThread;"] if jvm.version > 17 else []),
    }
    detached = running.detach()
    assert detached.status == 0, detached.stderr
    running.end_load()
    row = next(row for row in running.report()["methods"] if row["method"] == "counted")
    assert (row["calls"], row["completed"], row["exceptions"]) == (300, 300, 0)
    assert running.report()["processes"][0]["end"] == "detached"
    assert_bare(running, before)


def test_the_jvm_explains_its_warning(serve: Serve, find_jvm: FindJvm) -> None:
    newest = find_jvm(25)
    assert "-XX:+EnableDynamicAgentLoading" in serve(newest).attach("count Server::*").stderr
    running = serve(newest, "-XX:+EnableDynamicAgentLoading")
    assert "EnableDynamicAgentLoading" not in running.attach("count Server::*").stderr
    assert running.process.communicate("")[1] == ""  # nor of natives that are registered
    assert running.process.returncode == 0


@OLDEST_AND_NEWEST
def test_for_a_while_and_a_report_of_that_while_only(jvm: Jvm, serve: Serve) -> None:
    running = serve(jvm)
    running.requests("counted", 5)
    before = running.bytecodes()
    running.attach("count Server::*")
    running.requests("counted", 50)
    running.detach()
    words = ["attach", running.pid, "-e", "count Server::*", "-o", str(running.data), "--for", "5m"]
    for number, n in ((signal.SIGINT, 30), (signal.SIGHUP, 20)):
        attached = subprocess.Popen([*classhook_command(), *words], stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
        while running.status()["state"] == "detached" and attached.poll() is None:
            time.sleep(0.05)
        running.requests("counted", n)
        attached.send_signal(number)  # ends the time
        out = attached.communicate(timeout=PATIENCE)[0]
        counted = next(line for line in out.splitlines() if "Server.counted" in line)
        assert (attached.returncode, counted.split()[0]) == (0, str(n)), out
        assert running.status()["state"] == "detached"
    assert_bare(running, before)


@OLDEST_AND_NEWEST
def test_again_and_again(jvm: Jvm, serve: Serve) -> None:
    running = serve(jvm)
    running.under_load(threads=2)
    before = running.bytecodes()
    slots, mappings = [], []
    for i in range(sized(12, 1000)):
        attached = running.attach("time Server::*", more=("--quiet",))
        assert (attached.status, attached.stderr) == (0, "")
        if i % 10 < 2:
            running.requests("counted", 10)
        running.detach()
        slots.append(running.status()["woven"])
        mappings.append(len(Path(f"/proc/{running.pid}/maps").read_text().splitlines()))
    rounds = sum(i % 10 < 2 for i in range(len(slots)))
    assert running.calls()["counted"] == 10 * rounds
    assert len(set(slots)) == 1
    assert mappings[-1] <= mappings[len(mappings) // 2] + 8
    assert_bare(running, before)


@OLDEST_AND_NEWEST
def test_other_rules_the_next_time(jvm: Jvm, serve: Serve) -> None:
    running = serve(jvm)
    running.attach("count Server::counted")
    running.requests("counted", 20)
    running.detach()
    running.attach("time Server::work")
    running.requests("counted", 30)
    assert running.calls() == {"counted": 20, "work": 30}


@pytest.mark.parametrize("rule", MEASURES)
@OLDEST_AND_NEWEST
def test_each_measure_twice(jvm: Jvm, serve: Serve, rule: str) -> None:
    running = serve(jvm)
    running.under_load(threads=2)
    before = running.bytecodes()
    for _ in range(2):
        attached = running.attach(rule)
        assert attached.status == 0, attached.stderr
        time.sleep(0.5)
        running.requests("counted", 20)
        assert running.detach().status == 0
        assert running.agents_threads() == []
    report = running.report()
    assert running.changed(before) == set()
    key = {"cpu": "cpu", "cover": "coverage", "alloc": "allocations"}.get(rule.split()[0], "methods")
    assert any("Server" in row["class"] for row in report[key])
    if key == "methods":
        assert running.calls()["counted"] == 40


@OLDEST_AND_NEWEST
def test_detaching_while_threads_are_inside(jvm: Jvm, serve: Serve) -> None:
    running = serve(jvm)
    running.requests("counted", 5)
    before = running.bytecodes()
    running.attach("time Server::*")
    with ThreadPoolExecutor(4) as others:
        sleeping = [others.submit(running.get, "sleep") for _ in range(4)]
        time.sleep(1)
        running.detach()
        running.attach("count Server::asleep")
        assert [one.result() for one in sleeping] == ["1"] * 4
    assert running.calls()["asleep"] == 4
    running.detach()
    assert_bare(running, before)


@OLDEST_AND_NEWEST
def test_two_at_once(jvm: Jvm, serve: Serve) -> None:
    running = serve(jvm)
    with ThreadPoolExecutor(2) as both:
        results = list(both.map(running.attach, ["count Server::counted"] * 2))
    assert sorted(one.status for one in results) == [0, 1]
    assert "attached already" in next(one.stderr for one in results if one.status)
    running.requests("counted", 20)
    assert running.calls() == {"counted": 20}


@OLDEST_AND_NEWEST
def test_killed_in_between(jvm: Jvm, serve: Serve) -> None:
    running = serve(jvm)
    running.attach("count Server::counted")
    running.ctl("gc")
    running.requests("counted", 20)
    running.process.send_signal(signal.SIGKILL)
    running.process.wait()
    assert running.calls() == {"counted": 20}
    assert running.report()["processes"][0]["end"] == "killed"
    for words in (
        ("detach", running.pid),
        ("ctl", running.pid, "status"),
        ("attach", running.pid, "-e", "count a.B::m"),
    ):
        done = classhook(*words)
        assert (done.status, "no such process" in done.stderr) == (1, True)


@pytest.mark.parametrize("options", [("-XX:+UseZGC",), ("-XX:+UseSerialGC",), ("-Xint",), ("-Xcheck:jni",)], ids=str)
@OLDEST_AND_NEWEST
def test_other_jvms(jvm: Jvm, serve: Serve, options: tuple[str, ...]) -> None:
    running = serve(jvm, *options)
    running.under_load(threads=2)
    before = running.bytecodes()
    assert running.attach(*TIMED).status == 0
    running.requests("counted", 50)
    assert running.detach().status == 0
    assert running.calls()["counted"] == 50
    assert_bare(running, before)


@NEWEST
def test_with_an_aot_cache(jvm: Jvm, serve: Serve, classes: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache.aot"
    jar = jar_of(classes, tmp_path / "classes.jar")  # folders cannot be in a cache
    training = serve(jvm, f"-XX:AOTCacheOutput={cache}", class_path=jar)
    training.requests("counted", 10)
    training.process.communicate("")
    assert cache.exists()
    running = serve(jvm, f"-XX:AOTCache={cache}", "-XX:AOTMode=on", class_path=jar)
    running.requests("counted", 5)
    before = running.bytecodes()
    running.attach(*TIMED)
    running.requests("counted", 50)
    running.detach()
    assert running.calls()["counted"] == 50
    assert_bare(running, before)


@ONE
def test_a_socket_of_another_process_in_the_jvms_place(jvm: Jvm, serve: Serve) -> None:
    running = serve(jvm)
    path = Path(f"/tmp/.java_pid{running.pid}")
    try:
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(str(path))
            other.listen()
            attached = running.attach("count Server::counted")
            assert (attached.status, f"the socket of process {os.getpid()}, not of this JVM" in attached.stderr) == (
                1,
                True,
            ), attached.stderr
            assert path.exists()
            client, _ = other.accept()
            assert client.recv(100) == b""
            client.close()
        assert running.attach("count Server::counted").status == 0  # no process listens there any more
        assert running.ctl("gc").status == 0
        assert not Path(f"/proc/{running.pid}/cwd/.attach_pid{running.pid}").exists()
    finally:
        path.unlink(missing_ok=True)


@pytest.mark.parametrize("namespaces", [("--mount",), ("--mount", "--pid", "--fork")], ids=str)
@ONE
def test_in_another_namespace(jvm: Jvm, serve: Serve, namespaces: tuple[str, ...]) -> None:
    if subprocess.run(["unshare", *namespaces, "true"], capture_output=True).returncode:
        pytest.skip("unshare is not permitted here")
    running = serve(
        jvm, before=("unshare", "--kill-child", *namespaces) if "--fork" in namespaces else ("unshare", *namespaces)
    )
    rows = [json.loads(line) for line in classhook("ps", "--json").stdout.splitlines()]
    pids = [row["pid"] for row in rows if row["main"] == "Server" and row["container"]]
    assert len(pids) == 1
    attached = classhook("attach", str(pids[0]), "-e", "count Server::counted", "-o", running.data)
    assert attached.status == 0, attached.stderr
    running.requests("counted", 20)
    assert running.calls() == {"counted": 20}
    assert classhook("ctl", str(pids[0]), "rules", "add", "count Server::work").status == 0
    assert classhook("detach", str(pids[0])).status == 0


# ---- what cannot be attached to


@OLDEST_AND_NEWEST
def test_a_jvm_that_lets_nobody_attach(jvm: Jvm, serve: Serve) -> None:
    running = serve(jvm, "-XX:+DisableAttachMechanism")
    attached = running.attach("count Server::*")
    assert (attached.status, "DisableAttachMechanism" in attached.stderr) == (1, True), attached.stderr
    running.requests("counted", 5)


@OLDEST_AND_NEWEST
def test_a_jvm_that_handles_no_signals(jvm: Jvm, serve: Serve) -> None:
    running = serve(jvm, "-Xrs")  # it listens from the start
    assert running.attach("count Server::counted").status == 0
    running.requests("counted", 5)
    assert running.calls() == {"counted": 5}


@ONE
def test_no_signal_to_a_process_that_would_die_of_it(jvm: Jvm, tmp_path: Path) -> None:
    sleeper = subprocess.Popen(["sleep", "60"])
    try:
        found = Process(sleeper.pid, "/nowhere/lib/server/libjvm.so", "")
        with pytest.raises(Failure, match="does not catch SIGQUIT"):
            protocol.execute(found, "properties")
        assert sleeper.poll() is None
    finally:
        sleeper.kill()
        sleeper.wait()


@NEWEST
def test_a_jvm_that_loads_no_agents(jvm: Jvm, serve: Serve) -> None:
    attached = serve(jvm, "-XX:-EnableDynamicAgentLoading").attach("count Server::*")
    assert (attached.status, "-XX:-EnableDynamicAgentLoading" in attached.stderr) == (1, True)


@ONE
def test_what_is_no_jvm(jvm: Jvm, serve: Serve) -> None:
    running = serve(jvm)
    assert "not a JVM" in classhook("attach", str(os.getpid()), "-e", "count a.B::m").stderr
    assert "no such process" in classhook("attach", "999999", "-e", "count a.B::m").stderr
    nobody = classhook("attach", "com.acme.Nobody", "-e", "count a.B::m")
    assert (nobody.status, "`classhook ps`" in nobody.stderr) == (2, True)
    assert "not in this JVM" in running.detach().stderr
    assert "not in this JVM" in running.ctl("status").stderr
    assert running.attach("count nonsense(").status == 2
    unwritable = classhook("attach", running.pid, "-e", "count a.B::m", "-o", "/proc/none")
    assert (unwritable.status, "/proc/none" in unwritable.stderr) == (2, True)


@ONE
def test_a_data_file_that_was_removed(jvm: Jvm, serve: Serve) -> None:
    """After the session, it is the user's; the counters themselves must stay."""
    running = serve(jvm)
    for _ in range(2):
        assert running.attach("count Server::counted").status == 0
        running.requests("counted", 5)
        assert running.detach().status == 0
        assert running.calls() == {"counted": 5}
        shutil.rmtree(running.data)
    for path in Path("/dev/shm").glob(f"classhook-*-{running.pid}-*"):
        path.unlink()
    again = running.attach("count Server::counted")
    assert (again.status, "were moved or removed" in again.stderr, "restart the JVM" in again.stderr) == (
        1,
        True,
        True,
    ), again.stderr
    running.requests("counted", 5)


@ONE
def test_ps(jvm: Jvm, serve: Serve) -> None:
    running = serve(jvm)
    row = next(line for line in classhook("ps").stdout.splitlines() if line.split()[0] == running.pid)
    assert row.split()[4:] == ["Server", "-"]
    running.attach("count Server::*")
    found = next(
        row
        for row in map(json.loads, classhook("ps", "--json").stdout.splitlines())
        if row["pid"] == running.process.pid
    )
    assert found["main"] == "Server"
    assert Path(found["data"]).parent == running.data
    assert found["jvm"].startswith(str(jvm.version))


@ONE
def test_another_users_jvm(jvm: Jvm, serve: Serve) -> None:
    if os.geteuid():
        pytest.skip("only root can become another user")
    running = serve(jvm)
    # that user may not read the files
    modules = "argparse, locale, gettext, pwd, shutil, classhook.cli, classhook.commands.attach, classhook.rules.parse"
    code = f"import os, sys, {modules}; os.setgid(65534); os.setuid(65534); sys.exit(classhook.cli.main(sys.argv[1:]))"
    line = [sys.executable, "-c", code, "attach", running.pid, "-e", "count a.B::m", "-o", "/tmp/none"]
    done = subprocess.run(line, capture_output=True, text=True, env=ENVIRONMENT)
    assert (done.returncode, "belongs to another user" in done.stderr) == (1, True), done.stderr

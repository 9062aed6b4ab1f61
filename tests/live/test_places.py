"""Attaching to JVMs as they are in production: with very many classes, and in containers."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from tests.conftest import ENVIRONMENT, OLDEST_AND_NEWEST, PATIENCE, Jvm, classhook_command, on, report_of
from tests.live.conftest import Serve, classhook
from tests.pressure.conftest import leave_nothing

ONE = on(17)
ROOT = Path(__file__).parents[2]
MANY = 30_000
#: With a folder /tmp of its own; a checkout that is below /tmp stays where it is. $0: a folder outside.
OWN_TMP = """
mkdir "$0/tmp" && mount -t tmpfs none "$0/tmp" || exit
case "$1" in /tmp/*) mkdir -p "$0$1" && mount --bind "$1" "$0$1" || exit;; esac
mount --rbind "$0/tmp" /tmp && shift && exec "$@"
"""
CONTAINER = ("unshare", "--kill-child", "--mount", "--pid", "--fork", "--mount-proc", "sh", "-c", OWN_TMP)


def calls_of(data: Path) -> Counter[str]:
    found = Counter[str]()
    for row in report_of(data)["methods"]:
        found[row["method"]] += row["calls"]
    return found


@pytest.mark.slow
@pytest.mark.any_jvm
def test_thirty_thousand_classes(jvm: Jvm, classes: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    line = [jvm.java, "-Xmx512m", "-cp", classes, "Many", str(MANY)]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as program:

        def call() -> None:
            assert program.stdin is not None
            assert program.stdout is not None
            program.stdin.write("\n")
            program.stdin.flush()
            assert program.stdout.readline() == "done\n"

        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        call()
        attached = classhook("attach", str(program.pid), "-e", "count Made_*::run", "-o", data)
        assert (attached.status, f"{MANY:,} classes instrumented" in attached.stderr) == (0, True), attached.stderr
        for _ in range(3):
            call()
        assert calls_of(data) == {"run": 3 * MANY}
        assert classhook("ctl", str(program.pid), "rules", "add", "count Made_*5::called").status == 0
        call()
        assert calls_of(data) == {"run": 4 * MANY, "called": 2 * MANY // 10}
        detached = classhook("detach", str(program.pid))
        assert (detached.status, f"{MANY:,} classes restored" in detached.stderr) == (0, True), detached.stderr
        call()
        assert calls_of(data) == {"run": 4 * MANY, "called": 2 * MANY // 10}
        program.communicate("", timeout=PATIENCE)
        assert program.returncode == 0
    leave_nothing(data)


@OLDEST_AND_NEWEST
def test_a_container_with_a_folder_tmp_of_its_own(jvm: Jvm, serve: Serve, classes: Path, tmp_path: Path) -> None:
    """There the JVM listens, and there are its data: from here both are seen through /proc only."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as place:
        container = (*CONTAINER, place, str(ROOT))
        if subprocess.run([*container, "true"], capture_output=True).returncode:
            pytest.skip("unshare and mount are not permitted here")
        Path(place, "tmp").rmdir()
        shutil.copytree(classes, inside := Path(place, "classes"))
        running = serve(jvm, before=container, class_path=inside)
        running.under_load(threads=2)
        rows = map(json.loads, classhook("ps", "--json").stdout.splitlines())
        (pid,) = [
            str(row["pid"])
            for row in rows
            if row["container"] and str(inside) in Path(f"/proc/{row['pid']}/cmdline").read_text()
        ]
        attached = classhook("attach", pid, "-e", "time Server::*")
        assert attached.status == 0, attached.stderr
        data = Path(f"/proc/{pid}/root/tmp/classhook-data")
        running.requests("counted", 50)
        assert calls_of(data)["counted"] == 50
        assert classhook("ctl", pid, "rules", "add", "count Later::nothing").status == 0
        assert classhook("ctl", pid, "snapshot", tmp_path / "now.classhook").status == 0
        assert "Finalizer" in classhook("ctl", pid, "threads").stdout
        again = classhook("attach", pid, "-e", "count Server::*")
        assert (again.status, "attached already" in again.stderr) == (1, True)
        detached = classhook("detach", pid)
        assert detached.status == 0, detached.stderr
        running.requests("counted", 20)
        assert calls_of(data)["counted"] == 50
        assert calls_of(tmp_path / "now.classhook")["counted"] == 50
        running.end_load()


@ONE
def test_two_containers_with_one_data_directory(jvm: Jvm, serve: Serve, classes: Path) -> None:
    """Both JVMs have the process id 1."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as place:
        shutil.copytree(classes, inside := Path(place, "classes"))
        data, pids = Path(place, "data"), list[str]()
        for name in "ab":
            Path(place, name).mkdir()
            container = (*CONTAINER, str(Path(place, name)), str(ROOT))
            if subprocess.run([*container, "true"], capture_output=True).returncode:
                pytest.skip("unshare and mount are not permitted here")
            Path(place, name, "tmp").rmdir()
            serve(jvm, before=container, class_path=inside)
            rows = map(json.loads, classhook("ps", "--json").stdout.splitlines())
            pids += [
                pid
                for row in rows
                if row["container"] and str(inside) in row["command"] and (pid := str(row["pid"])) not in pids
            ]
            assert classhook("attach", pids[-1], "-e", f"count Server::{name}", "-o", data).status == 0
        for pid in pids:
            assert json.loads(classhook("ctl", pid, "--json", "rules", "add", "count Server::work").stdout)["ok"]
        rules = [
            [json.loads(line)["rule"] for line in classhook("ctl", pid, "--json", "rules").stdout.splitlines()]
            for pid in pids
        ]
        assert rules == [[f"count Server::{name}", "count Server::work"] for name in "ab"]
        assert classhook("ctl", pids[1], "detach").status == 0
        states = [json.loads(classhook("ctl", pid, "--json", "status").stdout)["state"] for pid in pids]
        assert states == ["attached", "detached"]
        assert classhook("ctl", pids[0], "gc").status == 0


def test_numbers_of_another_namespace(tmp_path: Path) -> None:
    """Without a /proc of its own, signals and sockets would be taken for those of other processes."""
    inside = ("unshare", "--pid", "--fork")
    if subprocess.run([*inside, "true"], capture_output=True).returncode:
        pytest.skip("unshare is not permitted here")
    for words in (["ps"], ["attach", "1", "-e", "count a.B::m", "-o", str(tmp_path)]):
        done = subprocess.run([*inside, *classhook_command(), *words], capture_output=True, text=True, env=ENVIRONMENT)
        assert (done.returncode, "another PID namespace" in done.stderr) == (1, True), done.stderr

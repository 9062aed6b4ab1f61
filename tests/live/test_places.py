"""Attaching to JVMs as they are in production: with very many classes, and in containers."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from tests.conftest import ENVIRONMENT, PATIENCE, Jvm, report_of
from tests.live.conftest import Serve, classhook
from tests.pressure.conftest import OLDEST_AND_NEWEST, leave_nothing

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


@OLDEST_AND_NEWEST
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
        (pid,) = [str(row["pid"]) for row in rows if row["container"] and str(inside) in Path(f"/proc/{row['pid']}/cmdline").read_text()]
        attached = classhook("attach", pid, "-e", "time Server::*")
        assert attached.status == 0, attached.stderr
        data = Path(f"/proc/{pid}/root/tmp/classhook-data")
        running.requests("counted", 50)
        assert calls_of(data)["counted"] == 50
        assert classhook("ctl", pid, "rules", "add", "count Server::nothing").status == 0
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

"""Programs that run for long: rotation, and metrics over HTTP."""

from __future__ import annotations

import http.client
import re
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from classhook.base.errors import UsageError
from classhook.live.observe.metrics import address_of
from classhook.model.reading.files import read
from classhook.store.rotation import earlier, rotate
from tests.conftest import ENVIRONMENT, PATIENCE, Compiled, FindJvm, classhook_command, report_of, until

Start = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def start(compiled: Compiled, find_jvm: FindJvm, tmp_path: Path) -> Iterator[Start]:
    """Starts a program that goes on until its input ends, with further options of `run`."""
    made: list[subprocess.Popen[bytes]] = []

    def begin(*options: str) -> subprocess.Popen[bytes]:
        line = [
            *classhook_command(),
            "run",
            "-e",
            "time Steady::* tree",
            "-e",
            "alloc byte[] in Steady",
            "-o",
            tmp_path / "data",
            *options,
            "--",
            find_jvm(17).java,
            "-cp",
            compiled("Steady"),
            "Steady",
        ]
        process = subprocess.Popen(
            line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT
        )
        made.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        return process

    yield begin
    for process in made:
        process.communicate()  # closes its input
        assert process.returncode == 0


def data_file(folder: Path) -> Path:
    (path,) = [path for path in folder.glob("*.classhook") if path.name.count(".") == 1]
    return path


def until_it_counted(path: Path) -> None:
    """Waits until something happened in a data file's period."""
    until(lambda: all(row.calls for key, row in read([path]).tables["methods"].items() if key[1] in ("step", "outer")))


def test_periods_add_up(start: Start, tmp_path: Path) -> None:
    process = start()
    path = data_file(tmp_path / "data")
    periods = []
    for _ in range(3):
        until_it_counted(path)
        made = rotate(path)
        assert made is not None
        periods.append(made)
    until_it_counted(path)
    process.communicate()
    files = [*periods, path]
    assert sorted(path.parent.glob("*.classhook")) == sorted(files)
    alone = [report_of(one) for one in files]
    whole = report_of(path.parent)
    assert whole["notes"] == []
    for table, column in (("methods", "calls"), ("methods", "self_ns"), ("allocations", "count")):
        sums: dict[tuple[str, str], int] = {}
        for report in alone:
            for row in report[table]:
                key = (row["class"], row["method"])
                sums[key] = sums.get(key, 0) + row[column]
        assert {(row["class"], row["method"]): row[column] for row in whole[table]} == pytest.approx(
            sums, abs=len(files)
        )
    steps = [next(row["calls"] for row in report["methods"] if row["method"] == "step") for report in alone]
    assert all(steps)
    assert [report["processes"][0]["end"] for report in alone] == ["snapshot", "snapshot", "snapshot", "exit"]
    # each begins where the one before ends, and what rules matched is not counted again
    assert [report["processes"][0]["since"] is None for report in alone] == [True, False, False, False]
    assert whole["rules"] == alone[-1]["rules"]
    assert whole["classes"]["woven"] == alone[-1]["classes"]["woven"]


def test_a_copy_is_not_counted_again(start: Start, tmp_path: Path) -> None:
    process = start()
    path = data_file(tmp_path / "data")
    made = rotate(path)
    assert made is not None
    copy = made.with_name(made.name.replace(".classhook", "x.classhook"))
    copy.write_bytes(made.read_bytes())
    process.communicate()
    snapshot = read(path.parent.glob("*.classhook"))
    assert [note for note in snapshot.notes if "not counted again" in note] == snapshot.notes != []


def test_run_rotates_and_keeps_so_many(start: Start, tmp_path: Path) -> None:
    process = start("--rotate", "300ms", "--keep", "2")
    path = data_file(tmp_path / "data")
    seen: set[Path] = set()
    while len(seen) < 5:
        seen.update(earlier(path))
        time.sleep(0.05)
    _, said = process.communicate()
    assert len(earlier(path)) == 2
    assert rotate(path) is None  # it has ended
    assert said.decode().startswith("classhook: 1 JVM instrumented")


def test_ctl_rotates_once(start: Start, tmp_path: Path) -> None:
    start()
    path = data_file(tmp_path / "data")
    line = [*classhook_command(), "ctl", path.name.partition("-")[0], "rotate"]
    for more in ([], ["1"]):
        done = subprocess.run([*line, *more], capture_output=True, text=True, env=ENVIRONMENT, timeout=PATIENCE)
        assert (done.returncode, done.stderr) == (0, "")
        assert [str(one) for one in earlier(path)][-1] == done.stdout.strip()
    assert len(earlier(path)) == 1
    done = subprocess.run([*line, "-1"], capture_output=True, text=True, env=ENVIRONMENT, timeout=PATIENCE)
    assert done.returncode == 2
    assert "the number of earlier files to keep" in done.stderr


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def got(port: int, path: str = "/metrics", host: str = "") -> tuple[int, str, str]:
    """Status, type and text of an answer, as soon as there is one."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", path, headers={"Host": host} if host else {})
    answer = connection.getresponse()
    return answer.status, answer.getheader("Content-Type") or "", answer.read().decode()


def test_metrics_are_openmetrics(start: Start, tmp_path: Path) -> None:
    port = free_port()
    process = start("--metrics", f"127.0.0.1:{port}")
    status, kind, text = got(port)
    assert (status, kind.partition(";")[0]) == (200, "application/openmetrics-text")
    families = {family.name: family for family in text_string_to_metric_families(text)}
    calls = {sample.labels["method"]: sample.value for sample in families["classhook_timed_calls"].samples}
    assert calls["step"] > calls["outer"] > 0
    assert families["classhook_process"].samples[0].labels["end"] == "running"
    assert got(port, "/other")[0] == 404
    assert got(port, host="localhost:1")[0] == got(port, host="[::1]:1")[0] == 200
    assert got(port, host="evil.example")[0] == got(port, host=f"10.0.0.1:{port}")[0] == 403
    line = [*classhook_command(), "run", "--metrics", f"127.0.0.1:{port}", "-o", tmp_path / "other", "--", "true"]
    done = subprocess.run(line, capture_output=True, text=True, env=ENVIRONMENT, timeout=PATIENCE)
    assert done.returncode == 2
    assert re.search(r"--metrics 127.0.0.1:\d+: cannot listen there: Address already in use", done.stderr)
    process.communicate()


@pytest.mark.parametrize(
    "text", ["0.0.0.0:9464", "192.168.1.7:9464", "example.com:80", "127.0.0.1", "127.0.0.1:99999", "", "[::]:1"]
)
def test_only_this_machine_is_answered(text: str) -> None:
    with pytest.raises(UsageError, match="--metrics"):
        address_of(text)
    assert address_of("localhost:1") == ("localhost", 1)
    assert address_of("[::1]:9464") == ("::1", 9464)
    assert address_of(":9464") == ("127.0.0.1", 9464)

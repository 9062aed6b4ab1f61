"""Shared by the tests of running JVMs: a server, its clients, and the commands."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from classhook.live import protocol
from classhook.live.jvms import jvm_of
from classhook.native.building import build
from tests.conftest import ENVIRONMENT, PATIENCE, Compiled, Jvm, Result, classhook_command, execute, report_of
from tests.live.clients import Clients
from tests.pressure.conftest import leave_nothing


def classhook(*words: str | Path, env: dict[str, str] | None = None) -> Result:
    """Executes a command of classhook."""
    done = execute([*classhook_command(), *words], env=env)
    assert "Traceback" not in done.stderr, done.stderr
    return done


@dataclass
class Running:
    """A JVM that runs a server, and what the tests do with it."""

    jvm: Jvm
    classes: Path
    process: subprocess.Popen[str]
    port: str
    data: Path
    reader: Path
    clients: list[Clients] = field(default_factory=list)

    @property
    def pid(self) -> str:
        return str(self.process.pid)

    def attach(self, *rules: str, more: tuple[str, ...] = ()) -> Result:
        return classhook("attach", self.pid, *(word for rule in rules for word in ("-e", rule)), "-o", self.data, *more)

    def detach(self) -> Result:
        return classhook("detach", self.pid)

    def ctl(self, *words: str | Path) -> Result:
        return classhook("ctl", self.pid, *words)

    def get(self, path: str) -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{path}", timeout=60) as answer:
            text: str = answer.read().decode()
            return text

    def requests(self, path: str, n: int, threads: int = 4) -> None:
        """Sends so many requests, all of which must be answered."""
        Clients(self.port, path, threads, n).end()

    def under_load(self, path: str = "load", threads: int = 4) -> None:
        """Sends requests until the test ends; none may fail."""
        self.clients.append(Clients(self.port, path, threads))
        self.clients[-1].wait_for(20 * threads)  # what they need is loaded now, and has been executed

    def calls(self) -> dict[str, int]:
        """The calls of the server's methods, by name."""
        return {row["method"]: row["calls"] for row in self.report()["methods"] if row["class"] == "Server"}

    def report(self) -> dict[str, Any]:
        return report_of(self.data)

    def agents_threads(self) -> list[str]:
        names = [path.read_text().strip() for path in Path(f"/proc/{self.pid}/task").glob("*/comm")]
        return sorted(name for name in names if name.startswith("classhook"))

    def bytecodes(self) -> dict[str, str]:
        """A hash of the bytecode of each class that is loaded and linked."""
        out = self.data.with_name("bytecodes")
        found = jvm_of(self.process.pid)
        assert found is not None
        protocol.execute(found, "load", str(self.reader), "true", str(out))
        return dict(line.rsplit(" ", 1) for line in out.read_text().splitlines())

    def changed(self, before: dict[str, str]) -> set[str]:
        """The classes whose bytecode is not as it was before."""
        now = self.bytecodes()
        return {name for name in before.keys() & now.keys() if before[name] != now[name]}

    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.ctl("--json", "status").stdout)
        return found

    def end_load(self) -> None:
        for client in self.clients:
            client.end()
        self.clients.clear()


Serve = Callable[..., Running]


@pytest.fixture(scope="session")
def classes(compiled: Compiled) -> Path:
    """The compiled programs of tests/jvm/java/live."""
    return compiled("live")


def made_library(folder: Path, source: str) -> Path:
    """The library made of a C file of this folder."""
    library = folder / Path(source).with_suffix(".so").name
    home = build.jdk_home()
    includes = [f"-I{home / 'include'}", f"-I{home / 'include' / 'linux'}"]
    subprocess.run(
        [build.compiler(), "-shared", "-fPIC", "-O1", *includes, Path(__file__).with_name(source), "-o", library],
        check=True,
    )
    return library


@pytest.fixture(scope="session")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library made of bytecodes.c."""
    return made_library(tmp_path_factory.mktemp("reader"), "bytecodes.c")


@pytest.fixture
def serve(classes: Path, reader: Path, tmp_path: Path) -> Iterator[Serve]:
    """Starts a server; it must still be there when the test ends, unless the test has killed it."""
    all_running: list[Running] = []

    def start(
        jvm: Jvm, *options: str, before: tuple[str, ...] = (), class_path: Path = classes, main: str = "Server"
    ) -> Running:
        line = [*before, jvm.java, "-Xmx256m", *options, "-cp", class_path, main]
        process = subprocess.Popen(
            line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
        )
        assert process.stdout is not None
        port = process.stdout.readline().strip()
        assert port, process.communicate()[1]
        all_running.append(Running(jvm, classes, process, port, tmp_path / "data", reader))
        return all_running[-1]

    yield start
    for running in all_running:
        try:
            running.end_load()
            if running.process.poll() is None:
                running.process.communicate("", timeout=PATIENCE)
                assert running.process.returncode == 0
        finally:
            for client in running.clients:
                client.kill()
            running.process.kill()
            leave_nothing(running.data)

"""Runs the program of the cache and data file fuzzers (Small.java), bare or with the agent."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from classhook.base.launch import agent_option
from classhook.model.reading.files import data_files, read
from classhook.rules.compiled import dumps
from classhook.rules.parse import load
from tests.conftest import ENVIRONMENT

HERE = Path(__file__).parent
RULES = [
    "time Small::*",
    "time Small$Hot::* sample 1/10",
    "time Small$Failing::*",
    "count Small$Box::*",
    "count Small$Square::*",
    "alloc * in Small",
]
#: For a JVM that starts quickly and keeps its counters in the data directory itself.
OPTIONS = (
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-XX:-UsePerfData",
    "-Xmx64m",
    "-Xshare:auto",
    "-XX:ErrorFile=hs_err_%p.log",
)
QUIET = {**ENVIRONMENT, "CLASSHOOK_NO_TMPFS": "1"}
PATIENCE = 60  # seconds until a JVM is taken to hang


@dataclass(frozen=True)
class Outcome:
    """A run's result and counts; `cached` of `woven` classes came from the cache; `python`: whether it was started."""

    status: int
    out: str
    err: str
    counts: Any = None
    woven: int = 0
    cached: int = 0
    python: bool = False

    @property
    def warm(self) -> bool:
        return self.woven == self.cached > 0 and not self.python and not self.err


@dataclass
class Program:
    """The program, compiled into a folder, in which it also runs."""

    java: Path
    folder: Path
    rules: Path = field(init=False)

    def __post_init__(self) -> None:
        subprocess.run(
            [self.java.parent / "javac", "-nowarn", "-d", self.folder, HERE / "Small.java"], check=True, timeout=120
        )
        self.rules = self.folder / "small.rules"
        self.rules.write_text(dumps(load([], RULES)))

    def line(self, data: Path | None, cache: Path | None = None, words: tuple[str, ...] = ()) -> list[str]:
        """The command line; without `data`, without the agent."""
        more = {"cache": str(cache)} if cache else {}
        agent = [agent_option(self.rules, data, **more)] if data else []
        return [str(self.java), *agent, *OPTIONS, "-cp", ".", "Small", *words]

    def start(self, *args: Any, **more: Any) -> subprocess.Popen[str]:
        """Takes the arguments of `line`."""
        pipe, line = subprocess.PIPE, self.line(*args, **more)
        return subprocess.Popen(
            line, cwd=self.folder, env=QUIET, stdin=pipe, stdout=pipe, stderr=pipe, text=True, errors="replace"
        )

    def ended(self, process: subprocess.Popen[str], data: Path | None) -> Outcome:
        """Waits for its end. A JVM that hangs is killed, which its status shows."""
        try:
            out, err = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            err += f"hung for {PATIENCE} s"
        if data is None or not data.is_dir():
            return Outcome(process.returncode, out, err)
        snapshot = read(data_files([data]))
        calls = sorted((key, row.calls) for key, row in snapshot.tables["methods"].items())
        sites = sorted((key, row.count, row.bytes) for key, row in snapshot.tables["allocations"].items())
        python = any(one.python_ns for one in snapshot.processes)
        return Outcome(process.returncode, out, err, (calls, sites), snapshot.woven, snapshot.cached, python)

    def run(self, data: Path | None, cache: Path | None = None) -> Outcome:
        return self.ended(self.start(data, cache), data)

    def crashes(self) -> list[Path]:
        """The JVM's crash logs."""
        return [*self.folder.glob("hs_err*"), *self.folder.glob("core*")]

"""The program whose agent meets faults, what it must print, and what its data must have."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import classhook.measures.every  # noqa: F401  # registers the words of rules
from classhook.base.launch import agent_option
from classhook.model.reading.files import data_files, read
from classhook.model.snapshot import Snapshot
from classhook.rules.compiled import dumps
from classhook.rules.parse import load
from tools.fuzz.program import HERE, OPTIONS, QUIET, RULES
from tools.strangers.suites.faults.preload import Fault, Preload

PATIENCE = 60  # seconds until a JVM is taken to hang
SCRIPT = Path(__file__).with_name("handlers.py")


class Unfit(Exception):
    """A run is not as it must be; the text says how."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A way in which the agent runs. `title`: the rules, in the table; `warm`: classes come from the cache; `python`:
    the calls of Python itself fail; `release`: the only JVM that it runs on."""

    name: str
    title: str
    rules: tuple[str, ...]
    warm: bool = True
    options: Mapping[str, str] = field(default_factory=dict)
    python: bool = False
    release: int | None = None


COUNTERS = (*RULES, "cover Small*", "watch Small$Failing::tried when arg0 < 3 show args, result, stack 2")
SAMPLERS = (
    "cpu every 2ms",
    "profile Small::*",
    "locks stack 4 parks",
    "threads",
    "alloc * in Small stack 4",
    "alloc * in Small live every 4KB",
    "context Small::work by arg0",
    "value Small::work of arg0 by arg0",
    "time Small$Hot::* tree",
)
SETTINGS = (
    Setting("warm", "time, count, alloc, cover, watch", COUNTERS),
    Setting("cold", "time, count, alloc, cover, watch", COUNTERS, warm=False, release=17),
    Setting("samplers", "cpu, profile, locks, threads, alloc, context, value", SAMPLERS, release=25),
    Setting("handlers", "a script, control", COUNTERS, options={"script": str(SCRIPT), "control": "yes"}, release=25),
    Setting("python", "a script; calls of libpython", COUNTERS[:6], False, {"script": str(SCRIPT)}, True, 17),
)


def found_in(snapshot: Snapshot) -> dict[str, Any]:
    """All that is the same in each run."""
    of_row: dict[str, Callable[[Any], Any]] = {
        "methods": lambda row: (row.calls, row.completed, row.exceptions),
        "allocations": lambda row: (row.count, row.bytes),
        "coverage": lambda row: sorted(row.found.values()),
    }
    found: dict[str, Any] = {
        name: {key: get(row) for key, row in snapshot.tables[name].items()} for name, get in of_row.items()
    }
    found["watched"] = len(snapshot.tables["calls"])
    found["contexts"] = dict(snapshot.entered)
    return found


@dataclass(slots=True)
class Program:
    """The program of the fuzzers, compiled into a folder, in which it also runs."""

    java: Path
    folder: Path
    setting: Setting
    bare: tuple[int, str] = (0, "")
    wanted: dict[str, Any] = field(default_factory=dict)
    failed: int = 0  # the place of the first call that failed in the last run

    @classmethod
    def prepared(cls, folder: Path, java: Path, setting: Setting) -> Program:
        folder.mkdir(parents=True)
        javac = [java.parent / "javac", "-nowarn", "-d", folder, HERE / "Small.java"]
        subprocess.run(javac, check=True, timeout=120)
        (folder / "rules").write_text(dumps(load([], list(setting.rules))))
        program = cls(java, folder, setting)
        bare = program.run({}, agent=False)
        program.bare = bare.returncode, bare.stdout
        for _ in range(2):  # the second one finds its classes in the cache
            plain = program.run({})
            if (plain.returncode, plain.stdout, plain.stderr) != (*program.bare, ""):
                raise AssertionError(f"without faults: {plain}")
        program.wanted = found_in(read(data_files([program.data])))
        return program

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def run(
        self, environment: Mapping[str, str], agent: bool = True, limit: Callable[[], None] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """`limit` is called in the new process, before it becomes a JVM."""
        shutil.rmtree(self.data, ignore_errors=True)
        cache = self.folder / "cache"
        if not self.setting.warm:
            shutil.rmtree(cache, ignore_errors=True)
        option = agent_option(self.folder / "rules", self.data, cache=str(cache), **self.setting.options)
        line = [self.java, *([option] if agent else []), *OPTIONS, "-cp", ".", "Small"]
        env = {**QUIET, **environment}
        return subprocess.run(
            line, cwd=self.folder, env=env, capture_output=True, text=True, timeout=PATIENCE, preexec_fn=limit
        )

    def noted(self, preload: Preload, fault: Fault) -> list[int]:
        """The places of all calls of this kind."""
        notes = self.folder / "notes"
        notes.unlink(missing_ok=True)
        self.run(preload.environment(fault, notes))
        return preload.noted(notes)[1]

    def judge(self, preload: Preload, fault: Fault) -> None:
        """Runs with a fault. Raises Unfit."""
        notes = self.folder / "notes"
        notes.unlink(missing_ok=True)
        try:
            ended = self.run(preload.environment(fault, notes))
        except subprocess.TimeoutExpired:
            raise Unfit(f"hung for {PATIENCE} s") from None
        finally:
            failed, calls = preload.noted(notes) if notes.exists() else (0, [])
            self.failed = calls[fault.first - 1] if failed and len(calls) >= fault.first else 0
        self.judge_end(ended, str(fault))
        if failed:
            self.judge_data(ended.stderr)

    def judge_end(self, ended: subprocess.CompletedProcess[str], name: str) -> None:
        """Raises Unfit."""
        if crashes := [*self.folder.glob("hs_err*"), *self.folder.glob("core*")]:
            for crash in crashes:
                crash.rename(self.folder / f"{name.replace(' ', '-')}.crash")
            raise Unfit("the JVM crashed")
        if (ended.returncode, ended.stdout) != self.bare:
            raise Unfit(f"status {ended.returncode}, {ended.stdout!r}, {ended.stderr[:300]!r}")

    def judge_data(self, stderr: str) -> None:
        """Raises Unfit if something is missing and nothing says so."""
        said = "classhook: " in stderr
        if not self.data.is_dir():
            if not said:
                raise Unfit("no data, and nothing says why")
            return
        try:
            snapshot = read(data_files([self.data]))
        except Exception as error:
            raise Unfit(f"the data cannot be read: {error!r}") from error
        found = found_in(snapshot)
        if not said and snapshot.complete and not snapshot.skipped and found != self.wanted:
            wrong = [name for name, value in self.wanted.items() if found[name] != value]
            raise Unfit(f"missing, and not said: {', '.join(wrong)}")
        most = max((row.total_ns for row in snapshot.tables["methods"].values()), default=0)
        if most > PATIENCE * 10**9:
            raise Unfit(f"a time of {most} ns")

"""Shared by the benchmarks: JVMs, compiling, running and measuring commands, the agent's option and values from its
data file."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from classhook.base.launch import agent_option
from classhook.model.reading.files import data_files
from classhook.rules.compiled import dumps
from classhook.rules.parse import load
from classhook.store import tmpfs
from classhook.store.data_file import DataFile
from classhook.store.reading import read_file
from tests import peers
from tools.bench.figures import BenchError, Values

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PEERS = ROOT / ".pytest_cache" / "d" / "peers"  # shared with the tests
CLI = [sys.executable, "-c", "import sys; from classhook.cli import main; sys.exit(main())"]


@cache
def jvms() -> dict[str, str]:
    """Feature release -> `java`, for the JDKs of this machine, in order."""
    from classhook.commands.self.doctor import OLDEST, java_version

    homes = [os.environ.get("JAVA_HOME", ""), *map(str, sorted(Path("/usr/lib/jvm").glob("*")))]
    candidates = [shutil.which("java"), *(f"{home}/bin/java" for home in homes if home)]
    found: dict[int, str] = {}
    for path in candidates:
        if path and os.access(path, os.X_OK):
            found.setdefault(java_version(path)[0], path)
    return {str(release): found[release] for release in sorted(found) if release >= OLDEST}


def oldest() -> tuple[str, str]:
    """The release and `java` to use if one JVM is enough."""
    return next(iter(jvms().items()))


@cache
def scratch() -> Path:
    """A folder that is removed when this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="classhook-bench-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def compiled(source: str, *class_path: Path) -> Path:
    """The classes of a file in java/."""
    out = scratch() / source
    tool(
        "javac",
        "--release",
        "17",
        "-cp",
        os.pathsep.join(map(str, class_path)) or ".",
        "-d",
        out,
        HERE / "java" / source,
    )
    return out


@cache
def own_classes(java: str) -> Path:
    """The class files of a JDK's module java.base, extracted."""
    jdk = Path(java).resolve().parent.parent
    out = scratch() / "modules" / jdk.name
    tool(
        jdk / "bin" / "jimage",
        "extract",
        "--dir",
        out,
        "--include",
        "regex:/java.base/.*[.]class",
        jdk / "lib" / "modules",
    )
    return out / "java.base"


@cache
def peer(artifact: peers.Artifact) -> Path:
    """A jar of Maven Central. Raises BenchError."""
    try:
        return peers.fetch(artifact, PEERS)
    except peers.Missing as missing:
        raise BenchError(str(missing)) from None


@cache
def peer_with_needs(artifact: peers.Artifact) -> list[Path]:
    """A jar of Maven Central and those that it needs. Raises BenchError."""
    try:
        return peers.fetch_all(artifact, PEERS)
    except peers.Missing as missing:
        raise BenchError(str(missing)) from None


@cache
def jacoco() -> str:
    """The option for JaCoCo's agent. Raises BenchError."""
    return f"-javaagent:{peer(peers.JACOCO)}=append=false,destfile={scratch() / 'jacoco.exec'}"


# ---- running


def tool(*line: str | Path) -> None:
    """Runs a command that prepares a measurement. Raises BenchError."""
    try:
        done = subprocess.run(line, capture_output=True, text=True, check=False)
    except OSError as error:
        raise BenchError(f"{line[0]}: {error.strerror}") from None
    if done.returncode:
        raise BenchError(
            f"{Path(line[0]).name} ended with {done.returncode}: {(done.stderr + done.stdout).strip()[-300:]}"
        )


@cache
def _runner() -> subprocess.Popen[str]:
    line = [sys.executable, "-I", "-S", str(HERE / "runner.py")]
    process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(process.communicate)  # it ends at the end of its input
    return process


def run(command: Sequence[str | Path], allowed: Sequence[int] = (0,)) -> Values:
    """Runs a command: `wall` and `cpu` in seconds, `resident` in MB. Raises BenchError if its status is not in
    `allowed`."""
    runner, out, err = _runner(), scratch() / "out", scratch() / "err"
    assert runner.stdin is not None
    assert runner.stdout is not None
    words = [str(word) for word in command]
    runner.stdin.write(json.dumps({"command": words, "out": str(out), "err": str(err)}) + "\n")
    runner.stdin.flush()
    values: dict[str, float] = json.loads(runner.stdout.readline())
    status = values.pop("status")
    if status not in allowed:
        said = (err.read_text(errors="replace") + out.read_text(errors="replace")).strip().splitlines()
        raise BenchError(f"{Path(words[0]).name} ended with {status:.0f}: {said[-1] if said else 'without a word'}")
    return values


def last_number() -> float:
    """The last line printed by the last command."""
    return float((scratch() / "out").read_text().split()[-1])


def printed(unit: str, command: Sequence[str | Path]) -> Values:
    """The number that a command prints last. Raises BenchError."""
    run(command)
    return {unit: last_number()}


def with_jacoco(measure: Callable[[Sequence[str | Path]], Values], java: str, words: Sequence[str | Path]) -> Values:
    """Measures a JVM with JaCoCo's agent. Raises BenchError."""
    return measure([java, jacoco(), *words])


@dataclass(frozen=True, slots=True)
class Agent:
    """The agent with these rules. `cache`: name of a folder of woven classes; `cold`: it is emptied before each run;
    `script`: of handlers."""

    rules: tuple[str, ...]
    cache: str = ""
    cold: bool = False
    script: str = ""

    def run(self, java: str, words: Sequence[str | Path], see: Callable[[DataFile], Values] = lambda _: {}) -> Values:
        """Runs a JVM with the agent; adds what `see` finds in its data file to the values. Raises BenchError."""
        data, packs = scratch() / "data", scratch() / "caches" / self.cache
        if self.cold:
            shutil.rmtree(packs, ignore_errors=True)
        file = scratch() / "bench.rules"
        file.write_text(dumps(load([], list(self.rules))))
        more = {"cache": str(packs)} if self.cache else {}
        values = run([java, agent_option(file, data, script=self.script, **more), *words])
        (path,) = data_files([data])
        try:
            return {**values, **see(read_file(path))}
        finally:
            tmpfs.remove(path)


def python_start(file: DataFile) -> Values:
    """The time that Python's start took in the JVM, in ms; 0 if it was not started."""
    return {"python": file.header.python_ns / 1e6}

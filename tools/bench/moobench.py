"""MooBench, the benchmark by Kieker's authors: the cost of a recorded call. Kieker's data is on disk at the end;
classhook's is in memory, and `classhook run` moves it to disk after the program's end.

Its repository is not in a package registry: CLASSHOOK_MOOBENCH names a clone of github.com/kieker-monitoring/moobench.
Its program calls a method that calls itself nine times, and writes the time of each of these calls in nanoseconds. As
in MooBench's own evaluation, the first half of the calls only warms up. The cost of a call is a tenth of the difference
between the median and that of a bare run.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from statistics import median

from classhook.store.data_file import DataFile
from tests import peers
from tools.bench.common import Agent, oldest, peer, run, scratch, tool
from tools.bench.figures import BenchError, Figure, Results, Values, runs, table

FOLDER = "CLASSHOOK_MOOBENCH"
SOURCES = ("tools", "SuT-java", "src", "main", "java")
CALLS, DEPTH = 1_000_000, 10
CLASS = "moobench.application.MonitoredClassSimple"
MAIN = "moobench.measurementHarness.BenchmarkMain"
HEAP = ("-Xms1G", "-Xmx2G")
SIGNATURES = {"KIEKER_SIGNATURES_INCLUDE": f"* {CLASS}.*()"}
FILES = "kieker.monitoring.writer.filesystem.FileWriter"
RULES = {
    "count": f"count {CLASS}::*",
    "profile": f"profile {CLASS}::*",
    "time": f"time {CLASS}::*",
    "tree": f"time {CLASS}::* tree",
}
NAMES = {
    "count": "classhook, `count`",
    "profile": "classhook, `profile`",
    "time": "classhook, `time`",
    "tree": "classhook, `time ... tree`",
    "kieker-off": f"Kieker {peers.KIEKER.version}, deactivated",
    "kieker": f"Kieker {peers.KIEKER.version}, binary file",
}


@cache
def program() -> list[str]:
    """The words after the JVM's options. Raises BenchError."""
    folder = os.environ.get(FOLDER)
    if not folder or not (source := Path(folder, *SOURCES)).is_dir():
        raise BenchError(f"{FOLDER} does not name a clone of MooBench")
    out, jar = scratch() / "moobench", peer(peers.JCOMMANDER)
    tool("javac", "--release", "17", "-nowarn", "-cp", jar, "-d", out, *sorted(source.rglob("*.java")))
    options = {"total-calls": CALLS, "method-time": 0, "total-threads": 1, "recursion-depth": DEPTH}
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    return [*HEAP, "-cp", f"{out}:{jar}", MAIN, *words, "-a", CLASS, "--quickstart", "-o", str(times_path())]


def times_path() -> Path:
    return scratch() / "moobench.csv"


def steady() -> Values:
    """The median time of the second half of the calls, in ns."""
    lines = times_path().read_text().splitlines()
    return {"ns": median(int(line.split(";")[1]) for line in lines[len(lines) // 2 :])}


def written(folder: Path) -> Values:
    """The size of the files in a folder, in MB."""
    return {"disk": sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6}


def kieker(java: str, *options: str) -> Values:
    """Raises BenchError."""
    records = scratch() / "kieker"
    shutil.rmtree(records, ignore_errors=True)
    records.mkdir()
    agent = [f"-javaagent:{peer(peers.KIEKER)}", *(f"-Dkieker.monitoring.{one}" for one in options)]
    where = f"-D{FILES}.customStoragePath={records}/"
    words = [
        "/usr/bin/env",
        *(f"{name}={value}" for name, value in SIGNATURES.items()),
        java,
        *agent,
        where,
        *program(),
    ]
    return {**run(words), **steady(), **written(records)}


def kept(file: DataFile) -> Values:
    return {"disk": file.path.stat().st_blocks * 512 / 1e6}


def classhook(rule: str, java: str) -> Values:
    """Raises BenchError."""
    values = Agent((rule,)).run(java, program(), kept)
    return {**values, **steady()}


def bare(java: str) -> Values:
    """Raises BenchError."""
    return {**run([java, *program()]), **steady()}


def measure(results: Results) -> None:
    _, java = oldest()
    to_file = (
        "enabled=true",
        "adaptiveMonitoring.enabled=false",
        "periodicSensorsExecutorPoolSize=0",
        f"writer={FILES}",
        "writer.filesystem.FileWriter.logStreamHandler=kieker.monitoring.writer.filesystem.BinaryLogStreamHandler",
        "core.controller.WriterController.QueuePutStrategy=kieker.monitoring.queue.putstrategy.YieldPutStrategy",
    )
    variants: dict[str, Callable[[], Values]] = {
        "bare": partial(bare, java),
        **{name: partial(classhook, rule, java) for name, rule in RULES.items()},
        "kieker-off": partial(kieker, java, "enabled=false", "writer=kieker.monitoring.writer.dump.DumpWriter"),
        "kieker": partial(kieker, java, *to_file),
    }
    results.by_turns(variants, runs(3), "MooBench")


def each(results: Results, name: str) -> Figure:
    """The cost of a recorded call in ns."""
    whole = results.minus(f"{name}/ns", "bare/ns")
    return Figure(tuple(value / DEPTH for value in whole.values))


def tables(results: Results) -> str:
    rows = [
        [what, each(results, name).text("{:.1f} ns"), results.figure(name, "disk").text("{:,.1f} MB")]
        for name, what in NAMES.items()
    ]
    return table(["what", f"a call, of {CALLS * DEPTH:,}", "data"], rows)

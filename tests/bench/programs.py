"""Whole programs, cache warm: wall time over bare in pairs, for `count`, `time` and a budget, and resident memory."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from instrument.launch import agent_option
from rules.compiled import dumps
from rules.parse import load
from tests.bench.common import Figure, jvms, scratch, side_by_side
from tests.bench.startup import resident_mb

RUNS = int(os.environ.get("CLASSHOOK_BENCH_RUNS", "15"))
ROWS = 20_000


def jar(name: str) -> Path | None:
    for folder in (os.environ.get("CLASSHOOK_TEST_JARS"), "/usr/share/java"):
        if folder and (path := Path(folder, name)).exists():
            return path
    return None


def h2_script() -> Path:
    path = scratch() / "bench.sql"
    lines = ["CREATE TABLE t(id INT PRIMARY KEY, name VARCHAR(100), v DECIMAL(20, 2));"]
    lines += [f"INSERT INTO t VALUES({i}, 'name {i * 7919 % 1000}', {i * 1.37:.2f});" for i in range(ROWS)]
    lines += ["CREATE INDEX ix ON t(name);", "SELECT name, COUNT(*), AVG(v) FROM t GROUP BY name ORDER BY name LIMIT 20;"] * 1
    lines += ["SELECT COUNT(*) FROM t a JOIN t b ON a.name = b.name WHERE a.id < 2000;", "UPDATE t SET v = v * 2 WHERE id < 9000;"]
    path.write_text("\n".join(lines))
    return path


def ecj_sources() -> list[str]:
    """The demo's sources, many times over under other names."""
    folder = scratch() / "ecj"
    folder.mkdir(exist_ok=True)
    originals = sorted((Path(__file__).parent.parent / "demo" / "java").glob("*.java"))
    found = []
    for i in range(12):
        for original in originals:
            path = folder / f"p{i}" / original.name
            path.parent.mkdir(exist_ok=True)
            text = original.read_text()
            path.write_text(text.replace("package demo;", f"package p{i};"))
            found.append(str(path))
    return found


def programs() -> dict[str, tuple[list[str], str]]:
    """Name -> (words behind java, class pattern of all its code)."""
    found = {}
    if h2 := jar("h2.jar"):
        found["h2"] = (["-cp", str(h2), "org.h2.tools.RunScript", "-url", "jdbc:h2:mem:x", "-script", str(h2_script())], "**")
    if ecj := jar("eclipse-jdt-core.jar"):
        main = "org.eclipse.jdt.internal.compiler.batch.Main"
        found["ecj"] = (["-cp", str(ecj), main, "-17", "-nowarn", "-proc:none", "-d", str(scratch() / "ecj-out"), *ecj_sources()], "**")
    return found


def wall(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.perf_counter() - start


def main() -> None:
    java = jvms().get("17") or next(iter(jvms().values()))
    for name, (words, pattern) in programs().items():
        rules = {"count": f"count {pattern}::*", "time": f"time {pattern}::*", "time, budget 5%": f"time {pattern}::* budget 5%"}
        lines: dict[str, list[str]] = {"bare": [java, *words]}
        for label, rule in rules.items():
            file = scratch() / f"{name}-{label.replace(' ', '')}.rules"
            file.write_text(dumps(load([], [rule])))
            option = agent_option(file, scratch() / "data", cache=str(scratch() / "cache"))
            lines[label] = [java, option, *words]
            wall(lines[label])  # warms the cache
        figures: dict[str, Figure] = side_by_side({label: _wall_of(line) for label, line in lines.items()}, RUNS)
        print(f"## {name}, every method outside the JDK, cache warm, bare {figures['bare'].text(' s')}")
        for label in rules:
            print(f"{label + ', wall over bare':32} x{figures[label].over(figures['bare']).text()}")
        print(f"{'budget 5%, wall over count':32} x{figures['time, budget 5%'].over(figures['count']).text()}")
        memory = side_by_side({label: _memory_of(lines[label]) for label in ("bare", "time")}, 5)
        print(f"{'time, resident over bare':32} {memory['time'].minus(memory['bare']).text(' MB', 0)}")


def _wall_of(line: list[str]) -> Callable[[], float]:
    return lambda: wall(line)


def _memory_of(line: list[str]) -> Callable[[], float]:
    return lambda: resident_mb(line)


if __name__ == "__main__":
    main()

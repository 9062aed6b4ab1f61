"""What a JVM's start costs more with the agent: Hello, wall time and resident memory over bare, in runs by turns.

Peers in the same run: JaCoCo's agent (where CLASSHOOK_JACOCO names its jar) and JFR's method timing (JDK 25).
"""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections.abc import Callable, Sequence

from instrument.launch import agent_option
from rules.compiled import dumps
from rules.parse import load
from tests.bench.common import compiled, jvms, scratch, side_by_side

RUNS = int(os.environ.get("CLASSHOOK_BENCH_RUNS", "21"))
NOTHING, ONE = ["time com.acme.**::*"], ["time Hello::*"]


def wall_ms(command: Sequence[str], before: Callable[[], None] | None = None) -> float:
    if before is not None:
        before()
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - start) * 1e3


def resident_mb(command: Sequence[str], before: Callable[[], None] | None = None) -> float:
    """The most that the command had resident; a child's own, from wait4."""
    if before is not None:
        before()
    pid = os.posix_spawn(command[0], list(command), os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    usage: resource.struct_rusage = os.wait4(pid, 0)[2]
    return usage.ru_maxrss / 1024


def variants(java: str, version: str) -> dict[str, tuple[list[str], Callable[[], None] | None]]:
    hello = ["-Xshare:auto", "-cp", str(compiled("Hello.java")), "Hello"]
    cache = scratch() / "cache"

    def option(rules: list[str], name: str, **more: str) -> str:
        file = scratch() / f"{name}.rules"
        file.write_text(dumps(load([], rules)))
        return agent_option(file, scratch() / "data", **more)

    def clear() -> None:
        for pack in cache.glob("*.pack"):
            pack.unlink()

    warm = option(ONE, "one", cache=str(scratch() / "warm"))
    subprocess.run([java, warm, *hello], stdout=subprocess.DEVNULL, check=True)
    found: dict[str, tuple[list[str], Callable[[], None] | None]] = {
        "bare": ([java, *hello], None),
        "rules that match nothing": ([java, option(NOTHING, "nothing", cache=str(cache)), *hello], None),
        "one class timed, cold": ([java, option(ONE, "one", cache=str(cache)), *hello], clear),
        "one class timed, cache warm": ([java, warm, *hello], None),
    }
    if jacoco := os.environ.get("CLASSHOOK_JACOCO"):
        found["JaCoCo"] = ([java, f"-javaagent:{jacoco}=destfile={scratch() / 'jacoco.exec'}", *hello], None)
    if int(version) >= 25:
        found["JFR method timing"] = ([java, "-XX:StartFlightRecording:method-timing=Hello::main,filename=/dev/null", *hello], None)
    return found


def main() -> None:
    for version, java in sorted(jvms().items()):
        for what, measure, unit in (("wall", wall_ms, " ms"), ("resident", resident_mb, " MB")):
            print(f"## Hello, {what}, JDK {version}, over bare")
            figures = side_by_side({name: lambda v=v, measure=measure: measure(*v) for name, v in variants(java, version).items()}, RUNS)
            print(f"{'bare itself':32} {figures['bare'].text(unit, 1)}")
            for name, figure in figures.items():
                if name != "bare":
                    print(f"{name:32} {figure.minus(figures['bare']).text(unit, 1)}")


if __name__ == "__main__":
    main()

"""Attaching to JVMs with many classes, and detaching: how long it takes, how long the program stands still, and what it
costs afterwards. Then, in a small program, other tools that one attaches (attached.py)."""

from __future__ import annotations

import re
import subprocess
import time
from functools import partial

from tools.bench import attached
from tools.bench.common import CLI, BenchError, compiled, jvms, scratch
from tools.bench.figures import Results, Values, runs, table

CLASSES = (1_000, 10_000, 30_000)
RULE = "count Loaded$*::*"
MEASURED_S = 1.5
MOST, ENOUGH = 12, 3  # measurements, and those without progress
STOP = re.compile(r'Safepoint "RedefineClasses".*Total: +(\d+) ns')
COLUMNS = {
    "attach": "{:.2f} s",
    "detach": "{:.2f} s",
    "stops": "{:.0f}",
    "longest": "{:.0f} ms",
    "stopped": "{:.0f} ms",
    "bare": "{:.1f} ns",
    "counted": "{:.1f} ns",
    "after": "{:.1f} ns",
}


def measure(results: Results) -> None:
    variants = {
        f"{release}/{n}": partial(attached_and_left, java, n) for release, java in jvms().items() for n in CLASSES
    }
    variants |= {
        f"{release}/{tool}": partial(attached.measured, java, tool, speed)
        for release, java in jvms().items()
        for tool in attached.TOOLS
    }
    results.by_turns(variants, runs(2), "attaching")


def attached_and_left(java: str, classes: int) -> Values:
    """Starts a program, attaches, detaches. Raises BenchError."""
    log, data = scratch() / "safepoints", scratch() / f"attached-{time.monotonic_ns()}"
    log.unlink(missing_ok=True)
    options = ["-Xmx1g", f"-Xlog:safepoint:file={log}", "-cp", str(compiled("Loaded.java"))]
    line = [java, *options, "Loaded", str(classes)]
    program = subprocess.Popen(
        line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        values = {"bare": speed(program)}
        values["attach"] = command("attach", str(program.pid), "-e", RULE, "-o", str(data), "--no-cache", "--quiet")
        stops = [int(ns) / 1e6 for ns in STOP.findall(log.read_text())]
        values |= {
            "stops": len(stops),
            "longest": max(stops, default=0),
            "stopped": sum(stops),
            "counted": speed(program),
        }
        values["detach"] = command("detach", str(program.pid), "--quiet")
        return {**values, "after": speed(program)}
    finally:
        program.kill()
        program.wait()


def speed(program: subprocess.Popen[str]) -> float:
    """CPU time of a call in ns, once the JIT has done its work: the best of some seconds, when it gets no better."""
    best, since_best = float("inf"), 0
    since_last(program)  # not of what was before
    for _ in range(MOST):
        time.sleep(MEASURED_S)
        value = since_last(program)
        since_best = 0 if value < 0.97 * best else since_best + 1
        best = min(best, value)
        if since_best == ENOUGH:
            break
    return best


def since_last(program: subprocess.Popen[str]) -> float:
    """CPU time of a call in ns since this was asked last."""
    assert program.stdin is not None
    assert program.stdout is not None
    program.stdin.write("\n")
    program.stdin.flush()
    return float(program.stdout.readline() or "nan")


def command(*words: str) -> float:
    """Seconds that a command of classhook takes. Raises BenchError."""
    start = time.monotonic()
    done = subprocess.run([*CLI, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchError(f"classhook {words[0]}: {done.stderr.strip()}")
    return time.monotonic() - start


def tables(results: Results) -> str:
    rows = []
    for release in results.names(0):
        for n in CLASSES:
            figures = {name: results.figure(release, str(n), name) for name in COLUMNS}
            if figures["attach"]:
                rows.append([release, f"{n:,}", *(figures[name].text(form) for name, form in COLUMNS.items())])
    heads = ["attach", "detach", "stops", "longest stop", "all stops", "a call, bare", "counted", "after detaching"]
    return table(["JDK", "classes", *heads], rows) + "\n\n" + attached.tables(results)

"""What the benchmarks share: JVMs, compiling, running with rules, medians with their spread."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from instrument.launch import agent_option
from rules.compiled import dumps
from rules.parse import load

HERE = Path(__file__).parent
RUNS = int(os.environ.get("CLASSHOOK_BENCH_RUNS", "7"))


@dataclass(frozen=True)
class Figure:
    """Several measurements of one thing."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    def minus(self, other: Figure) -> Figure:
        """Differences of runs made side by side."""
        return Figure(tuple(a - b for a, b in zip(self.values, other.values, strict=True)))

    def over(self, other: Figure) -> Figure:
        """Ratios of runs made side by side."""
        return Figure(tuple(a / b for a, b in zip(self.values, other.values, strict=True)))

    def text(self, unit: str = "", digits: int = 2) -> str:
        low, high = min(self.values), max(self.values)
        return f"{self.median:.{digits}f}{unit} ({low:.{digits}f} to {high:.{digits}f}, {len(self.values)} runs)"


def side_by_side(variants: dict[str, Callable[[], float]], runs: int = RUNS) -> dict[str, Figure]:
    """Runs the variants by turns, so that what else the machine does hits all alike."""
    found: dict[str, list[float]] = {name: [] for name in variants}
    for _ in range(runs):
        for name, measure in variants.items():
            found[name].append(measure())
    return {name: Figure(tuple(values)) for name, values in found.items()}


@cache
def jvms() -> dict[str, str]:
    """Feature release -> `java`, for the JDKs of this machine."""
    from instrument.commands.doctor import java_version

    homes = [os.environ.get("JAVA_HOME", ""), *map(str, Path("/usr/lib/jvm").glob("*"))]
    candidates = [shutil.which("java"), *(f"{home}/bin/java" for home in homes if home)]
    found: dict[str, str] = {}
    for path in candidates:
        if path and os.access(path, os.X_OK):
            found.setdefault(str(java_version(path)[0]), path)
    return found


@cache
def scratch() -> Path:
    """A folder that goes with this process."""
    import atexit

    folder = Path(tempfile.mkdtemp(prefix="classhook-bench-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def compiled(source: str) -> Path:
    """The classes of a file in java/."""
    out = scratch() / source
    subprocess.run(["javac", "--release", "17", "-d", str(out), str(HERE / "java" / source)], check=True)
    return out


def agent(rules: Sequence[str], name: str) -> str:
    """The option that loads the agent with these rules."""
    data, file = scratch() / name, scratch() / f"{name}.rules"
    file.write_text(dumps(load([], list(rules))))
    return agent_option(file, data)


def output(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout

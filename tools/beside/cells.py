"""A cell: a program with another agent and classhook's, compared with the same run without classhook's agent.

1. The program runs twice with the other agent only: differences between these runs are ignored later.
2. With classhook's agent, status and output must be the same. Lines logged by an agent are set apart, since their
   times, numbers and order differ; but they may contain no warning that was not there without classhook.
3. The program's own methods must have correct counts; classes that were not instrumented are noted.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from classhook.base.launch import agent_option
from classhook.rules.compiled import dumps
from classhook.rules.parse import load
from tests.conftest import ENVIRONMENT, report_of
from tools.beside.programs import OBJECTS, Program

PATIENCE = 120  # seconds that a run may take; without agents, none takes ten
RULES = {"count": ("count **::*",), "time, alloc": ("time **::*", "alloc * in **")}
LOGGED = re.compile(r"\[?(otel\.javaagent |dd\.trace )?\d{4}-\d\d-\d\d[ T]")
GRAVE = re.compile(r"\] +(WARN|ERROR|SEVERE|FATAL)\b")  # after the thread's name
PICKED_UP = "Picked up JAVA_TOOL_OPTIONS: "


@dataclass(slots=True)
class Ran:
    """A run's result; status None if it was ended because it took too long."""

    status: int | None
    stdout: list[str]
    stderr: list[str]
    logged: set[str]  # warnings and errors logged by agents, without numbers
    report: dict[str, Any] = field(default_factory=dict)

    def calls(self) -> dict[str, int]:
        """`Class::method` -> calls, overloads summed."""
        found: Counter[str] = Counter()
        for row in self.report.get("methods", []):
            found[f"{row['class']}::{row['method']}"] += row["calls"]
        return found

    def objects(self) -> dict[tuple[str, str, str], int]:
        found: Counter[tuple[str, str, str]] = Counter()
        for row in self.report.get("allocations", []):
            found[row["class"], row["method"], row["type"]] += row["count"]
        return found


@dataclass(slots=True)
class Cell:
    """A cell's result: `problems` is empty if all was right; `left`: (reason, class) of classes not instrumented."""

    problems: list[str]
    woven: int = 0
    left: set[tuple[str, str]] = field(default_factory=set)


def execute(java: Path, words: Sequence[str], tool_options: Sequence[str] = ()) -> Ran:
    env = {**ENVIRONMENT, "CLASSHOOK_NO_TMPFS": "1"}  # a killed run leaves nothing outside its folder
    if tool_options:
        env["JAVA_TOOL_OPTIONS"] = " ".join(tool_options)
    process = subprocess.Popen(
        [java, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=env,
        text=True,
        errors="replace",
    )
    try:
        out, err = process.communicate(timeout=PATIENCE)
        status: int | None = process.returncode
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        status = None
    stdout, logged = apart(out)
    stderr, more = apart(err)
    return Ran(status, stdout, stderr, logged | more)


def apart(text: str) -> tuple[list[str], set[str]]:
    """A stream's lines without those logged by an agent; and the grave ones of these, without numbers."""
    lines = [line for line in text.splitlines() if not line.startswith(PICKED_UP)]
    logged = {re.sub(r"[0-9a-f]*\d[0-9a-f]*", "#", line) for line in lines if LOGGED.match(line) and GRAVE.search(line)}
    return [line for line in lines if not LOGGED.match(line)], logged


def with_ours(
    java: Path,
    rules: Sequence[str],
    scratch: Path,
    others: Sequence[str],
    words: Sequence[str],
    order: str = "ours first",
) -> Ran:
    """Runs the program with classhook's agent before or after the other one's options, all in JAVA_TOOL_OPTIONS if the
    order says so."""
    data, file = scratch / "data", scratch / "rules"
    shutil.rmtree(data, ignore_errors=True)
    file.write_text(dumps(load([], list(rules))))
    ours = agent_option(file, data)
    options = [ours, *others] if "first" in order else [*others, ours]
    ran = execute(java, words, options) if "JAVA_TOOL_OPTIONS" in order else execute(java, [*options, *words])
    if any(data.glob("*.classhook")):
        ran.report = report_of(data)
    return ran


def judged(program: Program, expected: dict[str, int], bare: Sequence[Ran], ours: Ran, allocations: bool) -> Cell:
    """`expected`: the counts of the program's methods. `bare`: the runs without classhook."""
    problems = end_problems(bare, ours) or output_problems(bare, ours)
    if ours.status == bare[0].status:
        problems += wrong("calls", expected, ours.calls()) if ours.report else ["it has left no data"]
    if allocations and program.calls and not problems:
        problems += wrong("objects", OBJECTS, ours.objects())
    cell = Cell(problems)
    if ours.report:
        cell.woven = ours.report["classes"]["woven"]
        cell.left = {(row["reason"], row["class"]) for row in ours.report["classes"]["skipped"] if not row["method"]}
        if not problems:
            cell.problems += [note for process in ours.report["processes"] for note in process["notes"]]
    return cell


def end_problems(bare: Sequence[Ran], ours: Ran) -> list[str]:
    """The problem of a program that ended differently, if it did; then its output and counts need not be compared."""
    if ours.status is None:
        return [f"did not end within {PATIENCE} s"]
    if ours.status in {one.status for one in bare}:
        return []
    said = [line for line in ours.stderr if line.startswith("Exception in")] + [
        line for line in ours.stderr if "Error" in line
    ]
    return [f"ended with {ours.status}: {(said or ours.stderr or ['without a word'])[0][:200]}"]


def output_problems(bare: Sequence[Ran], ours: Ran) -> list[str]:
    found = []
    for stream in ("stdout", "stderr"):
        line = difference([getattr(one, stream) for one in bare], getattr(ours, stream))
        if line:
            found.append(f"{stream} differs: {line[:200]}")
    new = ours.logged - set[str]().union(*(one.logged for one in bare))
    return found + [f"the other agent logs: {line[:200]}" for line in sorted(new)]


def difference(bare: Sequence[list[str]], ours: list[str]) -> str:
    """The first line that differs from the runs without classhook, or an empty text."""
    if ours in bare:
        return ""
    for i, line in enumerate(ours):
        if i >= len(bare[0]) or line != bare[0][i]:
            return line
    return f"(missing) {bare[0][len(ours)]}"


def wrong(what: str, expected: Mapping[Any, int], found: Mapping[Any, int]) -> list[str]:
    """Up to three wrong numbers, and how many more there are."""
    off = [name for name, n in expected.items() if found.get(name, 0) != n]
    shown = [
        f"{name if isinstance(name, str) else ' '.join(name)}: {found.get(name, 0):,} {what}, not {expected[name]:,}"
        for name in off[:3]
    ]
    return shown + ([f"{len(off) - 3:,} more with wrong {what}"] if len(off) > 3 else [])

"""Runs a program with the stock rule, and compares what is reported by context with what the program says of itself."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.conftest import ENVIRONMENT, classhook_command, installed, release_of
from tools.requests.programs import Program

JAVA = Path(__file__).parent / "java"
LIMIT = 120  # seconds
OUTSIDE = "-"
POM = (
    "<project><modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version>"
    "<dependencies>{}</dependencies></project>"
)
DEPENDENCY = "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"
Calls = Counter[tuple[str, str]]  # by context and method


@dataclass(frozen=True, slots=True)
class Outcome:
    """`calls` that were expected; `wrong`: what a report says otherwise."""

    title: str
    calls: int
    contexts: int
    wrong: list[str]

    def __str__(self) -> str:
        said = "\n".join(f"  {line}" for line in self.wrong)
        return (
            f"{self.title}: {self.calls} calls in {self.contexts} contexts,"
            f" {'all as expected' if not self.wrong else 'WRONG' + chr(10) + said}"
        )


def class_path(program: Program, folder: Path) -> str:
    """The program's libraries with what they require, by mvn."""
    folder.mkdir(parents=True, exist_ok=True)
    said = folder / "class-path"
    if not said.exists():
        (folder / "pom.xml").write_text(
            POM.format("".join(DEPENDENCY.format(*one.split(":")) for one in program.libraries))
        )
        line = ["mvn", "-q", "-B", "dependency:build-classpath", f"-Dmdep.outputFile={said}"]
        subprocess.run(line, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return said.read_text()


def compiled(program: Program, java: Path, libraries: str, folder: Path) -> Path:
    """The program's classes, for any JDK from 17 on."""
    sources = folder / "sources"
    shutil.rmtree(sources, ignore_errors=True)
    for name in ("common", *program.folders):
        for source in sorted((JAVA / name).glob("*.java")):
            text = source.read_text()
            (sources / name).mkdir(parents=True, exist_ok=True)
            (sources / name / source.name).write_text(text.replace("jakarta.", "javax.") if program.javax else text)
    line = [
        "javac",
        "-nowarn",
        "--release",
        "17",
        "-parameters",
        "-cp",
        libraries,
        "-d",
        folder / "classes",
        *sorted(sources.rglob("*.java")),
    ]
    line[0] = str(java.parent / "javac")
    subprocess.run(line, check=True)
    return folder / "classes"


def check(program: Program, variant: str, version: int, each: int, root: Path) -> Outcome:
    jvm = next(java for java in installed() if release_of(java) == version)
    folder = root / program.title.replace(", ", "-").replace(" ", "-")
    libraries = class_path(program, folder)
    classes = compiled(program, jvm, libraries, folder)
    data = folder / f"data-{variant}-{version}"
    shutil.rmtree(data, ignore_errors=True)
    rules = ["count app.*::* except app.start.**", f"time {program.framework}", *program.rules]
    options = [word for rule in rules for word in ("-e", rule)]
    command = [jvm, "-Xverify:all", "-cp", f"{classes}:{libraries}", "app.start.Main", variant, str(each)]
    line = [*classhook_command(), "run", "--quiet", "-r", "endpoints", *options, "-o", data, "--", *command]
    title = f"{program.title} {variant} on {version}"
    try:
        done = subprocess.run(line, capture_output=True, text=True, env=ENVIRONMENT, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return Outcome(title, 0, 0, [f"it has not ended within {LIMIT} s"])
    if done.returncode:
        return Outcome(title, 0, 0, [*done.stdout.splitlines()[-5:], *done.stderr.splitlines()[-30:]])
    expected = expectations(done.stdout)
    text = subprocess.run(
        [*classhook_command(), "report", data, "-f", "json", "--by", "context"],
        capture_output=True,
        text=True,
        check=True,
        env=ENVIRONMENT,
    ).stdout
    report = json.loads(text)
    wrong = differences(expected, report)
    return Outcome(title, sum(expected.values()), len({context for context, _ in expected}), wrong + sums(report))


def expectations(stdout: str) -> Calls:
    """Reads the calls that the program says it made (java/common/Load.java)."""
    expected: Calls = Counter()
    for said in stdout.splitlines():
        if said.startswith("expect\t"):
            _, context, method, calls = said.split("\t")
            expected[context, method] += int(calls)
    return expected


def differences(expected: Calls, report: dict[str, Any]) -> list[str]:
    """Compares the calls in a report by context with those that the program made; returns the differences."""
    methods = {method for _, method in expected}
    found: Calls = Counter()
    for one in report["contexts"]:
        for row in one["methods"]:
            if row["class"].startswith("app.") and row["method"] in methods:
                found[one["context"] or OUTSIDE, row["method"]] += row["calls"]
    keys = sorted(expected.keys() | found.keys())
    return [
        f"{' '.join(key)}: {found[key]} calls, expected {expected[key]}" for key in keys if found[key] != expected[key]
    ]


def sums(report: dict[str, Any]) -> list[str]:
    """Finds columns whose sums over all contexts are not the numbers of the table without contexts, up to rounding.
    A time is never below zero where the cost of timing is taken off, so that those of contexts may add up to more, by
    no more than this cost."""
    wrong = []
    cost: float = max(process["time_cost_ns"] for process in report["processes"])
    for column in ("calls", "completed", "exceptions", "total_ns", "self_ns"):
        whole: Counter[tuple[str, ...]] = Counter()
        parts: Counter[tuple[str, ...]] = Counter()
        calls: Counter[tuple[str, ...]] = Counter()
        for row in report["methods"]:
            whole[row["class"], row["method"], row["descriptor"]] += row.get(column) or 0
            calls[row["class"], row["method"], row["descriptor"]] += row["calls"]
        for one in report["contexts"]:
            for row in one["methods"]:
                parts[row["class"], row["method"], row["descriptor"]] += row.get(column) or 0
        rounding = len(report["contexts"]) if column.endswith("_ns") else 0
        for key in whole.keys() | parts.keys():
            more = parts[key] - whole[key]
            if not -rounding <= more <= rounding + (calls[key] * cost if rounding else 0):
                wrong.append(f"{column} of {'.'.join(key[:2])}: {parts[key]} by context, {whole[key]} altogether")
    return wrong

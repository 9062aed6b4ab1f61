"""What runs with which JDK and which Python, and what came of it."""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from tests.tools.next_jdks.root import JDKS, PYTHONS, Root

FOLDERS = ("unit", "jvm", "events", "jvmpi", "live", "coverage", "hprof", "heap")
CORPUS = "corpus"
#: The tests that compare times closely: of all folders, after the others, one at a time.
ALONE = "alone"
NEWEST, OLDER = JDKS[-1], JDKS[:-1]
COUNTS = re.compile(r"(\d+) (passed|failed|skipped|errors?)\b")
SKIPPED = re.compile(r"SKIPPED \[(\d+)\] \S+: (.*)")
BROKEN = re.compile(r"(?:FAILED|ERROR) (\S+)")
NO_TESTS = 5  # pytest's status


@dataclass(frozen=True)
class Run:
    """Some parts of the tests, with a JDK and a Python; a part is one of FOLDERS, CORPUS, or a path in tests/."""

    jdk: int
    python: str
    parts: tuple[str, ...]

    def __str__(self) -> str:
        return f"JDK {self.jdk}, Python {self.python}"


#: All parts once, with the newest JDK; with others those in which JDKs, or Pythons, differ.
USUAL = (
    Run(NEWEST, PYTHONS[0], (*FOLDERS, CORPUS)),
    Run(NEWEST, PYTHONS[1], ("unit", "jvm", "events")),
    *(Run(jdk, PYTHONS[0], ("jvm", "events", "jvmpi", "live", "hprof")) for jdk in reversed(OLDER)),
)


def chosen(jdks: Sequence[int], pythons: Sequence[str], parts: Sequence[str], everything: bool) -> list[Run]:
    """The usual runs if nothing is chosen; else, all parts or those that are chosen, with each JDK and Python."""
    if not (jdks or pythons or parts or everything):
        return list(USUAL)
    few = bool(parts) and not everything
    with_jdks, with_pythons = jdks or (JDKS[-1:] if few else JDKS[::-1]), pythons or (PYTHONS[:1] if few else PYTHONS)
    return [Run(jdk, python, tuple(parts) or (*FOLDERS, CORPUS)) for jdk, python in product(with_jdks, with_pythons)]


@dataclass
class Outcome:
    """How many tests of a part passed, why some were skipped, and which failed."""

    passed: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)
    said: str = ""
    seconds: float = 0

    def add(self, other: Outcome) -> None:
        self.passed += other.passed
        self.skipped += other.skipped
        self.failed += other.failed
        self.said = self.said or other.said
        self.seconds += other.seconds

    def __str__(self) -> str:
        counts = f"{self.passed:,} passed, {sum(self.skipped.values())} skipped, {len(self.failed)} failed"
        return f"{self.said or counts}, {self.seconds:.0f} s"


def outcomes(run: Run, root: Root, clone: Path, logs: Path) -> Iterator[tuple[str, Outcome]]:
    """Runs the parts; yields each with its outcome when it has ended. What the tests print is kept in `logs`."""
    folders = [part for part in run.parts if part != CORPUS]
    for part in run.parts:
        words = corpus(run) if part == CORPUS else tests(["-n", str(os.cpu_count() or 1), "-m", "not alone"], [part])
        yield part, outcome(run, root, clone, words, logs / f"{run.jdk}-{run.python}-{part.replace('/', '-')}.log")
    if folders:
        yield ALONE, outcome(run, root, clone, tests(["-m", ALONE], folders), logs / f"{run.jdk}-{run.python}-{ALONE}.log")


def tests(options: list[str], parts: list[str]) -> list[str]:
    given = [part if part.startswith("tests/") else f"tests/{part}" for part in parts]
    return ["pytest", "-q", *options, "--dist", "loadfile", "--no-loadscope-reorder", *given]


def corpus(run: Run) -> list[str]:
    return ["tests.tools.corpus", "--module", "java.base", f"jdk{run.jdk}"]


def outcome(run: Run, root: Root, clone: Path, words: list[str], log: Path) -> Outcome:
    start = time.monotonic()
    home = root.home(run.jdk)
    variables = {
        "JAVA_HOME": str(home),
        "PATH": f"{home}/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "CLASSHOOK_TEST_RELEASE": str(run.jdk),
        "CLASSHOOK_TEST_JARS": f"{clone}/.venv/jars",
    }
    with root.running(".venv/bin/python", "-m", *words, cwd=clone, **variables) as process, log.open("w") as file:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            file.write(line)
            file.flush()
            lines.append(line.rstrip("\n"))
    found = of_corpus(lines) if words[0] != "pytest" else of_pytest(lines)
    if process.returncode not in (0, NO_TESTS) and not found.failed:
        found.failed.append(f"it ended with {process.returncode}: {log}")
    found.seconds = time.monotonic() - start
    return found


def of_pytest(lines: list[str]) -> Outcome:
    """From its short summary, and its last line."""
    found = Outcome()
    for line in lines:
        if skipped := SKIPPED.match(line):
            found.skipped[skipped[2]] += int(skipped[1])
        elif broken := BROKEN.match(line):
            found.failed.append(broken[1])
    last = next((line for line in reversed(lines) if COUNTS.search(line)), "")
    found.passed = sum(int(count) for count, what in COUNTS.findall(last) if what == "passed")
    return found


def of_corpus(lines: list[str]) -> Outcome:
    said = next((line.partition(" s  ")[2] for line in lines if " problems" in line), "")
    broken = [line for line in lines if line.startswith("jdk")]
    return Outcome(passed=bool(said) and not broken, failed=broken, said=re.sub(" +", " ", said))

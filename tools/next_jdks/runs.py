"""The runs of the tests with each JDK and Python, and their outcomes."""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from tools.next_jdks.root import JDKS, PYTHONS, Root

FOLDERS = ("unit", "jvm", "events", "live", "coverage", "extensions")
CORPUS = "corpus"
#: The tests that compare times closely: of all folders, after the others, one at a time.
ALONE = "alone"
NEWEST, OLDER = JDKS[-1], JDKS[:-1]
COUNTS = re.compile(r"(\d+) (passed|failed|skipped|errors?)\b")
SKIPPED = re.compile(r"SKIPPED \[(\d+)\] \S+: (.*)")
BROKEN = re.compile(r"(?:FAILED|ERROR) (\S+)")
STATUS = re.compile(r"status (-?\d+) after (\d+) s")
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
    *(
        Run(jdk, PYTHONS[0], ("jvm", "events", "live", "extensions/jvmpi", "extensions/hprof"))
        for jdk in reversed(OLDER)
    ),
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
    """The result of a part's tests: how many passed, how many were skipped, by reason, and which failed."""

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


def outcomes(run: Run, root: Root, clone: Path, logs: Path, state: str) -> Iterator[tuple[str, Outcome]]:
    """Runs the parts; yields each with its outcome when it has ended. What the tests print is kept in `logs`; what ran
    to its end in this `state` is not run again."""
    folders = [part for part in run.parts if part != CORPUS]
    lines = {part: tests(["-n", str(os.cpu_count() or 1), "-m", "not alone"], [part]) for part in folders}
    lines |= {CORPUS: corpus(run)} if CORPUS in run.parts else {}
    lines |= {ALONE: tests(["-m", ALONE], folders)} if folders else {}
    for part, words in lines.items():
        log = logs / f"{run.jdk}-{run.python}-{part.replace('/', '-')}.log"
        if not (log.exists() and log.read_text().splitlines()[-1:] == [ended(words, state)]):
            execute(run, root, clone, words, log)
            with log.open("a") as file:
                file.write(ended(words, state) + "\n")
        yield part, read(words, log)


def ended(words: list[str], state: str) -> str:
    """The last line of what is kept."""
    return f"next-jdks: {' '.join(words)} ended, {state}"


def tests(options: list[str], parts: list[str]) -> list[str]:
    given = [part if part.startswith("tests/") else f"tests/{part}" for part in parts]
    return ["pytest", "-q", *options, "--dist", "loadfile", "--no-loadscope-reorder", *given]


def corpus(run: Run) -> list[str]:
    return ["tools.corpus", "--module", "java.base", f"jdk{run.jdk}"]


def execute(run: Run, root: Root, clone: Path, words: list[str], log: Path) -> None:
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
        for line in process.stdout:
            file.write(line)
            file.flush()
        file.write(f"status {process.wait()} after {time.monotonic() - start:.0f} s\n")


def read(words: list[str], log: Path) -> Outcome:
    lines = log.read_text().splitlines()
    found = of_corpus(lines) if words[0] != "pytest" else of_pytest(lines)
    status, seconds = next((int(one[1]), int(one[2])) for line in reversed(lines) if (one := STATUS.fullmatch(line)))
    if status not in (0, NO_TESTS) and not found.failed:
        found.failed.append(f"it ended with {status}: {log}")
    found.seconds = seconds
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

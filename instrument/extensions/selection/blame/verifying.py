"""Runs a test alone, and after another one, with the command of a build tool or of JUnit's console launcher.

What ran, in which order, and how it ended, is known from the tests that the agent saw, not from what the command
printed. A command that runs the tests in another order, or none of them, decides nothing.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from classhook.base.errors import UsageError
from classhook.extensions.selection.blame.polluters import Order
from classhook.extensions.selection.blame.runs import BAD, runs_of
from classhook.extensions.selection.facts import ClassFacts
from classhook.extensions.selection.forms import signatures
from classhook.extensions.selection.hierarchy import Hierarchy
from classhook.model.reading.files import data_files
from classhook.model.test_runs import TestRun

TESTS = "{}"  # the word of a command in whose place the names of tests come
MOST = 5  # candidates that are tried
ENDS = {True: "fails", False: "passes", None: "did not run"}
MOST_SAID = 200  # characters of what a command printed last
#: The beginnings of options of JUnit's console launcher that choose tests.
CHOOSING = ("--scan-", "--select-")


class Chosen(NamedTuple):
    """A test; without a method, all of its class. `parameters`: their types, as the console launcher wants them."""

    class_name: str
    method: str
    parameters: str = ""

    @property
    def sharp(self) -> str:
        return f"{self.class_name}#{self.method}" if self.method else self.class_name


class Runner(NamedTuple):
    """A tool that runs tests. `line`: the words that run these tests, given those of the command."""

    name: str
    is_this: Callable[[Sequence[str]], bool]
    line: Callable[[Sequence[str], Sequence[Chosen]], list[str]]


def _named(*names: str) -> Callable[[Sequence[str]], bool]:
    return lambda words: os.path.basename(words[0]) in names


def _maven(words: Sequence[str], tests: Sequence[Chosen]) -> list[str]:
    """Surefire has no order of its own choice: it runs classes by their names, forwards or backwards."""
    names = [one.class_name for one in tests]
    chosen = ",".join(one.sharp for one in tests)
    if len({*names}) == 1 and all(one.method for one in tests):
        chosen = f"{names[0]}#{'+'.join(one.method for one in tests)}"
    order = "alphabetical" if names == sorted(names) else "reversealphabetical"
    quiet = ("-DfailIfNoTests=false", "-Dsurefire.failIfNoSpecifiedTests=false")
    return [*words, f"-Dtest={chosen}", f"-Dsurefire.runOrder={order}", *quiet]


def _gradle(words: Sequence[str], tests: Sequence[Chosen]) -> list[str]:
    names = [f"{one.class_name}.{one.method}" if one.method else one.class_name for one in tests]
    return [*words, *(word for name in names for word in ("--tests", name))]


def _is_console(words: Sequence[str]) -> bool:
    return any("junit-platform-console" in word or word.endswith(".ConsoleLauncher") for word in words) or (
        os.path.basename(words[0]) == "java" and any(word.startswith(CHOOSING) for word in words)
    )


def _console(words: Sequence[str], tests: Sequence[Chosen]) -> list[str]:
    kept, dropping = list[str](), False
    for word in words:
        starts = word.startswith(CHOOSING)
        if not starts and not (dropping and not word.startswith("-")):
            kept.append(word)
        dropping = starts and "=" not in word
    return kept + [
        f"--select-method={one.sharp}{one.parameters}" if one.method else f"--select-class={one.class_name}"
        for one in tests
    ]


RUNNERS = (
    Runner("Maven", _named("mvn", "mvnw", "mvnd"), _maven),
    Runner("Gradle", _named("gradle", "gradlew"), _gradle),
    Runner("JUnit's console launcher", _is_console, _console),
)


def line_of(words: Sequence[str], tests: Sequence[Chosen]) -> list[str]:
    """The command that runs these tests only. Raises UsageError if it is not known how to choose tests."""
    if any(TESTS in word for word in words):
        names = [one.sharp for one in tests]
        return [part for word in words for part in (names if word == TESTS else [word.replace(TESTS, ",".join(names))])]
    runner = next((one for one in RUNNERS if one.is_this(words)), None)
    if runner is None:
        raise UsageError(
            f"--verify: {words[0]} is none of {', '.join(one.name for one in RUNNERS)}; put {TESTS} where the command"
            " takes tests, as CLASS#METHOD"
        )
    return runner.line(words, tests)


class Verifier:
    """Runs a command with some tests. `classes`: the program's; `say`: is told what is tried."""

    def __init__(self, words: Sequence[str], classes: dict[str, ClassFacts], say: Callable[[str], None]) -> None:
        self.words, self.classes, self.say = words, classes, say
        self.hierarchy = Hierarchy(classes)
        self.said = ""  # how the last command ended, and what it printed last

    def _chosen(self, test: TestRun) -> Chosen:
        found = signatures(self.classes, self.hierarchy, test.class_name.replace(".", "/"), test.method)
        return Chosen(test.class_name, test.method, found[0][len(test.method) :] if found else "")

    def fails(self, *tests: TestRun) -> bool | None:
        """True if the last of these tests fails after the others; None: they did not run so."""
        with TemporaryDirectory(prefix="classhook-") as folder:
            ours = [sys.executable, "-m", "classhook.cli", "run", "--quiet", "--tests", "-o", folder, "--"]
            line = [*ours, *line_of(self.words, [self._chosen(one) for one in tests])]
            done = subprocess.run(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            lines = [text for text in done.stdout.decode("utf-8", "replace").splitlines() if text.strip()]
            self.said = f"the command ended with status {done.returncode}" + (
                f"; its last line: {lines[-1].strip()[:MOST_SAID]}" if lines else ""
            )
            ran = [run for one in runs_of(data_files([Path(folder)])) for run in one.snapshot.tests]
        by_name = {run.context: run for run in ran}
        found = [by_name[one.context] for one in tests if one.context in by_name]
        in_order = all(one.started_unix_ns <= other.started_unix_ns for one, other in pairwise(found))
        return found[-1].status in BAD if len(found) == len(tests) and in_order else None

    def verify(self, test: TestRun, order: Order) -> bool | None:
        """Tries candidates until one is right, and notes it; how the test ends alone: True if it fails."""
        alone = self.fails(test)
        self.say(f"alone, {test.context} {ENDS[alone]}" + (f": {self.said}" if alone is None else ""))
        if alone is None or alone == order.is_victim:
            return alone
        for candidate in order.candidates[:MOST]:
            together = self.fails(candidate.test, test)
            why = f", or not in this order: {self.said}" if together is None else ""
            self.say(f"after {candidate.test.context}, it {ENDS[together]}{why}")
            candidate.verdict = None if together is None else together != alone
            if candidate.verdict:
                break
        return alone

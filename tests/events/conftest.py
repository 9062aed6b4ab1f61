"""Shared by the tests of handlers: a program, run with a script."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests import compiling
from tests.conftest import (
    ENVIRONMENT,
    PATIENCE,
    Compiled,
    FindJvm,
    Jvm,
    Result,
    classhook_command,
    execute,
    releases,
)
from tests.events.known_tests import COMPILERS, SUITES, Suite, path_of

Scripted = Callable[..., Result]

#: The first lines of each script.
HEAD = "from classhook.agent import Agent\nagent = Agent()\n"


@pytest.fixture(params=releases(17, 25), ids=lambda version: f"jdk{version}")
def jvm(request: pytest.FixtureRequest, find_jvm: Callable[[int], Jvm]) -> Jvm:
    return find_jvm(request.param)


@pytest.fixture(scope="session")
def classes(compiled: Compiled) -> Path:
    """The compiled programs of tests/jvm/java/events."""
    return compiled("events")


@pytest.fixture
def scripted(jvm: Jvm, classes: Path, tmp_path: Path) -> Scripted:
    """Runs a program with a script of handlers: the script's text, the program's words, options of the JVM, rules."""

    def run(
        script: str,
        *words: str,
        options: tuple[str, ...] = (),
        rules: tuple[str, ...] = (),
        head: str = HEAD,
        env: dict[str, str] | None = None,
    ) -> Result:
        file, data = tmp_path / "handlers.py", tmp_path / "data"
        file.write_text(head + script)
        given = [word for rule in rules for word in ("-e", rule)]
        own = ["--quiet", "--agent", file, *given, "-o", data, "--no-cache"]
        result = execute([*classhook_command(), "run", *own, "--", jvm.java, *options, "-cp", classes, *words], env=env)
        result.data = data
        result.report = report(data) if any(data.glob("*.classhook")) else {}
        return result

    return run


def report(data: Path) -> dict[str, Any]:
    """Returns the report, as JSON; asserts that its exit status says whether there are notes."""
    done = execute([*classhook_command(), "report", "-f", "json", data])
    found: dict[str, Any] = json.loads(done.stdout)
    assert done.status == any(process.get("notes") for process in found["processes"])
    return found


def notes(result: Result) -> list[str]:
    return [note for process in result.report["processes"] for note in process.get("notes", [])]


def said(result: Result, word: str) -> list[str]:
    """Returns the rest of each line that begins with the word."""
    return [line[len(word) + 1 :] for line in result.stdout.splitlines() if line.startswith(word + " ")]


def compile_with(compiler: Sequence[Path], line: Sequence[str | Path]) -> None:
    """Executes the compiler of another language; skips the test if it is too old for this JDK."""
    made = subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE, env=ENVIRONMENT)
    if newer := re.search(r"Unsupported class file major version \d+", made.stdout + made.stderr):
        pytest.skip(f"{compiler[-1].stem} cannot read this JDK's classes: {newer[0]}")
    assert made.returncode == 0, made.stdout + made.stderr


@pytest.fixture(scope="session")
def suite(find_jvm: FindJvm, tmp_path_factory: pytest.TempPathFactory) -> Suite:
    done: dict[tuple[str, tuple[Path, ...]], Path] = {}

    def compiled(name: str, jars: Sequence[Path], compiler: Sequence[Path] = ()) -> Path:
        key = (name, tuple(jars))
        if key not in done:
            classes = tmp_path_factory.mktemp(name)
            files = sorted(path for path in (SUITES / name).iterdir() if path.suffix in (".java", *COMPILERS))
            words = ["-cp", path_of(jars), "-d", classes, *files]
            if compiler:
                compile_with(
                    compiler, [find_jvm(17).java, "-cp", path_of(compiler), *COMPILERS[files[0].suffix], *words]
                )
            else:
                compiling.javac(find_jvm(17).tool("javac"), "-parameters", "-nowarn", *words)
            for path in (SUITES / name).iterdir():
                if path not in files:
                    shutil.copy(path, classes)
            done[key] = classes
        return done[key]

    return compiled

"""Shared by the tests under pressure: short and long forms, figures, and runs with the agent."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from classhook.base.launch import agent_option
from classhook.rules.compiled import dumps
from classhook.rules.parse import load
from tests.conftest import Compiled, Result, Words, execute, report_of

LONG = os.environ.get("CLASSHOOK_TEST_PRESSURE") == "long"
#: Times and allocation sites of the whole program.
ALL = ("time **::*", "alloc * in **")


Armed = Callable[..., str]
Pressed = Callable[..., Result]
Figure = Callable[[str], None]

figures: list[str] = []


def sized(short: int, long: int) -> int:
    """The number for the form being run."""
    return long if LONG else short


@pytest.fixture
def figure(request: pytest.FixtureRequest) -> Figure:
    """Adds a line to be printed after all tests, in the long form."""
    return lambda text: figures.append(f"{request.node.name}: {text}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if LONG and figures:
        terminalreporter.section("figures")
        for line in figures:
            terminalreporter.write_line(line)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def armed(tmp_path: Path, data: Path) -> Armed:
    """The JVM option that loads the agent with these rules; its data goes to `data`, and no cache is used."""

    def option(*rules: str, **more: str) -> str:
        file = tmp_path / "rules"
        file.write_text(dumps(load([], list(rules))))
        return agent_option(file, data, **more)

    return option


@pytest.fixture
def pressed(armed: Armed, data: Path) -> Iterator[Pressed]:
    """Runs a JVM with the agent, its option first, and reads the report."""

    def run(
        java: str | Path, *words: str | Path, rules: tuple[str, ...] = ALL, env: dict[str, str] | None = None
    ) -> Result:
        return reported(execute([java, armed(*rules), *words], env=env), data)

    yield run
    leave_nothing(data)


def reported(result: Result, data: Path) -> Result:
    result.data = data
    if any(data.glob("*.classhook")):
        result.report = report_of(data)
    return result


def leave_nothing(data: Path) -> None:
    """Removes data files that were not moved and would stay in /dev/shm."""
    for link in data.glob("*.classhook"):
        if link.is_symlink():
            link.resolve().unlink(missing_ok=True)


@pytest.fixture(scope="session")
def classes(compiled: Compiled) -> Path:
    """The compiled programs of tests/jvm/java/pressure."""
    return compiled("pressure")


def jar_of(classes: Path, jar: Path, manifest: str = "", only: str = "") -> Path:
    """A jar of compiled classes, those whose names begin with `only`."""
    with zipfile.ZipFile(jar, "w") as file:
        file.writestr("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\n{manifest}\n")
        for path in sorted(classes.rglob(f"{only}*.class")):
            file.write(path, path.relative_to(classes))
    return jar


def calls(result: Result, owner: str = "") -> dict[str, int]:
    """`Class::method` -> calls, of all classes or of one; overloads are summed."""
    found: dict[str, int] = {}
    for row in result.report["methods"]:
        if row["class"] == (owner or row["class"]):
            name = f"{row['class']}::{row['method']}"
            found[name] = found.get(name, 0) + row["calls"]
    return found


def assert_completed(result: Result, *but: str) -> None:
    """Asserts that every activation has ended, except those of these methods."""
    open_ones = {
        row["method"] for row in result.report["methods"] if row.get("completed", row["calls"]) != row["calls"]
    }
    assert open_ones <= set(but)


def assert_as_bare(result: Result, program: Words, env: dict[str, str] | None = None) -> None:
    bare = execute(program, env=env)
    assert (result.status, result.stdout, result.stderr) == (bare.status, bare.stdout, bare.stderr)

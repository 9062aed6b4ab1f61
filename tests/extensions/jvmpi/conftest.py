"""Shared by the tests of JVMPI: a program, run with a script that has the interface's names and a function for each
kind of event."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from classhook.native.building import build
from tests import jars
from tests.conftest import PATIENCE, Compiled, Jvm, Result, classhook_command, execute, releases
from tests.events.conftest import report

Profiled = Callable[..., Result]
Library = Callable[[str], Path]

#: The beginning of each script: `told` has functions by the names of events.
HEAD = """
from classhook import jvmpi as p
told = {}
def notify(event):
    told[event.name](event)
p.NotifyEvent = notify
def on(*names, arg=None, **options):
    def decorate(function):
        for name in names:
            told[name] = function
            assert p.EnableEvent(getattr(p, "EVENT_" + name), arg, **options) == p.SUCCESS, name
        return function
    return decorate
"""


@pytest.fixture(params=releases(17, 25), ids=lambda version: f"jdk{version}")
def jvm(request: pytest.FixtureRequest, find_jvm: Callable[[int], Jvm]) -> Jvm:
    return find_jvm(request.param)


@pytest.fixture(scope="session")
def classes(compiled: Compiled) -> Path:
    """The compiled programs of tests/jvm/java/jvmpi."""
    return compiled("jvmpi")


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Makes a library of the C file of this name in this folder."""

    def make(name: str) -> Path:
        out, home = tmp_path_factory.mktemp(name) / f"lib{name}.so", build.jdk_home()
        includes = [f"-I{home / 'include'}", f"-I{home / 'include' / 'linux'}"]
        subprocess.run(
            [build.compiler(), "-shared", "-fPIC", *includes, Path(__file__).with_name(f"{name}.c"), "-o", out],
            check=True,
            timeout=PATIENCE,
        )
        return out

    return make


@pytest.fixture(scope="session")
def h2() -> Path:
    """H2's jar."""
    path: Path = jars.find("h2.jar") or pytest.skip(jars.missing("h2.jar"))
    return path


@pytest.fixture
def profiled(jvm: Jvm, classes: Path, tmp_path: Path) -> Profiled:
    """Runs a program with a script: the script's text, the program's words, options of the JVM."""

    def run(
        script: str,
        *words: str | Path,
        options: tuple[str, ...] = (),
        head: str = HEAD,
        status: int = 0,
        rules: tuple[str, ...] = (),
        env: dict[str, str] | None = None,
    ) -> Result:
        file, data = tmp_path / "agent.py", tmp_path / "data"
        file.write_text(head + script)
        given = [word for rule in rules for word in ("-e", rule)]
        own = ["--quiet", "--agent", file, *given, "-o", data, "--no-cache"]
        result = execute([*classhook_command(), "run", *own, "--", jvm.java, *options, "-cp", classes, *words], env=env)
        result.data = data
        result.report = report(data)
        assert (result.status, result.stderr) == (status, ""), result.stdout
        return result

    return run

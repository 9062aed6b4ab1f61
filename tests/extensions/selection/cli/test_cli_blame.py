"""`classhook blame`: tests that fail in known ways, in a program with JUnit."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests import compiling, peers
from tests.cli.conftest import Classhook
from tests.conftest import JAVA_SOURCES
from tests.coverage.conftest import peer

SOURCES = JAVA_SOURCES / "suites" / "blamed"
TEST = "blamed.PricesTest"
TIME = ("-e", "time blamed.**::*")
COVER = ("-e", "cover blamed.** hits exact")


def java(jar: Path, *words: str) -> list[str]:
    launcher = ["-cp", str(jar), "org.junit.platform.console.ConsoleLauncher", "execute"]
    return ["java", *words, *launcher, "--class-path", "target/classes", "--details=none", "--disable-banner"]


def build(folder: Path, jar: Path, before: str = "", after: str = "") -> None:
    """Compiles the program, with a text of Prices.java replaced."""
    sources = shutil.copytree(SOURCES, folder / "src", dirs_exist_ok=True)
    text = (SOURCES / "Prices.java").read_text()
    assert before in text
    (sources / "Prices.java").write_text(text.replace(before, after) if before else text)
    compiling.javac("javac", "-g", "-cp", jar, "-d", folder / "target" / "classes", *sorted(sources.glob("*.java")))


@pytest.fixture(scope="module")
def jar() -> Path:
    return peer(peers.JUNIT_CONSOLE)


def run(classhook: Classhook, jar: Path, data: str, *words: str, rules: tuple[str, ...] = (*TIME, *COVER)) -> None:
    line = ["run", "--quiet", "--tests", *rules, "-o", data, "--", *java(jar), *words]
    assert classhook(*line).status in (0, 1)


@pytest.fixture(scope="module")
def recorded(jar: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, with data of its whole suite in `suite`, in which `tea` fails, and of some tests alone."""
    from tests.cli.tools import CLASSHOOK, call

    folder = tmp_path_factory.mktemp("blamed")
    build(folder, jar)
    ours = [*CLASSHOOK, "run", "--quiet", "--tests", *TIME, *COVER]
    for data, choice in (
        ("suite", "--scan-class-path"),
        ("alone", f"--select-method={TEST}#tea"),
        ("needing", f"--select-method={TEST}#saleIsLowered"),
    ):
        call([*ours, "-o", data, "--", *java(jar), choice], folder)
    return folder


@pytest.fixture
def project(recorded: Path, tmp_path: Path) -> Path:
    """A copy of the folder, which is the working directory."""
    shutil.copytree(recorded, tmp_path, dirs_exist_ok=True)
    return tmp_path


def blamed(classhook: Classhook, *words: str) -> dict[str, Any]:
    done = classhook("blame", "-f", "json", *words)
    assert done.status == 1, done.err
    (one,) = json.loads(done.out)["tests"]
    assert isinstance(one, dict)
    return one


def state(candidate: dict[str, Any]) -> tuple[str, str, str]:
    """The test, the field that it may have changed, and by what."""
    first = candidate["state"][0]
    return candidate["test"], first["name"], first["by"]


SALE = (f"{TEST}::sale", "blamed.Prices.discount", "blamed.Prices.sale(int)")


@pytest.mark.core
def test_a_victim_its_polluter_and_the_field(classhook: Classhook, project: Path) -> None:
    one = blamed(classhook, "suite", "--since", "alone")
    assert (one["test"], one["status"]) == (f"{TEST}::tea", "failed")
    assert one["exception"] == "org.opentest4j.AssertionFailedError: tea ==> expected: <300> but was: <270>"
    assert one["order"]["fails"] == "after other tests"
    first, *others = one["order"]["candidates"]
    assert state(first) == SALE
    assert first["state"][0]["read_by"] == [f"blamed.Prices.{method}" for method in ("of(String)", "reduced(int)")]
    assert {candidate["test"] for candidate in others} == {f"{TEST}::coffee"}, "the others only look"
    found = one["differences"]
    assert found["called_newly"] == [{"method": "blamed.Prices.reduced(int)", "calls": 1}]
    assert found["threw_newly"] == [{"method": f"{TEST}.tea()", "before": 0, "after": 1}]
    assert found["lines_newly"] == {"blamed/Prices.java": [line_of("return cents - cents")]}
    assert found["compiled_anew"] == []


def line_of(text: str) -> int:
    lines = (SOURCES / "Prices.java").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_text(classhook: Classhook, project: Path) -> None:
    done = classhook("blame", "tea", "suite", "--top", "1")
    assert done.status == 1
    assert done.out.splitlines() == [
        f"{TEST}::tea failed",
        "  org.opentest4j.AssertionFailedError: tea ==> expected: <300> but was: <270>",
        "It passed in no run of this data; --since DIR names the data of a good run.",
        "Suspicious methods (Ochiai's coefficient; tests that ran it: failed, passed):",
        f"    1.00    1    0  {TEST}.tea()  threw",
        "    3 more; --top N or --top 0 shows them",
        "Suspicious lines (Ochiai's coefficient; tests that ran it: failed, passed):",
        "    1.00    1    0  blamed/PricesTest.java:41",
        "    5 more; --top N or --top 0 shows them",
        "Tests that may have changed static state that it reads, the likeliest first (5 ran before it):",
        f"    {TEST}::sale: blamed.Prices.discount: blamed.Prices.sale(int) sets it",
        "    1 more; --top N or --top 0 shows them",
    ]


def test_a_test_that_needs_another_one(classhook: Classhook, project: Path) -> None:
    one = blamed(classhook, "needing", "--since", "suite")
    assert one["order"]["fails"] == "without other tests"
    assert [state(candidate) for candidate in one["order"]["candidates"]] == [SALE]


@pytest.mark.slow
def test_verified_with_the_console_launcher(classhook: Classhook, jar: Path, project: Path) -> None:
    done = classhook("blame", "suite", "--top", "1", "--verify", "--", *java(jar), "--scan-class-path")
    assert done.err.splitlines() == [
        f"classhook: alone, {TEST}::tea passes",
        f"classhook: after {TEST}::sale, it fails",
    ]
    assert f"    verified: {TEST}::sale: blamed.Prices.discount" in done.out
    done = classhook("blame", "needing", "--since", "suite", "--verify", "--", *java(jar), "--scan-class-path")
    assert f"    verified: {TEST}::sale: blamed.Prices.discount" in done.out


def test_a_change_of_the_program(classhook: Classhook, jar: Path, project: Path) -> None:
    """The last good run is found among earlier ones in the same directory; no test's state is to blame."""
    build(project, jar, "KNOWN.get(item)", "KNOWN.get(item + '!')")
    run(classhook, jar, "alone", f"--select-method={TEST}#tea")
    one = blamed(classhook, "tea", "alone")
    assert one["exception"] == "java.util.NoSuchElementException: no price: tea"
    assert one["order"] is None
    assert one["differences"]["compiled_anew"] == ["blamed.Prices"]
    assert {"method": "blamed.Prices.of(String)", "before": 0, "after": 1} in one["differences"]["threw_newly"]
    assert one["methods"][0]["threw"]


def test_clear_answers(classhook: Classhook, jar: Path, project: Path) -> None:
    done = classhook("blame", "tea", "alone")
    assert (done.status, done.out) == (0, f"{TEST}::tea failed in no run of this data.\n")
    shutil.rmtree(project / "needing")
    done = classhook("blame", "suite", "nosuch")
    assert done.status == 2
    assert "nosuch: no such file or directory" in done.err
    done = classhook("blame", "nosuch", "suite")
    assert done.status == 2
    assert "no test is named 'nosuch'; there are" in done.err
    done = classhook("blame", "--verify")
    assert "--verify needs the command that runs the tests: --verify -- mvn test" in done.err
    done = classhook("blame", "suite", "--verify", "--", "./run-tests")
    assert "put {} where the command takes tests, as CLASS#METHOD" in done.err
    shutil.rmtree(project / "target")
    done = classhook("blame", "suite")
    assert "it is not known which tests change static state; give --classes DIR" in done.err


def test_no_failed_test_and_nothing_counted(classhook: Classhook, jar: Path, project: Path) -> None:
    done = classhook("blame", "alone")
    assert done.status == 0
    assert done.out.startswith("No test failed in the last run, of ")
    run(classhook, jar, "named", "--scan-class-path", rules=())
    done = classhook("blame", "named")
    assert "nothing was counted in its tests, so only their names are known" in done.err
    assert done.out.startswith(f"{TEST}::tea failed\n  org.opentest4j.AssertionFailedError: tea")


def test_unsteady_tests(classhook: Classhook, jar: Path, project: Path) -> None:
    done = classhook("blame", "--unsteady", "suite")
    assert done.status == 2
    assert "--unsteady compares runs of the same tests, and the data has 1" in done.err
    for rounds in ("3", "5"):
        line = java(jar, f"-Drounds={rounds}")
        classhook("run", "--quiet", "--tests", *TIME, "-o", "runs", "--", *line, "--scan-class-path")
    done = classhook("blame", "--unsteady", "runs")
    assert (done.status, done.out.splitlines()) == (
        1,
        [
            "1 of 7 tests did not do the same in 2 runs.",
            f"{TEST}::rounds",
            "    blamed.Prices.round(int): calls 3, 5",
        ],
    )
    done = classhook("blame", "--unsteady", "suite", "runs", "-f", "json")
    (one,) = json.loads(done.out)["unsteady"]
    assert one["test"] == f"{TEST}::rounds"
    assert {"method": "blamed.Prices.round(int)", "what": "calls", "numbers": [3, 3, 5]} in one["methods"]


def test_a_class_stands_for_its_tests(classhook: Classhook, project: Path) -> None:
    assert blamed(classhook, "PricesTest", "suite") == blamed(classhook, "tea", "suite")


SET_UP = """
package blamed;
import org.junit.jupiter.api.*;
class SetUpTest {
    @BeforeAll static void prepare() { throw new IllegalStateException("no room"); }
    @Test void never() { }
}
"""


def test_a_set_up_that_failed(classhook: Classhook, jar: Path, project: Path) -> None:
    (project / "SetUpTest.java").write_text(SET_UP)
    compiling.javac("javac", "-g", "-cp", jar, "-d", project / "target" / "classes", project / "SetUpTest.java")
    run(classhook, jar, "set-up", "--select-class=blamed.SetUpTest", "--select-method=blamed.PricesTest#coffee")
    one = blamed(classhook, "set-up")
    assert (one["test"], one["status"]) == ("blamed.SetUpTest", "failed")
    assert "no room" in json.dumps(one["exception"])
    assert "blamed.SetUpTest failed" in classhook("blame", "set-up").out

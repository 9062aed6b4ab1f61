"""Coverage by test: each test of a run covers what it covers alone under JaCoCo's agent; reports and other tools'
formats say the same."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from classhook import UsageError, load
from classhook.reports.coverage.testwise import class_of
from tests import compiling, peers
from tests.conftest import ENVIRONMENT, Jvm, run_line
from tests.coverage.conftest import SOURCES, Oracle, peer, theirs, tool
from tests.coverage.reporting import ReportCommand, classhook, report
from tests.schema import check

__all__ = ["classhook", "report"]
TESTS = "few", "fewAgain", "many", "none", "inAnotherThread", "fails"
ALONE = "few", "many", "inAnotherThread", "fails"  # are run by themselves, too
INITIALISER = {7}  # of Till.java: the first test runs it, and for all others it has run
RULES = "context **::@Test *", "context **::@BeforeAll *", "cover till.** except till.*Test"
Lines = dict[str, set[int]]  # by source


@dataclass
class Ran:
    """The program's classes, its data, and JaCoCo's data of each test alone."""

    classes: Path
    data: Path
    alone: dict[str, bytes]


@pytest.fixture(scope="module")
def ran(jdk: Jvm, agent: Path, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    folder = tmp_path_factory.mktemp("by_test")
    console = peer(peers.JUNIT_CONSOLE)
    classes, tests = folder / "classes", folder / "tests"
    compiling.javac(
        jdk.tool("javac"), "-g", "-d", classes, SOURCES / "till" / "Till.java", SOURCES / "till" / "Drawer.java"
    )
    compiling.javac(
        jdk.tool("javac"), "-g", "-d", tests, "-cp", f"{classes}:{console}", SOURCES / "till" / "TillTest.java"
    )
    words: list[str | Path] = [
        "-XX:TieredStopAtLevel=1",
        "-cp",
        f"{classes}:{tests}:{console}",
        "org.junit.platform.console.ConsoleLauncher",
        "execute",
        "--disable-banner",
        "--details=none",
    ]
    done = subprocess.run(
        run_line(RULES, folder / "data", [jdk.java, *words, "--select-class=till.TillTest"]),
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
    )
    assert done.returncode == 1, done.stdout + done.stderr  # one of the tests fails
    alone = {}
    for name in ALONE:
        file = folder / f"{name}.exec"
        line = [
            jdk.java,
            f"-javaagent:{agent}=destfile={file},includes=till.*",
            *words,
            f"--select-method=till.TillTest#{name}",
        ]
        done = subprocess.run(line, capture_output=True, text=True, env=ENVIRONMENT)
        assert done.returncode == (name == "fails"), done.stdout + done.stderr
        alone[name] = file.read_bytes()
    return Ran(classes, folder / "data", alone)


def spread(ranges: list[list[int]]) -> set[int]:
    return {line for first, last in ranges for line in range(first, last + 1)}


def lines_of(nodes: dict[tuple[str, str], tuple[tuple[int, ...], dict[int, tuple[int, ...]]]]) -> Lines:
    """By source file, the lines that ran."""
    found = {
        name: {line for line, four in lines.items() if four[1]}
        for (kind, name), (_, lines) in nodes.items()
        if kind == "source"
    }
    return {name: lines for name, lines in found.items() if lines}


def test_each_test_covers_what_it_covers_alone(report: ReportCommand, ran: Ran, oracle: Oracle) -> None:
    found = json.loads(report("-f", "json", "--by", "test", ran.data).out)
    check(found)
    by_test = found["coverage_by_test"]
    told: dict[str, Lines] = {}
    for one in by_test["tests"]:
        told[one["test"].removeprefix("till.TillTest.")] = {
            file["source"]: spread(file["lines"]) for file in one["files"]
        }
    told.pop("opens", None)
    opened = {"till/Drawer.java": {7, 8, 9}}
    assert told.keys() == set(TESTS)
    for name, nodes in zip(ALONE, oracle(ran.classes, *ran.alone.values()), strict=True):
        alone = lines_of(nodes)
        assert alone.pop("till/Drawer.java") == opened["till/Drawer.java"]  # before the test
        expected = alone if name == "few" else {source: lines - INITIALISER for source, lines in alone.items()}
        assert told[name] == expected, name


def test_what_only_one_test_covers(report: ReportCommand, ran: Ran) -> None:
    tests = {
        one["test"]: one
        for one in json.loads(report("-f", "json", "--by", "test", ran.data).out)["coverage_by_test"]["tests"]
    }
    only = {name: sorted(line for file in one["files"] for line in spread(file["only"])) for name, one in tests.items()}
    assert {name.removeprefix("till.TillTest."): lines for name, lines in only.items()} == only_expected()
    assert tests["till.TillTest.fewAgain"]["only_lines"] == 0
    adding = {name.removeprefix("till.TillTest.") for name, one in tests.items() if one["adds"]}
    assert adding >= {"many", "none", "inAnotherThread", "fails"}
    assert "fewAgain" not in adding


def only_expected() -> dict[str, list[int]]:
    return {
        "few": [7],
        "fewAgain": [],
        "many": [19],
        "none": [12],
        "inAnotherThread": [23, 24, 25, 26],
        "fails": [30, 31],
        "opens": [7, 8, 9],
    }


def test_the_formats_of_other_tools_say_the_same(report: ReportCommand, ran: Ran, jdk: Jvm, tmp_path: Path) -> None:
    told = {
        one["test"]: {file["source"]: spread(file["lines"]) for file in one["files"]}
        for one in json.loads(report("-f", "json", "--by", "test", ran.data).out)["coverage_by_test"]["tests"]
    }
    lcov: dict[str, Lines] = {}
    for record in report("-f", "lcov", "--by", "test", ran.data).out.split("end_of_record\n"):
        fields = [line.partition(":")[::2] for line in record.split("\n") if line]
        values = dict(fields)
        if values.get("TN"):
            hit = {int(text.split(",")[0]) for name, text in fields if name == "DA" and not text.endswith(",0")}
            lcov.setdefault(values["TN"], {})[values["SF"]] = hit
    assert lcov == {re.sub(r"\W", "_", name): files for name, files in told.items()}
    testwise: dict[str, Lines] = {}
    for test in json.loads(report("-f", "testwise", ran.data).out)["tests"]:
        for path in test["paths"]:
            for file in path["files"]:
                stretches = [[int(n) for n in text.split("-")] for text in file["coveredLines"].split(",")]
                lines = spread([[each[0], each[-1]] for each in stretches])
                testwise.setdefault(test["uniformPath"].replace("/", "."), {})[f"{path['path']}/{file['fileName']}"] = (
                    lines
                )
    assert testwise == told
    names = ("shop.CartTest::adds(int)[1.5]", "shop.CartTest.adds", "shop.CartTest$Inner::adds", "CartTest::adds")
    assert [class_of(name) for name in names] == ["shop.CartTest", "shop.CartTest", "shop.CartTest$Inner", "CartTest"]
    circleci = json.loads(report("-f", "circleci", ran.data).out)
    of_class = {source: set[int]().union(*(files.get(source, set()) for files in told.values())) for source in circleci}
    assert {source: {name: {*lines} for name, lines in of.items()} for source, of in circleci.items()} == {
        source: {"till.TillTest|run": lines} for source, lines in of_class.items()
    }
    report("-f", "jacoco-exec", "--by", "test", "-o", tmp_path / "all.exec", ran.data)
    assert {name: lines for name, lines in by_session(ran, jdk, tmp_path / "all.exec").items() if name in told} == told


def by_session(ran: Ran, jdk: Jvm, file: Path) -> dict[str, Lines]:
    """Returns the lines that JaCoCo's own library finds in each session of a file, by the session's name."""
    jars = [peer(artifact) for artifact in (peers.JACOCO_CORE, *peers.JACOCO_NEEDS)]
    path = ":".join(map(str, [file.parent, *jars]))
    compiling.javac(jdk.tool("javac"), "-d", file.parent, "-cp", path, SOURCES / "oracle" / "Oracle.java")
    text = tool(jdk.java, "-cp", path, "Oracle", ran.classes, "-sessions", file).stdout
    names = [line.partition("\t")[2] for line in text.splitlines() if line.startswith("data\t")]
    return {name: lines_of(nodes) for name, nodes in zip(names, theirs(text), strict=True)}


@pytest.mark.parametrize(
    ("where", "tests"),
    [
        ("Till.java:19", ["many"]),
        ("src/main/java/till/Till.java:15", ["fails", "few", "fewAgain", "many"]),
        ("Till::discounted", ["many"]),
        ("till.Till::price(int, int)", ["fails", "few", "fewAgain", "many", "none"]),
        ("till.*::lambda$later$0", ["inAnotherThread"]),
    ],
)
def test_which_tests_ran_it(report: ReportCommand, ran: Ran, where: str, tests: list[str]) -> None:
    assert report("--ran", where, ran.data).out.split() == [f"till.TillTest.{name}" for name in tests]


def test_no_test_ran_it(report: ReportCommand, ran: Ran) -> None:
    for where, text, status in (
        ("Till::neverCalled", "no test ran Till::neverCalled", 1),
        ("Till.java:1", "till/Till.java has no code in line 1; near it, lines 6, 7, 11, 12, 14", 2),
        ("Tile.java:1", "no such source file was covered; there are till/Drawer.java, till/Till.java", 2),
        ("Till::nothing", "no class whose coverage was recorded has such a method", 2),
        ("Till", "neither a line nor a method", 2),
    ):
        done = report("--ran", where, ran.data)
        assert (done.status, text in done.err, done.out) == (status, True, ""), done.err


def test_the_coverage_of_one_test(report: ReportCommand, ran: Ran) -> None:
    found = json.loads(report("-f", "json", "--test", "many", ran.data).out)
    rows = {row["source"]: row for row in found["source_files"]}
    assert rows["till/Till.java"]["missed_lines"] == [6, 7, 12, 23, 24, 25, 26, 30, 31, 35]
    assert rows["till/Drawer.java"]["line_covered"] == 0
    outside = json.loads(report("-f", "json", "--test", "", ran.data).out)
    assert sum(row["line_covered"] for row in outside["source_files"]) == 0
    assert "DA:15,1" in report("-f", "lcov", "--test", "till.TillTest.few", ran.data).out


def test_python_has_the_same(report: ReportCommand, ran: Ran) -> None:
    result = load(ran.data)
    by_name = {one.test.removeprefix("till.TillTest."): one for one in result.coverage_by_test()}
    assert by_name["many"].only_lines == {"till/Till.java": [19]}
    assert (by_name["fewAgain"].adds, by_name["few"].lines) == (False, {"till/Till.java": [7, 11, 14, 15]})
    assert result.coverage(test="till.TillTest.many")["till/Till.java"].line.covered == 4
    with pytest.raises(UsageError, match="no test or context 'nobody' ran"):
        result.coverage(test="nobody")


def test_the_page_has_the_tests_of_each_line(report: ReportCommand, ran: Ran) -> None:
    page = report("-f", "html", "--by", "test", ran.data).out
    data = json.loads(page.partition("const data = ")[2].partition(";\n")[0])
    names = [name.removeprefix("till.TillTest.") for name in data["tests"]["names"]]
    files = [file[0] for package in data["packages"] for file in package["files"]]
    content = unpacked(page, f"f0-{files.index('Till.java')}")
    of_line = {int(line): {names[one] for one in content["by"][place]} for line, place in content["ran"].items()}
    assert of_line[19] == {"many"}
    assert of_line[15] == {"few", "fewAgain", "many", "fails"}
    assert 35 not in of_line
    many = next(i for i, row in enumerate(data["tests"]["rows"]) if names[row[0]] == "many")
    assert unpacked(page, f"t{many}") == [[0, files.index("Till.java"), [[11, 11], [14, 15], [19, 19]], [[19, 19]]]]


def unpacked(page: str, name: str) -> Any:
    text = page.partition(f'id="{name}">')[2].partition("</script>")[0]
    return json.loads(zlib.decompress(base64.b64decode(text), wbits=-15))


def test_all_tests_together_cover_what_the_run_covers(report: ReportCommand, ran: Ran) -> None:
    found = json.loads(report("-f", "json", "--by", "context", ran.data).out)
    covered = {file["source"]: spread(file["lines"]) for file in found["coverage_by_test"]["outside"]["files"]}
    for one in found["coverage_by_test"]["tests"]:
        for file in one["files"]:
            covered[file["source"]] = covered.get(file["source"], set()) | spread(file["lines"])
    assert {row["source"]: row["line_covered"] for row in found["source_files"]} == {
        name: len(lines) for name, lines in covered.items()
    }

"""Coverage in the formats of other tools: valid, and with the numbers of JaCoCo's own report of the same classes and
data."""

from __future__ import annotations

import csv
import io
import os
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from classhook.coverage.execfile import read
from tests import jars, peers
from tests.conftest import Jvm, execute
from tests.coverage.conftest import SOURCES, Compile, class_files, peer, random_data, tool
from tests.coverage.reporting import ReportCommand, classhook, report

etree = pytest.importorskip("lxml.etree")
__all__ = ["classhook", "report"]

JacocoReport = Callable[[Path, bytes], tuple[Any, list[list[str]]]]


@pytest.fixture(scope="module")
def jacocos_report(jdk: Jvm, tmp_path_factory: pytest.TempPathFactory) -> JacocoReport:
    """JaCoCo's own XML and CSV."""
    class_path = os.pathsep.join(str(peer(one)) for one in (*peers.JACOCO_CLI, *peers.JACOCO_NEEDS))

    def run(classes: Path, data: bytes) -> tuple[Any, list[list[str]]]:
        folder = tmp_path_factory.mktemp("theirs")
        (folder / "data.exec").write_bytes(data)
        tool(
            jdk.java,
            "-cp",
            class_path,
            "org.jacoco.cli.internal.Main",
            "report",
            folder / "data.exec",
            "--classfiles",
            classes,
            "--name",
            "classhook",
            "--xml",
            folder / "x.xml",
            "--csv",
            folder / "x.csv",
            "--quiet",
        )
        return etree.fromstring((folder / "x.xml").read_bytes()), list(csv.reader((folder / "x.csv").open()))

    return run


@pytest.fixture(scope="module")
def jacocos_dtd() -> Any:
    with zipfile.ZipFile(peer(peers.JACOCO_CLI[1])) as jar:
        return etree.DTD(io.BytesIO(jar.read("org/jacoco/report/xml/report.dtd")))


def tree(node: Any) -> Any:
    """An element as nested tuples; packages, and what is in them, in the order of their names: JaCoCo's is that of
    hashes."""
    inside = [tree(one) for one in node]
    if node.tag in ("report", "package"):
        inside.sort(
            key=lambda one: (one[0] == "counter", one[0] if node.tag == "package" else "", dict(one[1]).get("name", ""))
        )
    return node.tag, sorted(node.attrib.items()), inside


def first_differences(mine: Any, theirs: Any) -> list[Any]:
    if mine[:2] != theirs[:2] or len(mine[2]) != len(theirs[2]):
        return [(mine[:2], len(mine[2]), theirs[:2], len(theirs[2]))]
    return [found for a, b in zip(mine[2], theirs[2], strict=True) for found in first_differences(a, b)][:5]


def ran_program(folder: str, compile_java: Compile, jdk: Jvm, agent: Path, to: Path) -> Path:
    classes = compile_java(folder, "javac17")
    assert (
        execute(
            [jdk.java, f"-javaagent:{agent}=destfile={to},sessionid=a&b", "-cp", classes, folder.capitalize()]
        ).status
        == 0
    )
    return classes


@pytest.mark.parametrize("jar", ["h2", "coroutines", "subroutines", "groovy"])
def test_jacocos_own_numbers_in_its_own_forms(
    jar: str, report: ReportCommand, jacocos_report: JacocoReport, jacocos_dtd: Any, tmp_path: Path
) -> None:
    classes = {
        "h2": lambda: jars.find("h2.jar") or pytest.skip(jars.missing("h2.jar")),
        "coroutines": lambda: peer(peers.COROUTINES),
        "subroutines": lambda: peer(peers.SUBROUTINES),
        "groovy": lambda: peer(peers.GROOVY_JSON),
    }[jar]()
    data = tmp_path / "data.exec"
    data.write_bytes(random_data(class_files(classes), seed=3))
    xml, table = jacocos_report(classes, data.read_bytes())
    assert report("-f", "jacoco-xml", "--classes", classes, data, "-o", tmp_path / "ours.xml").status == 0
    ours = etree.fromstring((tmp_path / "ours.xml").read_bytes())
    assert jacocos_dtd.validate(ours), jacocos_dtd.error_log
    assert first_differences(tree(ours), tree(xml)) == []
    assert report("-f", "csv", "--classes", classes, data, "-o", tmp_path / "ours.csv").status == 0
    ours = list(csv.reader((tmp_path / "ours.csv").open()))
    assert ours[0] == table[0]
    assert sorted(ours) == sorted(table)


def test_a_program_that_ran(
    report: ReportCommand, compile_java: Compile, jdk: Jvm, agent: Path, jacocos_report: JacocoReport, tmp_path: Path
) -> None:
    data = tmp_path / "jacoco.exec"
    classes = ran_program("shapes", compile_java, jdk, agent, data)
    xml, _ = jacocos_report(classes, data.read_bytes())
    said = report("-f", "jacoco-xml", "--classes", classes, data)
    ours = etree.fromstring(said.out.encode())
    assert first_differences(tree(ours), tree(xml)) == []
    assert [one.get("id") for one in ours.iter("sessioninfo")] == ["a&b"]
    assert (
        said.out[: said.out.index("<report")]
        == etree.tostring(xml.getroottree(), encoding="UTF-8", standalone=True)
        .decode()
        .replace("\n", "")
        .replace("'", '"')[: said.out.index("<report")]
    )


def test_jacoco_reads_the_data_file_that_we_write(
    report: ReportCommand, compile_java: Compile, jdk: Jvm, agent: Path, tmp_path: Path
) -> None:
    data = tmp_path / "jacoco.exec"
    classes = ran_program("shapes", compile_java, jdk, agent, data)
    assert report("-f", "jacoco-exec", "--classes", classes, data, "-o", tmp_path / "ours.exec").status == 0
    theirs, ours = read(data.read_bytes()), read((tmp_path / "ours.exec").read_bytes())
    assert {id_: one.probes for id_, one in ours.classes.items()} == {
        id_: one.probes for id_, one in theirs.classes.items()
    }
    assert [(one.id, one.start, one.end) for one in ours.sessions] == [
        (one.id, one.start, one.end) for one in theirs.sessions
    ]


def test_cobertura_is_valid(
    report: ReportCommand, compile_java: Compile, jdk: Jvm, agent: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    data = tmp_path / "jacoco.exec"
    classes = ran_program("missed", compile_java, jdk, agent, data)
    monkeypatch.chdir(SOURCES.parent)
    found = etree.fromstring(report("-f", "cobertura", "--classes", classes, "--sources", "java", data).out.encode())
    dtd = etree.DTD(str(Path(__file__).parent / "coverage-04.dtd"))
    assert dtd.validate(found), dtd.error_log
    cls = next(one for one in found.iter("class") if one.get("name") == "Missed")
    assert cls.get("filename") == "java/missed/Missed.java"
    assert (SOURCES.parent / cls.get("filename")).samefile(Path(found.findtext("sources/source")) / cls.get("filename"))
    lines = {int(line.get("number")): line for line in cls.find("lines")}
    assert (lines[12].get("hits"), lines[12].get("condition-coverage")) == ("1", "50% (1/2)")
    assert (lines[16].get("hits"), lines[16].get("branch")) == ("0", "false")
    covered = sum(line.get("hits") != "0" for line in lines.values())
    assert float(cls.get("line-rate")) == pytest.approx(covered / len(lines), abs=1e-4)


def test_lcov(
    report: ReportCommand, compile_java: Compile, jdk: Jvm, agent: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    data = tmp_path / "jacoco.exec"
    classes = ran_program("missed", compile_java, jdk, agent, data)
    monkeypatch.chdir(SOURCES)
    rows = report("-f", "lcov", "--classes", classes, "--sources", ".", data).out.splitlines()
    assert rows[:2] == ["TN:", "SF:missed/Missed.java"]
    assert rows[-1] == "end_of_record"
    values = {
        name: [row.partition(":")[2] for row in rows if row.startswith(name + ":")]
        for name in ("DA", "BRDA", "FN", "FNDA")
    }
    sums = {
        row.partition(":")[0]: int(row.partition(":")[2]) for row in rows if re.match("(LF|LH|BRF|BRH|FNF|FNH):", row)
    }
    assert "16,0" in values["DA"]
    assert [row for row in values["BRDA"] if row.startswith("12,")] == ["12,0,0,1", "12,0,1,0"]
    assert sums["LF"] == len(values["DA"])
    assert sums["LH"] == sum(not row.endswith(",0") for row in values["DA"])
    assert sums["BRF"] == len(values["BRDA"])
    assert sums["BRH"] == sum(row[-1] not in "0-" for row in values["BRDA"])
    assert sums["FNF"] == len(values["FN"]) == len(values["FNDA"])
    assert all(row.count(",") == 1 for row in values["FN"])


def test_text_names_missed_lines_and_branches(
    report: ReportCommand, compile_java: Compile, jdk: Jvm, agent: Path, tmp_path: Path
) -> None:
    data = tmp_path / "jacoco.exec"
    classes = ran_program("missed", compile_java, jdk, agent, data)
    out = report("--classes", classes, "--sources", SOURCES, data).out
    assert re.search(r"^Coverage: instruction [\d.]+ %, branch", out)
    assert re.search(r"^Missed\.java +\S+ % \d+/\d+ +\S+ % \d+/\d+  (\d+-)?\d+, .*\b16\b", out, re.MULTILINE)
    assert "12: if (x > 0): never false" in out


def test_processes_make_the_same_report(tmp_path: Path) -> None:
    """Kotlin's inline functions are declared and used in packages of different processes."""
    from classhook.reports.coverage import Wishes
    from classhook.reports.coverage.analyses import analysed
    from classhook.reports.coverage.versions import Classes, versions
    from classhook.reports.forms import COVERAGE, forms

    jar = peer(peers.COROUTINES)
    data = read(random_data(class_files(jar), 5))
    found = []
    for processes in (1, 3):
        whole = analysed(
            versions([], [data], Classes([("", jar)])), forms(COVERAGE)["jacoco-xml"].load(), Wishes(), processes
        )
        found.append([(one.name, one.counters, one.piece) for one in whole.packages])
    assert found[0] == found[1]


def test_groups(
    report: ReportCommand, compile_java: Compile, jdk: Jvm, agent: Path, jacocos_dtd: Any, tmp_path: Path
) -> None:
    data = tmp_path / "jacoco.exec"
    missed, hits = ran_program("missed", compile_java, jdk, agent, data), compile_java("hits", "javac17")
    arguments = ["--classes", f"one={missed}", "--classes", f"two={hits}", data]
    found = etree.fromstring(report("-f", "jacoco-xml", *arguments).out.encode())
    assert jacocos_dtd.validate(found), jacocos_dtd.error_log
    names = {
        one.get("name"): {cls.get("name").partition("$")[0] for cls in one.iter("class")}
        for one in found.findall("group")
    }
    assert names == {"one": {"Missed"}, "two": {"Hits"}}
    for counter in found.findall("counter"):
        parts = found.findall(f"group/counter[@type='{counter.get('type')}']")
        assert int(counter.get("covered")) == sum(int(part.get("covered")) for part in parts)
    assert {row.split(",")[0] for row in report("-f", "csv", *arguments).out.splitlines()[1:]} == {
        "classhook/one",
        "classhook/two",
    }

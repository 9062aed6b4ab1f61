"""Reports of coverage from the input that builds have: classes woven ahead of time, jars within jars, and files that
are damaged or missing."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from classhook.coverage.analysis import analyze
from classhook.model.reading.files import data_files
from classhook.reports.coverage.cover_rules import CoverRules
from classhook.reports.coverage.reasons import reasons
from classhook.rules.parse import parse_text
from classhook.store.originals import FOLDER
from tests.conftest import Jvm, classhook_command, execute, run_line
from tests.coverage.conftest import Compile, class_files
from tests.coverage.reporting import ReportCommand, classhook, report
from tests.originals import damage, place_of

__all__ = ["classhook", "report"]


@pytest.fixture(scope="module")
def classes(compile_java: Compile) -> Path:
    """The folder of the class Shapes and the classes that it uses."""
    return compile_java("shapes", "javac17")


@pytest.fixture
def data(classes: Path, jdk: Jvm, tmp_path: Path) -> Path:
    """The data directory of a run."""
    done = execute(run_line(["cover Shapes"], tmp_path / "data", [jdk.java, "-ea", "-cp", classes, "Shapes"]))
    assert (done.status, done.stderr) == (0, "")
    return tmp_path / "data"


# ---- woven ahead of time


@pytest.mark.parametrize("rules", ["cover", "count"])
def test_what_was_woven_ahead_of_time_is_reported(
    rules: str, classes: Path, data: Path, jdk: Jvm, report: ReportCommand, tmp_path: Path
) -> None:
    """From the data directory alone, whatever the rules when it runs."""
    weave = [*classhook_command(), "weave", "--quiet", "-e", "cover Shapes", classes, "-o", tmp_path / "woven"]
    assert execute(weave).status == 0
    more = {"cover": ["cover Shapes"], "count": ["count none.**::*"]}[rules]
    assert (
        execute(
            run_line(more, tmp_path / "ahead", [jdk.java, "-ea", "-Xverify:all", "-cp", tmp_path / "woven", "Shapes"])
        ).status
        == 0
    )
    usual = report("-f", "csv", data)
    assert usual.status == 0
    assert report("-f", "csv", tmp_path / "ahead") == usual


def test_classes_that_were_woven_ahead_of_time_count_as_they_were(
    classes: Path, report: ReportCommand, data: Path, tmp_path: Path
) -> None:
    assert (
        execute([*classhook_command(), "weave", "--quiet", "-e", "cover **", classes, "-o", tmp_path / "woven"]).status
        == 0
    )
    usual = report("-f", "csv", "--classes", classes, data)
    assert report("-f", "csv", "--classes", tmp_path / "woven", data) == usual


# ---- what no rule covers


@pytest.mark.parametrize(
    ("rule", "methods"),
    [
        ("cover Shapes, Missed", {"<init>", "yes", "conditions", "switches", "main", "<clinit>"}),
        ("cover Shapes, Missed except Missed::switches, Missed::<init>", {"yes", "conditions", "main", "<clinit>"}),
        ("cover Shapes, Missed* except Missed", set()),
    ],
)
def test_what_except_leaves_out_of_other_classes_does_not_count(
    rule: str, methods: set[str], classes: Path, compile_java: Compile, jdk: Jvm, report: ReportCommand, tmp_path: Path
) -> None:
    assert execute(run_line([rule], tmp_path / "data", [jdk.java, "-cp", classes, "Shapes"])).status == 0
    said = report("-f", "jacoco-xml", "--classes", compile_java("missed", "javac17"), tmp_path / "data")
    missed = [one for one in ElementTree.fromstring(said.out).iter("class") if one.get("name") == "Missed"]
    assert {str(method.get("name")) for one in missed for method in one.iter("method")} == methods


def test_a_class_that_no_rule_covers_says_so(compile_java: Compile) -> None:
    """It was perhaps loaded."""
    rule, data = parse_text("cover com.acme.**", "-e")[0], (compile_java("hits", "javac17") / "Hits.class").read_bytes()
    assert CoverRules([rule]).left_out(data) == ({}, True)
    assert CoverRules().left_out(data) == ({}, False)
    assert [said for _, said in reasons([analyze(data)], set(), None, unruled={"Hits"})] == [
        "no rule covers this class"
    ]


# ---- jars within jars


def jar_of(files: dict[str, bytes]) -> bytes:
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as jar:
        for name, content in files.items():
            jar.writestr(name, content)
    return memory.getvalue()


def test_jars_within_jars_are_read(classes: Path, report: ReportCommand, data: Path, tmp_path: Path) -> None:
    """Classes in the inner jars count if rules cover them."""
    shapes = {f"{i}.class": content for i, content in enumerate(class_files(classes))}
    (tmp_path / "app.jar").write_bytes(
        jar_of({"BOOT-INF/lib/a.jar": jar_of({"WEB-INF/lib/b.jar": jar_of(shapes), "c.jar": b"PK\3\4no"[:2]})})
    )
    said = report("-f", "csv", "--classes", tmp_path / "app.jar", data)
    assert said == report("-f", "csv", data)
    assert said.out.count("\n") == 2


def test_a_damaged_jar_within_a_jar_is_said(report: ReportCommand, data: Path, tmp_path: Path) -> None:
    (tmp_path / "app.jar").write_bytes(jar_of({"BOOT-INF/lib/a.jar": b"PK\3\4 and no more"}))
    said = report("-f", "csv", "--classes", tmp_path / "app.jar", data)
    assert said.status == 2
    assert f"cannot read classes from {tmp_path}/app.jar: BOOT-INF/lib/a.jar: " in said.err


# ---- what is damaged or not there


@pytest.mark.parametrize("how", ["missing", "torn", "other"])
def test_an_original_that_is_damaged(how: str, classes: Path, report: ReportCommand, data: Path) -> None:
    """The class is named, and its class file may come from the build instead."""
    damage(place_of(data, (classes / "Shapes.class").read_bytes()), how)
    said = report("-f", "csv", data)
    assert said.status == 1
    assert said.err.startswith(f"classhook: {data / FOLDER}: the class file of Shapes is missing or damaged")
    assert "--classes" in said.err
    assert report("-f", "csv", "--classes", classes, data).status == 0


@pytest.mark.parametrize("name", ["html", "jacoco-xml", "jacoco-exec", "text"])
def test_an_output_that_cannot_be_written(name: str, report: ReportCommand, data: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    outputs = {
        tmp_path / "file" / "report": "File exists",
        tmp_path: "Is a directory",
        Path("/dev/full"): "No space left on device",
    }
    for output, why in outputs.items():
        said = report("-f", name, "-o", output, data)
        assert (said.status, said.out, said.err) == (2, "", f"classhook: cannot write {output}: {why}\n")


def test_a_torn_data_file(report: ReportCommand, data: Path) -> None:
    (file,) = data_files([data])
    os.truncate(file, file.stat().st_size // 2)
    said = report("-f", "csv", data)
    assert said.status == 2  # nothing can be read
    assert "Traceback" not in said.err
    assert str(file) in said.err


def test_headings_of_text_differ(classhook: ReportCommand, data: Path) -> None:
    heads = [line.partition(":")[0] for line in classhook("report", data).out.splitlines() if ":" in line]
    assert heads.count("Coverage") == 1
    assert "Methods that `cover` reached" in heads


@pytest.mark.parametrize("name", ["csv", "jacoco-xml", "cobertura", "lcov"])
def test_no_character_of_a_title_moves_a_cursor(name: str, report: ReportCommand, data: Path) -> None:
    title = "=a\x1b[31m\x9b\u2028\u202e"
    said = report("-f", name, "--title", title, data)
    assert said.status == 0
    assert all(map(str.isprintable, said.out.split("\n")))
    if name == "csv":
        assert said.out.splitlines()[1].startswith(r"'=a\x1b[31m\x9b\u2028\u202e,")
    if name == "jacoco-xml":
        assert ElementTree.fromstring(said.out).get("name") == "=a\ufffd[31m\x9b\u2028\u202e"

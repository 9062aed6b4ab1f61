"""Missed branches in words, for programs whose lines say what is expected, and with the source's text."""

from __future__ import annotations

from pathlib import Path

import pytest

from classhook.classfile.reader import ClassFile
from classhook.coverage.analysis import Options, analyze
from classhook.coverage.bundle import bundle
from classhook.coverage.execfile import read
from classhook.coverage.missed_branches import statement
from classhook.coverage.placement import ENTRY
from classhook.reports.coverage.reasons import ONLY_ENTRY, reasons
from tests.conftest import FindJvm, execute
from tests.coverage.conftest import SOURCES, Compile

SOURCE = SOURCES / "missed" / "Missed.java"


@pytest.mark.parametrize("compiler", ["javac17", "javac25", "ecj"])
def test_missed_branches_are_named(
    compiler: str, compile_java: Compile, find_jvm: FindJvm, agent: Path, tmp_path: Path
) -> None:
    classes = compile_java("missed", compiler, *(["-17"] if compiler == "ecj" else ["--release", "17"]))
    data = tmp_path / "jacoco.exec"
    assert execute([find_jvm(25).java, f"-javaagent:{agent}=destfile={data}", "-cp", classes, "Missed"]).status == 0
    executed = {one.name: one.probes for one in read(data.read_bytes()).classes.values()}
    text = SOURCE.read_text().splitlines()
    found: dict[int, list[str]] = {}
    for method in analyze((classes / "Missed.class").read_bytes(), executed["Missed"], Options(words=True)).methods:
        for one in method.missed:
            found.setdefault(one.line, []).append(one.words(text[one.line - 1].partition("//")[0]))
    expected = {i: line.partition("// ")[2].split(" | ") for i, line in enumerate(text, 1) if "// " in line}
    assert found == expected


def test_guards_and_chars(compile_java: Compile, find_jvm: FindJvm, agent: Path, tmp_path: Path) -> None:
    classes = compile_java("guards", "javac25")
    data = tmp_path / "jacoco.exec"
    assert execute([find_jvm(25).java, f"-javaagent:{agent}=destfile={data}", "-cp", classes, "Guards"]).status == 0
    (executed,) = [one.probes for one in read(data.read_bytes()).classes.values() if one.name == "Guards"]
    found: dict[int, list[str]] = {}
    for method in analyze((classes / "Guards.class").read_bytes(), executed, Options(words=True)).methods:
        for one in method.missed:
            found.setdefault(one.line, []).append(one.words())
    text = (SOURCES / "guards" / "Guards.java").read_text().splitlines()
    assert found == {i: line.partition("// ")[2].split(" | ") for i, line in enumerate(text, 1) if "// " in line}


@pytest.mark.parametrize("compiler", ["javac17", "javac25", "ecj"])
def test_lines_say_why_they_did_not_run(
    compiler: str, compile_java: Compile, find_jvm: FindJvm, agent: Path, tmp_path: Path
) -> None:
    """A condition is the reason only of lines that it leads to, whatever lambdas and other methods its line has."""
    classes = compile_java("why", compiler, *(["-17"] if compiler == "ecj" else ["--release", "17"]))
    data = tmp_path / "jacoco.exec"
    assert execute([find_jvm(25).java, f"-javaagent:{agent}=destfile={data}", "-cp", classes, "Why"]).status == 0
    probes = {one.name: one.probes for one in read(data.read_bytes()).classes.values()}["Why"]
    text = (SOURCES / "why" / "Why.java").read_text().splitlines()
    found = bundle("all", [analyze((classes / "Why.class").read_bytes(), probes, Options(words=True))])
    source = [line.partition("//")[0] for line in text]
    assert dict(reasons(found.packages[""].classes, {"Why"}, source)) == {
        i: line.partition("// ")[2] for i, line in enumerate(text, 1) if "// " in line
    }


def test_of_a_method_whose_call_alone_is_known_nothing_else_is_said(compile_java: Compile) -> None:
    data = (compile_java("why", "javac17", "--release", "17") / "Why.class").read_bytes()
    methods = sum(bool(method.code_at) for method in ClassFile.parse(data).methods)
    found = dict(reasons([analyze(data, [1] * methods, Options(ENTRY, words=True))], {"Why"}, None))
    assert len(found) > 5
    assert set(found.values()) == {ONLY_ENTRY}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("        if (x > 0) {", "if (x > 0)"),
        ("} else if (f(x, (y))) return;", "if (f(x, (y)))"),
        ("while (x) if (y) z();", ""),
        ("int gift(int x) { return x; }", ""),
        ("if (a &&", ""),
        ("", ""),
    ],
)
def test_the_statement_of_a_line(source: str, expected: str) -> None:
    assert statement(source) == expected

"""The HTML report of coverage in a browser without a window: what somebody sees who opens it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import jars
from tests.browser import Look
from tests.conftest import Jvm, execute
from tests.coverage.conftest import SOURCES, Compile, class_files, random_data
from tests.coverage.reporting import ReportCommand, classhook, report

__all__ = ["classhook", "report"]


@pytest.fixture(scope="module")
def program(compile_java: Compile, jdk: Jvm, agent: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str | Path]:
    """Arguments for the report of a program that ran."""
    classes = compile_java("missed", "javac17")
    data = tmp_path_factory.mktemp("program") / "jacoco.exec"
    assert execute([jdk.java, f"-javaagent:{agent}=destfile={data}", "-cp", classes, "Missed"]).status == 0
    return [data, "-f", "html", "--classes", classes]


LINES = """
    await lines();
    return [...document.querySelectorAll(".line")].map(e => [e.className, e.querySelector("a").textContent, e.querySelector("code").textContent,
        (e.querySelector("q") || {}).textContent || ""]);"""


def test_lines_have_colours_and_words(report: ReportCommand, program: list[str | Path], look: Look, tmp_path: Path) -> None:
    assert report(*program, "--sources", SOURCES, "-o", tmp_path / "x.html").status == 0
    rows = look(tmp_path / "x.html", "document.querySelector('.file > .row').click();" + LINES)
    text = (SOURCES / "missed" / "Missed.java").read_text().splitlines()
    assert [row[2] for row in rows] == text
    assert [row[1] for row in rows] == [str(i + 1) for i in range(len(text))]
    by_line = {int(nr): (cls.replace("line", "").strip(), words) for cls, nr, _, words in rows}
    assert by_line[12] == ("part", "if (x > 0): never false")
    assert by_line[13] == ("full", "")
    assert by_line[14] == ("", "")
    assert by_line[16] == ("none", "not reached; line 15: if (x < 0): never true")
    for number, line in enumerate(text, 1):  # its comments say what is expected
        if "// " in line:
            assert by_line[number] == ("part", line.partition("// ")[2].replace(" | ", " · "))


def test_without_sources_lines_have_numbers_and_words(report: ReportCommand, program: list[str | Path], look: Look, tmp_path: Path) -> None:
    assert report(*program, "-o", tmp_path / "x.html").status == 0
    rows, title = look(tmp_path / "x.html", LINES.replace("return ", "const rows = ") + "return [rows, document.title];", at="#Missed.java:16")
    assert title == f"Coverage: {program[0]}"
    assert ["line part", "12", "", "if (x > 0): never false"] in rows
    assert ["line none here", "16", "", "not reached; line 15: if (x < 0): never true"] in rows


def test_lines_of_other_sources_have_numbers_and_words(report: ReportCommand, program: list[str | Path], look: Look, tmp_path: Path) -> None:
    (tmp_path / "Missed.java").write_text("public class Missed {}\n")
    said = report(*program, "--sources", tmp_path, "-o", tmp_path / "x.html")
    assert (said.status, said.err.partition(" (")[0]) == (0, "classhook: 1 source file")
    assert ["line part", "12", "", "if (x > 0): never false"] in look(tmp_path / "x.html", LINES, at="#Missed.java:16")


def test_a_class_that_was_never_loaded_says_so(
    report: ReportCommand, look: Look, compile_java: Compile, program: list[str | Path], tmp_path: Path
) -> None:
    assert report(*program, "--classes", compile_java("hits", "javac17"), "-o", tmp_path / "x.html").status == 0
    rows = look(tmp_path / "x.html", LINES, at="#Hits.java")
    assert any(words == "the class Hits was never loaded" for _, _, _, words in rows)


def test_dark_and_light(report: ReportCommand, program: list[str | Path], look: Look, tmp_path: Path) -> None:
    assert report(*program, "-o", tmp_path / "x.html").status == 0
    back = "getComputedStyle(document.body).backgroundColor"
    first, second = look(tmp_path / "x.html", f"const a = {back}; document.querySelector('#theme').click(); return [a, {back}];")
    assert {first, second} == {"rgb(255, 255, 255)", "rgb(13, 17, 23)"}


def test_a_thousand_classes_open_at_once(report: ReportCommand, look: Look, tmp_path: Path) -> None:
    """All panels have their height; lines exist only near what is seen, wherever one scrolls."""
    jar = jars.find("h2.jar") or pytest.skip(jars.missing("h2.jar"))
    (tmp_path / "h2.exec").write_bytes(random_data(class_files(jar), 2))
    assert report(tmp_path / "h2.exec", "-f", "html", "--classes", jar, "-o", tmp_path / "x.html").status == 0
    panels, height, first, then, seen = look(
        tmp_path / "x.html",
        """
        document.querySelector("#all").click(); await pause(800);
        const count = () => document.querySelectorAll(".line").length;
        for (let i = 0; i < 50 && !count(); i++) await pause(100);
        const first = count();
        const panels = [...document.querySelectorAll(".source")];
        const seen = () => panels.filter(e => { const r = e.getBoundingClientRect(); return r.top < innerHeight && r.bottom > 0; });
        const filled = () => seen().length > 0 && seen().every(e => e.querySelector(".line"));
        scrollTo(0, document.body.scrollHeight * 0.6);
        for (let i = 0; i < 50 && !filled(); i++) { scrollBy(0, 1); await pause(100); }
        return [panels.length, document.body.scrollHeight, first, count(), filled()];""",
    )
    assert panels > 700
    assert height > 1_000_000
    assert 0 < first < 5000
    assert 0 < then < 20_000
    assert seen


def test_names_and_sources_are_text_and_nothing_else(report: ReportCommand, look: Look, program: list[str | Path], tmp_path: Path) -> None:
    source = (SOURCES / "missed" / "Missed.java").read_text().replace("// if (x > 0): never false", "// </script><b id=evil>&amp;")
    (tmp_path / "Missed.java").write_text(source)
    assert report(*program, "--sources", tmp_path, "--title", "</script><b id=evil>", "-o", tmp_path / "x.html").status == 0
    actions = LINES.replace("return ", "const rows = ") + "return [rows, document.title, !!document.querySelector('#evil')]"
    rows, title, evil = look(tmp_path / "x.html", actions, at="#Missed.java")
    assert "</script><b id=evil>&amp;" in rows[11][2]
    assert title == "Coverage: </script><b id=evil>"
    assert not evil

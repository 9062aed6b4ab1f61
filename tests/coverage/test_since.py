"""Changes of the coverage between two runs of a program, whose code is the same or changed meanwhile."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import compiling
from tests.conftest import ENVIRONMENT, PATIENCE, FindJvm

SOURCE = """\
package p;
public class Way {
    static void left() {
        System.out.print("l");
    }
    static void right() {
        System.out.print("r");
    }
    public static void main(String[] args) {
        if (args[0].equals("left"))
            left();
        else
            right();
    }
}
"""
#: The same with a line more, and a method more.
LATER = SOURCE.replace("    static void left", "    static void added() {}\n    static void left").replace(
    '"l");', '"l"); added();'
)


def classhook(folder: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "classhook.cli", *map(str, words)]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, env=ENVIRONMENT)
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.fixture(scope="module")
def runs(find_jvm: FindJvm, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`left` and `right`: of one program; `later`: of the changed one."""
    folder, jvm = tmp_path_factory.mktemp("since"), find_jvm(17)
    for data, source, way in (("left", SOURCE, "left"), ("right", SOURCE, "right"), ("later", LATER, "left")):
        (folder / "Way.java").write_text(source)
        compiling.javac(jvm.tool("javac"), "-g", "-d", folder / data, folder / "Way.java")
        line = ("run", "--quiet", "-e", "cover p.*", "-o", f"{data}.data", "--", jvm.java, "-cp", data, "p.Way", way)
        assert classhook(folder, *line).returncode == 0
    return folder


def changes(runs: Path, before: str, after: str) -> dict[str, Any]:
    done = classhook(runs, "coverage", f"{after}.data", "--since", f"{before}.data", "-f", "json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["schema"] == "classhook-coverage-diff/1"
    return found


def test_lines_of_the_same_code(runs: Path) -> None:
    (file,) = changes(runs, "left", "right")["files"]
    assert (file["source"], file["status"]) == ("p/Way.java", "same code")
    assert (file["lost_lines"], file["gained_lines"]) == ([4, 5, 11], [7, 8, 13])
    assert file["lost_methods"] == file["gained_methods"] == []
    text = classhook(runs, "coverage", "right.data", "--since", "left.data").stdout
    assert "p/Way.java  5/9 -> 5/9 lines\n    no longer covered: 4-5, 11\n    now covered: 7-8, 13\n" in text
    assert "(+0.0)" in text


def test_methods_where_the_code_is_another_one(runs: Path) -> None:
    (file,) = changes(runs, "right", "later")["files"]
    assert file["status"] == "other code"
    assert (file["lost_methods"], file["gained_methods"]) == (["p.Way.right()V"], ["p.Way.left()V"])
    assert file["lost_lines"] == file["gained_lines"] == [], "lines have moved"
    assert file["before"]["method"] == [2, 2]
    assert file["after"]["method"] == [2, 3]


def test_nothing_changed(runs: Path) -> None:
    assert changes(runs, "left", "left")["files"] == []
    assert "1 source file without a change" in classhook(runs, "coverage", "left.data", "--since", "left.data").stdout


def test_what_is_not_known_is_no_change(runs: Path) -> None:
    """The older data has lost its class files."""
    shutil.copytree(runs / "left.data", runs / "lost.data", ignore=shutil.ignore_patterns("originals"))
    done = classhook(runs, "coverage", "right.data", "--since", "lost.data")
    assert done.returncode == 1
    assert "instruction - -> " in done.stdout
    assert "(+" not in done.stdout
    assert "p/Way.java  - -> 5/9 lines, not known before\n" in done.stdout


def test_what_does_not_fit_is_refused(runs: Path) -> None:
    for words, said in ((["-f", "html"], "--since compares in text or json"), (["--by", "test"], "leave out --by")):
        done = classhook(runs, "coverage", "left.data", "--since", "right.data", *words)
        assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    assert classhook(runs, "coverage", "left.data", "--since", "nowhere").returncode == 2

"""The tables of `python -m tools.replay`, and the changes that it replays."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tools.replay.changes import applied, bugs, taken_back
from tools.replay.history import History, patch
from tools.replay.outcome import Outcome, Row
from tools.replay.page import table
from tools.replay.projects import Project

PROJECT = Project("acme", "acme", "acme", defects4j="Acme")


def row(**values: object) -> Row:
    told = {"commit": "c0ffee", "day": "2026-01-01", "title": "a change", "base": "abad1dea", "tests": 200, "ran": 20}
    return Row(**{**told, "selected": 50, "of_time": 0.4, "failing": 3, **values})  # type: ignore[arg-type]


def test_shares_are_means_over_the_commits() -> None:
    outcome = Outcome([row(), row(selected=100, of_time=0.6, failing=2, missed=["a.BTest#c"])], {"does not compile": 1})
    *_, line = table({"library": outcome}).splitlines()
    assert line == "| library | 2 | 200 | 5 | 1 | 10.0 % | 37.5 % | 37.5 % | 50.0 % |"


def test_a_table_without_commits_has_no_shares() -> None:
    assert table({"acme": Outcome([], {"no class file differs": 3})}).splitlines()[-1].startswith("| acme | 0 | 0 |")


def git(folder: Path, *words: str) -> str:
    named = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    return subprocess.run(["git", *named, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def commit(folder: Path, title: str, **files: str) -> str:
    """Writes files, whose names have `__` for a slash and `_` for a dot; returns the commit's number."""
    for name, text in files.items():
        (file := folder / name.replace("__", "/").replace("_", ".")).parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", title)
    return git(folder, "rev-parse", "HEAD").strip()


@pytest.fixture
def library(tmp_path: Path) -> tuple[Path, str, str]:
    """A library, the commit that mended its bug, and a later one."""
    folder = tmp_path / "acme"
    folder.mkdir()
    git(folder, "init", "-q")
    commit(folder, "start", src__main__java__A_java="int one() { return 2; }\n", src__test__java__T_java="\n")
    mended = commit(
        folder, "mended", src__main__java__A_java="int one() { return 1; }\n", src__test__java__T_java="one();\n"
    )
    later = commit(folder, "two", src__main__java__A_java="int one() { return 1; }\nint two() { return 2; }\n")
    return folder, mended, later


def test_commits_are_applied_oldest_first_and_taken_back_with_their_tests(library: tuple[Path, str, str]) -> None:
    folder, mended, later = library
    history = History(folder / ".git")
    forward = [*applied(history, PROJECT, 2)]
    assert [(one.name, one.base.title) for one in forward] == [(mended, "start"), (later, "mended")]
    (back,) = taken_back(history, PROJECT, 5)
    assert (back.name, back.base.number) == (mended, mended)
    git(folder, "checkout", "-q", mended)
    assert patch(folder, back.difference, *back.options)
    assert (folder / "src/main/java/A.java").read_text() == "int one() { return 2; }\n"
    assert (folder / "src/test/java/T.java").read_text() == "one();\n"


def test_bugs_come_with_their_patch_and_the_tests_that_fail(library: tuple[Path, str, str], tmp_path: Path) -> None:
    folder, mended, later = library
    (top := tmp_path / "defects4j" / "framework" / "projects" / "Acme").mkdir(parents=True)
    git(tmp_path / "defects4j", "init", "-q")
    (top / "active-bugs.csv").write_text(
        f"bug.id,revision.id.buggy,revision.id.fixed,report.id,report.url\n1,x,{mended},ACME-7,u\n3,x,{later},UNKNOWN,u\n"
    )
    for folder_name in ("patches", "trigger_tests"):
        (top / folder_name).mkdir()
    for number in (1, 3):
        (top / "patches" / f"{number}.src.patch").write_text("a patch\n")
        (top / "trigger_tests" / f"{number}").write_text(
            "--- acme.T::one\njava.lang.Error\n\tat a.B\n--- acme.Broken\n"
        )
    commit(tmp_path / "defects4j", "data")
    found = bugs(History(folder / ".git"), PROJECT, History(tmp_path / "defects4j" / ".git"))
    by_name = {one.name: one for one in found}
    assert {one.title: one.base.number for one in by_name.values()} == {"ACME-7": mended, "two": later}
    assert by_name["Acme-1"].difference == b"a patch\n"
    assert by_name["Acme-1"].triggers == {"acme.T#one", "acme.Broken#*"}

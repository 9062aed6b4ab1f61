"""javac for tests: what is kept, and what is compiled again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests import compiling
from tests.conftest import FindJvm


@pytest.fixture
def javac(find_jvm: FindJvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(compiling, "KEPT", tmp_path / "kept")
    return find_jvm(17).tool("javac")


def test_what_is_the_same_is_compiled_once(javac: Path, tmp_path: Path) -> None:
    (tmp_path / "A.java").write_text("class A { static final int N = 1; }")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "B.java").write_text("class B { int n = A.N; }")
    first = compiling.classes(javac, tmp_path / "A.java")
    assert compiling.classes(javac, shutil.copy(tmp_path / "A.java", tmp_path / "b")) == first
    assert compiling.classes(javac, "-g", tmp_path / "A.java") != first
    using = compiling.classes(javac, "-cp", first, tmp_path / "b" / "B.java")
    (tmp_path / "A.java").write_text("class A { static final int N = 2; }")
    changed = compiling.classes(javac, tmp_path / "A.java")
    assert compiling.classes(javac, "-cp", changed, tmp_path / "b" / "B.java") not in (using, first)
    compiling.javac(javac, "-cp", changed, "-d", tmp_path / "out", tmp_path / "b" / "B.java")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["B.class"]


def test_errors_are_shown(javac: Path, tmp_path: Path) -> None:
    (tmp_path / "A.java").write_text("class A { é }")
    for _ in range(2):
        with pytest.raises(AssertionError, match=r"A\.java:1: error"):
            compiling.classes(javac, tmp_path / "A.java")

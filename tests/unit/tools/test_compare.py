"""Files that the comparison keeps: results until the code changes, runs with JaCoCo's agent until what runs changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.compare import keeping
from tools.compare.keeping import Kept
from tools.compare.libraries import Built
from tools.compare.page import HEAD, Row, page, table
from tools.compare.running import Compared


def test_a_result_holds_until_the_code_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Kept(tmp_path)
    assert kept.result("gson-ecj") is None
    kept.keep("gson-ecj", Compared(classes=3, passed=["7 passed"], differ=["class a"]))
    assert kept.result("gson-ecj") == Compared(classes=3, passed=["7 passed"], differ=["class a"])
    (tmp_path / "torn.json").write_text("{")
    assert kept.result("torn") is None
    monkeypatch.setattr(keeping, "code", lambda: "other code")
    assert kept.result("gson-ecj") is None


def test_a_run_is_made_again_if_what_runs_has_changed(tmp_path: Path) -> None:
    classes, made = tmp_path / "classes", list[Path]()
    classes.mkdir()

    def run(file: Path) -> str:
        made.append(file)
        file.write_bytes(b"data")
        return "7 tests successful"

    def data(content: bytes, number: int = 0) -> str:
        (classes / "A.class").write_bytes(content)
        file, said = Kept(tmp_path / "kept").run(Built(classes, ("a",), ("-cp", classes, "A")), ["java"], number, run)
        assert file.read_bytes() == b"data"
        return said

    assert {data(b"one"), data(b"one")} == {"7 tests successful"}
    assert len(made) == 1
    data(b"one", 1)
    data(b"two")
    assert len(set(made)) == 3


def test_a_run_that_was_interrupted_is_made_again(tmp_path: Path) -> None:
    built = Built(tmp_path / "classes", ("a",), ("A",))

    def interrupted(file: Path) -> str:
        file.write_bytes(b"half")
        raise KeyboardInterrupt

    def whole(file: Path) -> str:
        assert not file.exists()
        file.write_bytes(b"whole")
        return ""

    with pytest.raises(KeyboardInterrupt):
        Kept(tmp_path).run(built, [], 0, interrupted)
    assert Kept(tmp_path).run(built, [], 0, whole)[0].read_bytes() == b"whole"


def test_the_table_and_the_page_have_each_row() -> None:
    rows = [
        Row("gson 2", "its tests", "ecj", Compared(classes=1234, passed=["7 passed"])),
        Row("jsoup 1", "programs", "javac17", Compared(passed=[""], differ=["a node"])),
        Row("lang 3", "its tests", "ecj", missing="no JDK 17"),
    ]
    assert [row.different for row in rows] == [[], ["a node"], []]
    lines = table(rows).splitlines()
    assert len(lines) == 4
    assert "1,234" in lines[1]
    assert "not compared" in lines[3]
    text = page(rows)
    assert text.count(HEAD) == 1
    assert "| gson 2 | its tests: 7 passed | ecj | 1,234 |" in text
    assert "- jsoup 1, javac17:\n\n      a node" in text

"""Runs of `make next-jdks`, the results that it reads in pytest's output, and its section of the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import roots
from tools.next_jdks import page, root, runs
from tools.next_jdks.runs import CORPUS, FOLDERS, USUAL, Outcome, Run, chosen, of_corpus, of_pytest, outcomes
from tools.wheels.shell import Failed

SAID = """\
....s..F.E                                                               [100%]
=================================== FAILURES ===================================
E       assert '3 passed, 2 failed' in done.stdout
=========================== short test summary info ============================
SKIPPED [2] tests/jvm/test_one.py:118: takes long; with CLASSHOOK_TEST_BUILDS=1 it runs
SKIPPED [1] tests/jvm/test_two.py:5: no Java 11
ERROR tests/jvm/test_two.py::test_a[jdk28] - ...
FAILED tests/jvm/test_two.py::test_b[jdk28] - AssertionError: asser...
1 failed, 1,234 passed, 3 skipped, 1 error in 185.78s (0:03:05)
""".replace("1,234", "1234")


def test_what_pytest_says() -> None:
    found = of_pytest(SAID.splitlines())
    assert found.passed == 1234
    assert found.skipped == {"takes long; with CLASSHOOK_TEST_BUILDS=1 it runs": 2, "no Java 11": 1}
    assert found.failed == ["tests/jvm/test_two.py::test_a[jdk28]", "tests/jvm/test_two.py::test_b[jdk28]"]


def test_what_the_corpus_says() -> None:
    line = "  305 s  jdk28             7,501 classes,  6,812 woven; verified 6,810 on 28; 1 problems"
    problem = "jdk28: java.base/java/lang/Object.class on 28, all: not woven, and nothing said about it"
    found = of_corpus([line, problem])
    assert (found.said, found.failed) == (
        "jdk28 7,501 classes, 6,812 woven; verified 6,810 on 28; 1 problems",
        [problem],
    )
    assert of_corpus([line.replace("1 problems", "0 problems")]).failed == []


def test_what_runs() -> None:
    assert chosen([], [], [], everything=False) == list(USUAL)
    assert {(run.jdk, run.python) for run in USUAL} == {(28, "3.14"), (28, "3.15"), (27, "3.14"), (26, "3.14")}
    assert chosen([], [], ["jvm", "heap"], everything=False) == [Run(28, "3.14", ("jvm", "heap"))]
    assert chosen([26], ["3.15"], [], everything=False) == [Run(26, "3.15", (*FOLDERS, CORPUS))]
    assert len(chosen([], [], [], everything=True)) == 6


def test_what_has_run_to_its_end_is_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the same commit."""
    done: list[str] = []

    def execute(run: Run, root: root.Root, clone: Path, words: list[str], log: Path) -> None:
        if "tests/live" in words and "not alone" in words and len(done) == 1:
            raise KeyboardInterrupt
        done.append(log.name)
        log.write_text("3 passed in 5s\nstatus 0 after 6 s\n")

    def run_all(state: str) -> dict[str, Outcome]:
        return dict(outcomes(Run(28, "3.14", ("jvm", "live")), root.Root(tmp_path), tmp_path, tmp_path, state))

    monkeypatch.setattr(runs, "execute", execute)
    with pytest.raises(KeyboardInterrupt):
        run_all("one")
    done.append("interrupted")
    assert {part: (one.passed, one.seconds) for part, one in run_all("one").items()} == dict.fromkeys(
        ("jvm", "live", "alone"), (3, 6)
    )
    assert done == ["28-3.14-jvm.log", "interrupted", "28-3.14-live.log", "28-3.14-alone.log"]
    run_all("two")
    assert len(done) == 7


def test_the_section() -> None:
    """Sums are of the tests; the corpus has a sentence."""
    one, two = of_pytest(SAID.splitlines()), Outcome(passed=6)
    corpus = Outcome(passed=1, said="jdk28 7,501 classes")
    results = {Run(28, "3.14", ("jvm", "heap", CORPUS)): {"jvm": one, "heap": two, CORPUS: corpus}}
    text = page.section(results, {27: "27.0.1", 28: "28-ea"}, {"3.14": "3.14.6"})
    assert "JDK 28: 28-ea; JDK 27: 27.0.1." in text
    assert "| 28 | 3.14.6 | jvm, heap | 1,240 | 3 | 2 |" in text
    assert "at once, as above: jdk28 7,501 classes." in text
    assert "- JDK 28, Python 3.14: `tests/jvm/test_two.py::test_b[jdk28]`" in text


def test_a_folder_with_mounts_is_not_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = root.Root(tmp_path / "root")
    folder.folder.mkdir()
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"36 35 98:0 / / rw - ext4 /dev/vda rw\n37 36 0:5 / {folder.folder}/dev rw - tmpfs udev rw\n")
    monkeypatch.setattr(roots, "MOUNTS", mounts)
    with pytest.raises(Failed, match=f"umount {folder.folder}/dev"):
        folder.remove()
    mounts.write_text("36 35 98:0 / / rw - ext4 /dev/vda rw\n")
    folder.remove()
    assert not folder.folder.exists()

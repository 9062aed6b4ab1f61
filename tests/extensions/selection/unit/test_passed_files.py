"""Files that were written while tests ran."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from classhook.extensions.selection.observed import Observed, TestData
from classhook.extensions.selection.opened import WRITTEN, Opening, hash_at, hashes
from classhook.extensions.selection.passed_files import PASSED_ON, passed_on
from classhook.model.test_runs import TestRun

MS = 1_000_000
BEGIN = 1_700_000_000_000 * MS  # of the JVM
LIFETIMES = [(BEGIN, BEGIN + 1000 * MS), (BEGIN + 2000 * MS, BEGIN + 3000 * MS)]


def run(method: str, begin: int, end: int) -> TestRun:
    """Times in ms from the JVM's begin."""
    return TestRun(
        f"a.ATest::{method}",
        "a.ATest",
        method,
        method,
        "test",
        "passed",
        BEGIN + begin * MS,
        (end - begin) * MS,
        "",
        1,
        "main",
    )


def written(path: Path, ms: int) -> Path:
    path.write_text("text")
    os.utime(path, ns=(BEGIN, BEGIN + ms * MS))
    return path


@pytest.mark.parametrize(
    ("ms", "readers"),
    [
        (150, ["second"]),  # while the first test ran
        (98, ["second"]),  # the times of files are behind
        (250, []),  # while the second one did
        (500, []),  # in no test
        (-500, []),  # before
    ],
)
def test_files_that_another_test_wrote(ms: int, readers: list[str], tmp_path: Path) -> None:
    path = written(tmp_path / "out.txt", ms)
    opened = {
        Opening(str(path), (), True, True),
        Opening(f"{tmp_path}/", (), True, True),
        Opening("/nowhere", (), True, True),
    }
    tests = {"a.ATest#first": TestData(), "a.ATest#second": TestData(opened=opened)}
    found = Observed(tests, runs=[run("first", 100, 200), run("second", 200, 300)])
    assert passed_on(found, LIFETIMES) == [f"{PASSED_ON} ({path}, read by a.ATest#{name})" for name in readers]


def test_what_a_build_wrote_between_two_jvms_is_compared(tmp_path: Path) -> None:
    between, during, later = (written(tmp_path / str(ms), ms) for ms in (1500, 2500, 3500))
    found = hashes([between.name, during.name, later.name], tmp_path, LIFETIMES)
    assert found == {between.name: hash_at(between), during.name: WRITTEN, later.name: hash_at(later)}

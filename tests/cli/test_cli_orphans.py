"""Data in /dev/shm whose directory is gone is found and removed, and no other."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from instrument.data.orphans import orphans
from tests.cli.conftest import Agent, Classhook

SHM = Path("/dev/shm")


@pytest.fixture
def left(classhook: Classhook, agent: Agent, tmp_path: Path) -> Path:
    """A file of data in /dev/shm, and its link in `data`."""
    assert classhook("compile", "-e", "count p.Work::*", "-o", "rules").status == 0
    assert agent("rules=rules,data=data").status == 0
    (link,) = (tmp_path / "data").glob("*.classhook")
    return Path(os.readlink(link))


def test_what_is_linked_stays(classhook: Classhook, left: Path, tmp_path: Path) -> None:
    assert classhook("cache", "--clean").status == 0
    assert left.exists()
    (tmp_path / "data").rename(tmp_path / "renamed")
    assert classhook("cache", "--clean").status == 0
    assert left.exists(), "the renamed directory links to it"
    assert "p.Work.add(int)" in classhook("report", "renamed").out
    assert not left.exists(), "report brings it home"


def test_what_no_directory_links_to_is_removed(classhook: Classhook, left: Path, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "data")
    shutil.copy(left, own := tmp_path / left.name)
    (found,) = orphans(tmp_path)
    assert (found.path, found.link) == (own, tmp_path / "data" / own.name.partition(f"classhook-{os.geteuid()}-")[2])
    done = classhook("cache", "--clean")  # a run elsewhere may be quicker
    assert done.status == 0
    assert re.match(r"\d+ files of data without a directory removed from /dev/shm, ", done.out)
    assert not left.exists()


def test_the_next_run_removes_it(classhook: Classhook, left: Path, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "data")
    done = classhook("run", "-e", "count a.B::c", "--", "true")
    assert done.status == 0
    assert not left.exists()


@pytest.mark.parametrize("spoil", [
    lambda data: data[:3],
    lambda data: b"something else",
    lambda data: data[:8] + bytes(len(data) - 8),
    lambda data: data.replace(b"/data/", b"\0data/"),
])  # fmt: skip
def test_what_cannot_be_read_is_let_be(left: Path, tmp_path: Path, spoil: Callable[[bytes], bytes]) -> None:
    shutil.rmtree(tmp_path / "data")
    try:
        left.write_bytes(spoil(left.read_bytes()))
        found = [one for one in orphans() if one.path == left]
        assert not found or found[0].link.is_absolute()
    finally:
        left.unlink()


def test_a_running_jvm_keeps_its_data(classhook: Classhook, classes: Path, tmp_path: Path) -> None:
    import subprocess

    from native import library

    assert classhook("compile", "-e", "count p.Work::*", "-o", "rules").status == 0
    main = "public static void main(String[] a) throws Exception { System.out.println(1); System.in.read(); }"
    (tmp_path / "Waits.java").write_text(f"class Waits {{ {main} }}")
    line = ["java", f"-agentpath:{library.AGENT}=rules=rules,data=data", "Waits.java"]
    with subprocess.Popen(line, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"1\n"
        (link,) = (tmp_path / "data").glob("*.classhook")
        target = Path(os.readlink(link))
        shutil.rmtree(tmp_path / "data")
        assert target not in [one.path for one in orphans()]
        process.communicate(b"x")
    assert target in [one.path for one in orphans()]
    target.unlink()

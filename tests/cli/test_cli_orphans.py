"""Data in /dev/shm whose directory is gone is found and removed, and no other."""

from __future__ import annotations

import errno
import os
import re
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from classhook.native._layout import ffi
from classhook.store.orphans import orphans
from tests.cli.conftest import Agent, Classhook

SHM = Path("/dev/shm")


@pytest.fixture
def left(classhook: Classhook, agent: Agent, tmp_path: Path) -> Path:
    """A file of data in /dev/shm, and its link in `data`, as a JVM that was killed leaves them."""
    assert classhook("rules", "--compile", "-e", "count p.Work::*", "-o", "rules").status == 0
    assert agent("rules=rules,data=data").status == 0
    (link,) = (tmp_path / "data").glob("*.classhook")
    target = SHM / f"classhook-{os.getuid()}-{link.name}"
    shutil.move(link, target)
    link.symlink_to(target)
    return target


def test_what_is_linked_stays(classhook: Classhook, left: Path, tmp_path: Path) -> None:
    assert classhook("self", "cache", "--clean").status == 0
    assert left.exists()
    (tmp_path / "data").rename(tmp_path / "renamed")
    assert classhook("self", "cache", "--clean").status == 0
    assert left.exists(), "the renamed directory links to it"
    assert "p.Work.add(int)" in classhook("report", "renamed").out
    assert not left.exists(), "report brings it home"


def test_what_no_directory_links_to_is_removed(classhook: Classhook, left: Path, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "data")
    shutil.copy(left, own := tmp_path / left.name)
    (found,) = orphans(tmp_path)
    assert (found.path, found.link) == (own, tmp_path / "data" / own.name.partition(f"classhook-{os.geteuid()}-")[2])
    done = classhook("self", "cache", "--clean")  # a run elsewhere may be quicker
    assert done.status == 0
    assert re.match(r"\d+ files? of data without a directory removed from /dev/shm, ", done.out)
    assert not left.exists()


def test_a_later_run_removes_it_and_says_so(classhook: Classhook, left: Path, tmp_path: Path) -> None:
    run = ("run", "--quiet", "-e", "count a.B::c", "--", "true")
    (tmp_path / "data").rename(tmp_path / "moved")
    (tmp_path / "arch").mkdir()
    (tmp_path / "moved").rename(tmp_path / "arch" / "data")
    assert classhook(*run).status == 0
    assert left.exists(), "it is younger than a day"
    two_days_ago = time.time() - 2 * 24 * 3600
    os.utime(left, (two_days_ago, two_days_ago))
    assert classhook(*run).status == 0
    assert left.exists(), "only the clock was set"
    with left.open("r+b") as file:
        file.seek(ffi.offsetof("struct ch_header", "last_ns"))
        file.write((time.monotonic_ns() - 2 * 24 * 3600 * 10**9).to_bytes(8, sys.byteorder, signed=True))
    os.utime(left, (two_days_ago, two_days_ago))
    (tmp_path / "data").mkdir()
    assert classhook(*run).status == 0
    assert left.exists(), "its directory is there"
    (tmp_path / "data").rmdir()
    done = classhook(*run)
    assert re.search(
        r"^classhook: removed \d+ files? \(\S+ \S+\) of earlier runs from /dev/shm: ", done.err, re.MULTILINE
    )
    assert not left.exists()


@pytest.mark.parametrize("code", [errno.EACCES, errno.EIO, errno.ESTALE, errno.ELOOP])
def test_what_cannot_be_looked_at_may_be_a_link(
    left: Path, tmp_path: Path, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(tmp_path / "data")

    def fails(path: Path) -> str:
        raise OSError(code, os.strerror(code), str(path))

    try:
        assert left in [one.path for one in orphans()]
        monkeypatch.setattr(os, "readlink", fails)
        assert left not in [one.path for one in orphans()]
    finally:
        left.unlink()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data[:3],
        lambda data: b"something else",
        lambda data: data[:8] + bytes(len(data) - 8),
        lambda data: data.replace(b"/data/", b"\0data/"),
    ],
)
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

    from classhook.native import library

    assert classhook("rules", "--compile", "-e", "count p.Work::*", "-o", "rules").status == 0
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

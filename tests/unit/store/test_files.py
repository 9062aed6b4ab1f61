"""Files are written completely or not at all; counters are moved to the data directory."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest

from classhook.base.files import output, whole
from classhook.store import tmpfs
from classhook.store.compact import compact
from classhook.store.reading import read_file
from tests.unit.store.test_datafile import EXAMPLE


def test_nobody_sees_a_part(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    with whole(path) as file:
        file.write(b"half")
        file.flush()
        assert not path.exists()
        file.write(b" and half")
    assert path.read_bytes() == b"half and half"
    assert os.listdir(path.parent) == ["file"]


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt])
def test_what_fails_leaves_what_was(tmp_path: Path, failure: type[BaseException]) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def write() -> None:
        with whole(path) as file:
            file.write(b"new")
            raise failure

    with pytest.raises(failure):
        write()
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_the_umask_and_the_mode(tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        for name, mode, wanted in (("public", 0o666, 0o644), ("private", 0o600, 0o600)):
            with whole(tmp_path / name, mode) as file:
                file.write(b"x")
            assert (tmp_path / name).stat().st_mode & 0o777 == wanted
    finally:
        os.umask(old)


def test_links_of_others_are_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a link in the file's place nor one in place of the temporary file, even if its name were known."""
    precious = tmp_path / "precious"
    precious.write_bytes(b"mine")
    monkeypatch.setattr(os, "urandom", bytes)
    for name in ("file", f".classhook-{bytes(12).hex()}", f".file.{os.getpid()}"):
        (tmp_path / name).symlink_to(precious)
    for _ in range(2):
        with suppress(FileExistsError), whole(tmp_path / "file") as file:
            file.write(b"new")
        assert precious.read_bytes() == b"mine"
        assert (tmp_path / f".file.{os.getpid()}").is_symlink()
        (tmp_path / f".classhook-{bytes(12).hex()}").unlink(missing_ok=True)
    assert (tmp_path / "file").read_bytes() == b"new"


def test_what_is_open_already_is_written_as_it_is(tmp_path: Path) -> None:
    """Such as /dev/stdout if it is a file."""
    with (tmp_path / "file").open("w+b") as file:
        file.write(b"old ")
        file.flush()
        with output(Path(f"/dev/fd/{file.fileno()}")) as more:
            more.write(b"new")
        assert (tmp_path / "file").read_bytes() == b"old new"
        assert file.read() == b"new"


def test_a_pipe_is_written_as_it_is(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with output(pipe) as file:
        file.write(b"through")
    assert os.read(reader, 100) == b"through"
    assert pipe.is_fifo()
    os.close(reader)


def test_only_our_own_links_lead_home() -> None:
    name = "12-ab.classhook"
    for target, ours in {
        f"/dev/shm/classhook-0-{name}": True,
        f"/dev/shm/classhook-1000-{name}": True,
        f"/dev/shm/{name}": False,
        "/dev/shm/classhook-0-13-ab.classhook": False,
        f"/tmp/classhook-0-{name}": False,
        f"/dev/shm/../tmp/classhook-0-{name}": False,
    }.items():
        assert tmpfs.on_tmpfs(target, name) == (Path(target) if ours else None)


def test_files_moved_to_disk_remain_their_owners(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if root moves it; and root follows no other user's link."""
    if os.geteuid():
        pytest.skip("only root brings home what is not its own")
    monkeypatch.setattr(tmpfs, "TMPFS", tmp_path)
    theirs, lure = tmp_path / "1.classhook", tmp_path / "2.classhook"
    for link in (theirs, lure):
        target = tmp_path / f"classhook-0-{link.name}"
        target.write_bytes(EXAMPLE)
        link.symlink_to(target)
    os.chown(tmp_path / "classhook-0-1.classhook", 4711, 4712)
    for link in (theirs, lure):
        os.lchown(link, 4711, 4712)
    assert tmpfs.move_to_disk([theirs, lure]) == []
    status = theirs.lstat()
    assert (status.st_uid, status.st_gid, status.st_mode & 0o7777) == (4711, 4712, 0o600)
    assert lure.is_symlink()
    assert (tmp_path / "classhook-0-2.classhook").exists()


def test_home_and_remove(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = tmp_path / "memory"
    memory.mkdir()
    monkeypatch.setattr(tmpfs, "TMPFS", memory)
    links = []
    for number in range(3):
        target = memory / f"classhook-0-{number}.classhook"
        target.write_bytes(EXAMPLE)
        links.append(tmp_path / f"{number}.classhook")
        links[-1].symlink_to(target)
    links[2].unlink()
    links[2].symlink_to(memory / "classhook-0-2.classhook")
    assert tmpfs.move_to_disk(links[:1]) == []
    assert links[0].read_bytes() == b"".join(compact(read_file(links[1])))
    assert not links[0].is_symlink()
    assert sorted(os.listdir(memory)) == ["classhook-0-1.classhook", "classhook-0-2.classhook"]
    tmpfs.remove(links[1])
    tmpfs.remove(links[0])
    assert sorted(os.listdir(memory)) == ["classhook-0-2.classhook"]
    assert tmpfs.move_to_disk([*links, tmp_path / "nowhere"]) == []
    assert os.listdir(memory) == []

"""Root reports the data of a user who swaps links meanwhile: a third user's data is neither read for the first one nor
removed.

The swaps come at every moment that there is: before each system call that looks at a file or changes one.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from types import BuiltinFunctionType, FrameType

import pytest

from classhook.api.recording import prepared_directory
from classhook.base.files import output
from classhook.cli import main
from classhook.store import baseline, rotation, tmpfs
from classhook.store.opening import DataError
from tests.unit.store.test_datafile import EXAMPLE

SWAPPER, OTHER = 4711, 4712
NAME = "12-ab.classhook"
SECRET = b"a secret"
MOST = 200  # system calls of what is tested

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root reports what is another user's")


class Users:
    """Two users' data: `mine` is the swapper's directory."""

    def __init__(self, root: Path, linked: bool) -> None:
        self.memory, self.mine, self.theirs = root / "shm", root / "mine" / "data", root / "theirs"
        self.link = self.mine / NAME
        for folder, owner in ((self.memory, 0), (self.mine, SWAPPER), (self.theirs, OTHER)):
            folder.mkdir(parents=True)
            os.chown(folder, owner, owner)
        os.chown(root / "mine", SWAPPER, SWAPPER)
        self.secret = self._data(OTHER, EXAMPLE.replace(b"java\0a.B", SECRET), self.theirs, linked=True)
        self.target = self._data(SWAPPER, EXAMPLE, self.mine, linked)
        for folder, owner in ((self.theirs, OTHER), (self.mine, SWAPPER)):
            (folder / f"{NAME}.more").write_bytes(SECRET if owner == OTHER else b"")
            os.chown(folder / f"{NAME}.more", owner, owner)

    def _data(self, owner: int, data: bytes, folder: Path, linked: bool) -> Path:
        file = self.memory / f"classhook-{owner}-{NAME}" if linked else folder / NAME
        file.write_bytes(data)
        if not linked:
            os.truncate(file, len(data) * 4)  # with holes
        os.chmod(file, 0o600)
        os.chown(file, owner, owner)
        if linked:
            (folder / NAME).symlink_to(file)
            os.lchown(folder / NAME, owner, owner)
        return file

    def swap_link(self) -> None:
        """To the other user's data, and back."""
        own = self.mine / "own"
        if own.exists():
            own.replace(self.link)
        else:
            self.link.replace(own)
            self.link.symlink_to(self.secret)
            os.lchown(self.link, SWAPPER, SWAPPER)

    def swap_folder(self) -> None:
        """To the other user's directory, and back."""
        if self.mine.is_symlink():
            self.mine.unlink()
            (self.mine.parent / "beside").rename(self.mine)
        else:
            self.mine.rename(self.mine.parent / "beside")
            self.mine.symlink_to(self.theirs)
            os.lchown(self.mine, SWAPPER, SWAPPER)

    def check(self) -> None:
        """The other user's data is there, as its owner left it or moved to its directory, and nobody else has it."""
        assert SECRET in (self.theirs / NAME).read_bytes()
        for folder, _, names in os.walk(self.memory.parent):
            for path in (Path(folder) / name for name in names):
                status = path.lstat()
                if path.is_file() and not path.is_symlink() and SECRET in path.read_bytes():
                    assert (status.st_uid, status.st_mode & 0o777 & ~0o200) in ((OTHER, 0o400), (OTHER, 0o444)), path


@contextmanager
def at_system_calls(act: dict[int, Callable[[], None]]) -> Iterator[list[int]]:
    """Acts before system calls with these numbers; the list tells how many there were."""
    count = [0]

    def profile(_frame: FrameType, event: str, function: object) -> None:
        if (
            event == "c_call"
            and isinstance(function, BuiltinFunctionType)
            and function.__module__ == "posix"
            and function.__name__ not in PURE
        ):
            act.get(count[0], lambda: None)()
            count[0] += 1

    sys.setprofile(profile)
    try:
        yield count
    finally:
        sys.setprofile(None)


#: They look at no name.
PURE = {"fspath", "urandom", "geteuid", "getpid", "close", "_path_normpath", "fstat", "pread", "lseek"}


def move_to_disk(users: Users) -> None:
    tmpfs.move_to_disk([users.link])


def remove(users: Users) -> None:
    tmpfs.remove(users.link)


def reset(users: Users) -> None:
    baseline.reset(users.link)


def rotate(users: Users) -> None:
    with users.target.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        rotation.rotate(users.link, keep=1)


@pytest.mark.rest
@pytest.mark.parametrize("linked", [True, False])
@pytest.mark.parametrize(
    ("work", "swapped"),
    [
        (move_to_disk, Users.swap_link),
        (move_to_disk, Users.swap_folder),
        (remove, Users.swap_link),
        (reset, Users.swap_link),
        (rotate, Users.swap_link),
        (rotate, Users.swap_folder),
    ],
)
def test_whatever_is_swapped_when(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    work: Callable[[Users], object],
    swapped: Callable[[Users], None],
    linked: bool,
) -> None:
    """Once, or there and back soon afterwards."""
    calls = 1
    first = second = 0
    while first < calls:
        users = Users(tmp_path / f"{first}-{second}", linked)
        monkeypatch.setattr(tmpfs, "TMPFS", users.memory)
        swap = partial(swapped, users)
        with (
            suppress(OSError, DataError),
            at_system_calls({first: swap, second: swap} if second > first else {first: swap}) as count,
        ):
            work(users)
        users.check()
        shutil.rmtree(tmp_path / f"{first}-{second}")
        calls = max(calls, count[0])
        assert calls < MOST
        second = max(second, first) + 1
        if second > first + 2:
            first, second = first + 1, 0


def test_while_links_are_swapped_all_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By another thread, at moments that nobody chose."""
    done = threading.Event()
    users = Users(tmp_path / "all", linked=True)
    monkeypatch.setattr(tmpfs, "TMPFS", users.memory)

    def swap() -> None:
        beside = users.mine / "beside"
        while not done.is_set():
            for to in (users.target, users.secret):
                if not users.target.exists():
                    users.target.write_bytes(EXAMPLE)
                    os.chown(users.target, SWAPPER, SWAPPER)
                beside.symlink_to(to)
                os.lchown(beside, SWAPPER, SWAPPER)
                beside.replace(users.link)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for _ in range(300):
            tmpfs.move_to_disk([users.link])
    finally:
        done.set()
        thread.join()
    users.check()


def test_erasing_leaves_what_links_of_others_lead_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a directory of root in which everybody may make files, such as /tmp."""
    users = Users(tmp_path / "all", linked=True)
    monkeypatch.setattr(tmpfs, "TMPFS", users.memory)
    users.swap_link()
    os.chown(users.mine, 0, 0)
    (users.theirs / "one.classes").touch()
    (users.mine / "originals").symlink_to(users.theirs)
    prepared_directory(users.mine, erase=True)
    assert os.listdir(users.mine / "originals") == os.listdir(users.theirs)
    assert (users.theirs / "one.classes").exists()
    assert not users.link.is_symlink()
    users.check()


def test_a_link_of_another_user_to_a_device_is_not_written_to(tmp_path: Path) -> None:
    """The report would go where that user wants it to."""
    pipe, link = tmp_path / "pipe", tmp_path / "report.txt"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with output(link) as file:
        file.write(b"root's own link")
    assert os.read(reader, 100) == b"root's own link"
    os.lchown(link, SWAPPER, SWAPPER)
    with pytest.raises(PermissionError, match="a link of user 4711 leads to what is not a regular file"), output(link):
        pass
    os.close(reader)


def test_root_clears_no_cache_of_another_user(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "1.pack").touch()
    os.chown(tmp_path, OTHER, OTHER)
    assert main(["self", "cache", "--clear", "--cache", str(tmp_path)]) == 2
    assert f"{tmp_path} belongs to user {OTHER}" in capsys.readouterr().err
    assert (tmp_path / "1.pack").exists()

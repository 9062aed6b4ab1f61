"""Files that tests open: each test of suites/files reads one in another way, and a change of a file selects those that
may notice."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from classhook.extensions.selection import record
from classhook.extensions.selection.deciding import select
from classhook.extensions.selection.program import read_program
from classhook.extensions.selection.recording import Recording
from classhook.extensions.selection.recording_file import read, write
from classhook.extensions.selection.since import other_changes
from tests import peers
from tests.conftest import Jvm, classhook_command, execute
from tests.coverage.conftest import peer
from tests.events.known_tests import RULE, Suite, path_of
from tests.extensions.selection.cli.test_cli_select import git

CLASSES = "target/classes"
COPIED = "src/test/resources/resource.txt"
EVERY = {
    *(
        "absent",
        "bundle",
        "channel",
        "first",
        "helped",
        "later",
        "latest",
        "listed",
        "none",
        "random",
        "resource",
        "stream",
        "string",
        "thread",
    ),
    *("written", "ignored", "own", "classFile", "classResource", "classWalk", "loaded"),
}
#: By file: the tests that may notice that it changed.
READERS = {
    "data/stream.txt": {"stream"},
    "data/string.txt": {"string"},
    "data/random.txt": {"random"},
    "data/channel.txt": {"channel"},
    "data/helped.txt": {"first"},
    "data/other.txt": {"helped"},
    "data/cached.txt": {"first", "later"},  # a cache: whichever test comes first reads it
    "data/constant.txt": {"first", "latest"},
    "data/thread.txt": {
        "thread",
        "first",
        "later",
        "latest",
    },  # from another thread's stack it is not known who caused it
    "data/setup.txt": EVERY,
    f"{CLASSES}/messages.properties": {"first", "bundle"},  # Java keeps bundles
    f"{CLASSES}/resource.txt": {"resource"},
}


@pytest.fixture
def project(jvm: Jvm, suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in git, with the recorded tests in `data`."""
    jars = [peer(one) for one in peers.JUNIT4]
    shutil.copytree(suite("files", jars), tmp_path / CLASSES)
    for name in [*READERS, COPIED, "data/many/one", "ignored/text.txt", "ignored/many/one"]:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("hello=you\n" if name.endswith("properties") else f"{path.name}\n")
    (tmp_path / ".gitignore").write_text("target\nrun\nignored\n")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "first")
    monkeypatch.chdir(tmp_path)
    ours = [*classhook_command(), "run", "--quiet", "--tests", "-e", RULE.replace("leaf", "*"), "-o", "run", "--"]
    words = [
        jvm.java,
        "-Xcheck:jni",
        "-cp",
        path_of([Path(CLASSES), *jars]),
        "org.junit.runner.JUnitCore",
        "suite.FilesTest",
    ]
    done = execute([*ours, *words])
    assert "OK (21 tests)" in done.stdout
    assert "WARNING" not in done.stdout + done.stderr
    program = read_program([tmp_path / CLASSES])
    write(tmp_path, [record.record([*(tmp_path / "run").glob("*.classhook")], program, tmp_path, print)])
    return tmp_path


@contextmanager
def changed(path: Path, text: str | None = "other\n") -> Iterator[None]:
    """The file has another text, or is gone, for a while."""
    before = path.read_text() if path.exists() else None
    for one in (text, before):
        if one is None:
            path.unlink()
        else:
            path.write_text(one)
        if one is text:
            yield


def check_what_git_does_not_see(project: Path, selected: Callable[[], tuple[set[str], list[str]]]) -> None:
    """Files that it ignores, in repositories within this one, and those that it was told to take for unchanged."""
    for option in ("--assume-unchanged", "--skip-worktree"):
        git(project, "update-index", option, "data/string.txt")
        with changed(project / "data/string.txt"):
            assert selected() == ({"string"}, []), option
        git(project, "update-index", option.replace("--", "--no-"), "data/string.txt")
    for name, text in {
        "ignored/text.txt": "other\n",
        "ignored/many/two": "",
        "ignored/own.txt": None,
        "ignored/unknown.txt": "",
    }.items():
        with changed(project / name, text):
            assert selected() == ({"ignored"} if name.endswith(("/text.txt", "/two")) else set(), []), name


def check_class_files(project: Path, selected: Callable[[], tuple[set[str], list[str]]]) -> None:
    """Asserts that a changed class file selects the tests that read it as a file, or look at it; loading a class is no
    reading."""
    folder = project / CLASSES / "other"
    for name, readers in {"Read": {"classFile"}, "Found": {"classResource"}, "Loaded": set[str]()}.items():
        file = folder / f"{name}.class"
        before = file.read_bytes()
        file.write_bytes(before.replace(b"before", b"behind"))
        assert selected() == ({*readers, "classWalk"}, []), name
        file.unlink()
        assert selected()[0] >= {*readers, "classWalk"}, f"{name} is gone"
        file.write_bytes(before)


@pytest.mark.every_jvm
def test_files_that_tests_open(project: Path) -> None:
    recordings: list[Recording] = read(project)

    def selected() -> tuple[set[str], list[str]]:
        program = read_program([project / CLASSES])
        others = other_changes(recordings, program, project, "", [project / CLASSES])
        found = select(recordings, program, list(others.anything), others.files)
        return {name.partition("#")[2] for name in found.reasons}, found.anything

    assert selected() == (set(), [])
    for name, readers in READERS.items():
        with changed(project / name):
            assert selected() == (readers, []), name
        if len(readers) == 1:
            with changed(project / name, None):
                assert selected() == (readers, []), f"{name} is gone"
    for name, readers in {"data/absent.txt": {"absent"}, "data/many/two": {"listed"}}.items():
        with changed(project / name):
            assert selected() == (readers, []), f"{name} is new"
    for name in ("data/unknown.txt", "data/written.txt"):
        with changed(project / name):
            assert selected() == (EVERY, [f"{name} changed, which tests may read"])
    check_what_git_does_not_see(project, selected)
    check_class_files(project, selected)
    with changed(project / COPIED):
        assert selected() == (EVERY, [f"{COPIED} changed, which tests may read"]), "it was not copied"
        with changed(project / CLASSES / "resource.txt"):
            assert selected() == ({"resource"}, [])
    shutil.rmtree(project / ".git")
    with changed(project / "data/string.txt"):
        assert selected() == ({"string"}, []), "without git"

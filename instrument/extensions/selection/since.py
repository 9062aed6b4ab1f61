"""Finds the files besides the classes that changed since tests were recorded.

Git tells, and hashes of build files and opened ones do: git does not look at files that it ignores, at nested
repositories, and at what it was told to take for unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from classhook.base.errors import Failure, UsageError
from classhook.base.names import several
from classhook.extensions.selection.changes import files_that_count, is_source
from classhook.extensions.selection.checkout import Checkout, build_files, checkout, is_for_build
from classhook.extensions.selection.opened import BESIDE, CHANGED, GONE, NEW, concerned, hash_at, with_other_hashes
from classhook.extensions.selection.program import Program
from classhook.extensions.selection.recording import Recording
from classhook.extensions.selection.recording_file import FILE

SHORT = 10  # digits of a commit
SECOND = 1_000_000_000
RESOURCES = "resources"  # the folder in src/main and src/test that builds copy


@dataclass(slots=True)
class OtherChanges:
    """`anything`: why every test may be altered; `files`: for each recording, files that tests opened, by name, and
    what became of them."""

    anything: dict[str, None] = field(default_factory=dict)
    files: list[dict[str, str]] = field(default_factory=list)


def base_of(git: Checkout | None, changes: str) -> str:
    """The commit before `..` in the argument, empty if there is none; what is behind it must be checked out. Raises
    UsageError."""
    before, dots, after = changes.partition("..")
    if not changes:
        return ""
    if git is None:
        raise UsageError(
            f"--changes {changes}: this is no working tree of git; without --changes, build files and classes are"
            " compared"
        )
    if dots and git.resolve(after.lstrip(".") or "HEAD") != git.commit:
        raise UsageError(
            f"--changes {changes}: {after.lstrip('.')} is not checked out; check it out and compile it, since its"
            " classes are compared"
        )
    return git.common(before or "HEAD")


def other_changes(
    recordings: list[Recording], program: Program, folder: Path, changes: str, own: list[Path]
) -> OtherChanges:
    """Files that changed, but for those in `own`: the folders of classes, and what this command writes. Raises
    UsageError, and Failure if the classes are out of date."""
    git = checkout(folder)
    base = base_of(git, changes)
    found = OtherChanges()
    strings = frozenset(text for facts in program.classes.values() for text in facts.strings)
    build = build_files(folder)
    for recording in recordings:
        differing = sorted(
            path for path in build.keys() | recording.build.keys() if build.get(path) != recording.build.get(path)
        )
        found.anything.update(
            dict.fromkeys(f"{path} changed, which says how the program is built" for path in differing[:1])
        )
        if git is None:
            found.files.append(with_other_hashes(recording.opened, folder))
            continue
        since = recording.commit if recording.commit and git.has(recording.commit) else base
        if not since:
            found.files.append({})
            found.anything[
                f"git does not know commit {recording.commit[:SHORT] or '(none)'}, of which the tests were recorded:"
                " which files changed is unknown"
            ] = None
            continue
        paths = {path for path in _changed(git, recording, since) if not _is_own(git.folder / path, own)}
        check_compiled(git, program, paths)
        read = _read(recording, program, git, since, paths)
        found.files.append(_unseen(recording, git, paths) | {path: what for path, what in read.items() if what})
        counting = [
            path for path in files_that_count(paths - read.keys(), strings) if not is_for_build(path) or not differing
        ]
        if counting:
            more = f" and {several(len(counting) - 1, 'other file')}" if len(counting) > 1 else ""
            found.anything[f"{counting[0]}{more} changed, which tests may read"] = None
    return found


def _read(recording: Recording, program: Program, git: Checkout, since: str, paths: set[str]) -> dict[str, str]:
    """The changed files whose reading tests are known, and what became of them; empty if only a copy
    beside the classes is read, which is compared itself. Classes may come from a jar, too, which is not known."""
    found, new = {}, git.new(since)
    for path in paths:
        if path.endswith(".jar"):
            continue
        there = (git.folder / path).exists()
        what = GONE if not there else NEW if path in new else CHANGED
        copies = [name for name in _copies(path) if name in program.files or name in recording.files]
        if concerned(recording.opened, path, what):
            if all(_is_copied(git.folder / path, program, name) for name in copies if _is_resource(path, name)):
                found[path] = what
        elif any(
            _is_copied(git.folder / path, program, name) and concerned(recording.opened, BESIDE + name, what)
            for name in copies
        ):
            found[path] = ""
    return found


def _unseen(recording: Recording, git: Checkout, paths: set[str]) -> dict[str, str]:
    """The opened files and directories that changed without git reporting it, and what became of them. Git reports new
    files in a directory, unless it ignores them."""
    found = with_other_hashes(recording.opened, git.folder)
    ignored = git.ignored({name for name in found if name.endswith("/")})
    return {
        name: what for name, what in found.items() if name not in paths and (not name.endswith("/") or name in ignored)
    }


def _copies(path: str) -> list[str]:
    """The paths to which a build may have copied it, in a folder of classes."""
    parts = path.split("/")
    return ["/".join(parts[i:]) for i in range(1, len(parts))]


def _is_resource(path: str, name: str) -> bool:
    return path.endswith(f"/{RESOURCES}/{name}")


def _is_copied(path: Path, program: Program, name: str) -> bool:
    """True if the copy is like the file: both may be gone."""
    return hash_at(path) == program.files.get(name, "")


def _changed(git: Checkout, recording: Recording, since: str) -> set[str]:
    """Files that changed since the tests were recorded."""
    changed = git.changed(since)
    if since != recording.commit:
        return changed
    now = git.hashes(set(recording.dirty))
    return {path for path in changed if path not in recording.dirty} | {
        path for path, known in recording.dirty.items() if now[path] != known
    }


def _is_own(path: Path, own: list[Path]) -> bool:
    return path.name == FILE or any(path.is_relative_to(one) for one in own)


def check_compiled(git: Checkout, program: Program, paths: set[str]) -> None:
    """Raises Failure if a changed source was written after all classes were."""
    latest = max(program.modified.values(), default=0)
    for path in sorted(paths):
        file = git.folder / path
        if is_source(path) and file.exists() and file.stat().st_mtime_ns > latest + SECOND:
            raise Failure(
                f"{path} is newer than all classes: compile the program and its tests first, since their classes are"
                " compared"
            )

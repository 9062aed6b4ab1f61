"""Which files besides the classes changed since tests were recorded, by what git says, and by hashes of build files."""

from __future__ import annotations

from pathlib import Path

from classhook.errors import Failure, UsageError
from classhook.names import several
from classhook.selection.changes import files_that_count, is_source
from classhook.selection.checkout import Checkout, build_files, checkout, is_for_build
from classhook.selection.program import Program
from classhook.selection.recording import FILE, Recording

SHORT = 10  # digits of a commit
SECOND = 1_000_000_000


def base_of(git: Checkout | None, changes: str) -> str:
    """The commit before `..` in the argument, empty if there is none; what is behind it must be checked out. Raises UsageError."""
    before, dots, after = changes.partition("..")
    if not changes:
        return ""
    if git is None:
        raise UsageError(f"--changes {changes}: this is no working tree of git; without --changes, build files and classes are compared")
    if dots and git.resolve(after.lstrip(".") or "HEAD") != git.commit:
        raise UsageError(f"--changes {changes}: {after.lstrip('.')} is not checked out; check it out and compile it, since its classes are compared")
    return git.common(before or "HEAD")


def other_changes(recordings: list[Recording], program: Program, folder: Path, changes: str, own: list[Path]) -> list[str]:
    """Why every test may be altered: files that changed, but for those in `own`: the folders of classes, and what this command writes. Raises
    UsageError, and Failure if the classes are out of date."""
    git = checkout(folder)
    base = base_of(git, changes)
    found: dict[str, None] = {}
    strings = frozenset(text for facts in program.classes.values() for text in facts.strings)
    build = build_files(folder)
    for recording in recordings:
        differing = sorted(path for path in build.keys() | recording.build.keys() if build.get(path) != recording.build.get(path))
        found.update(dict.fromkeys(f"{path} changed, which says how the program is built" for path in differing[:1]))
        if git is None:
            continue
        since = recording.commit if recording.commit and git.has(recording.commit) else base
        if not since:
            found[
                f"git does not know commit {recording.commit[:SHORT] or '(none)'}, of which the tests were recorded: which files changed is unknown"
            ] = None
            continue
        paths = {path for path in _changed(git, recording, since) if not _is_own(git.folder / path, own)}
        check_compiled(git, program, paths)
        counting = [path for path in files_that_count(paths, strings) if not is_for_build(path) or not differing]
        if counting:
            more = f" and {several(len(counting) - 1, 'other file')}" if len(counting) > 1 else ""
            found[f"{counting[0]}{more} changed, which tests may read"] = None
    return list(found)


def _changed(git: Checkout, recording: Recording, since: str) -> set[str]:
    """Files that differ from what they were when the tests were recorded."""
    changed = git.changed(since)
    if since != recording.commit:
        return changed
    now = git.hashes(set(recording.dirty))
    return {path for path in changed if path not in recording.dirty} | {path for path, known in recording.dirty.items() if now[path] != known}


def _is_own(path: Path, own: list[Path]) -> bool:
    return path.name == FILE or any(path.is_relative_to(one) for one in own)


def check_compiled(git: Checkout, program: Program, paths: set[str]) -> None:
    """Raises Failure if a changed source was written after all classes were."""
    latest = max(program.modified.values(), default=0)
    for path in sorted(paths):
        file = git.folder / path
        if is_source(path) and file.exists() and file.stat().st_mtime_ns > latest + SECOND:
            raise Failure(f"{path} is newer than all classes: compile the program and its tests first, since their classes are compared")

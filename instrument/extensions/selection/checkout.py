"""Answers of git: the commit that is checked out, and the files that differ from another one."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from classhook.base.errors import UsageError
from classhook.extensions.selection.program import hash_of

TO_BUILD = (
    "pom.xml",
    "*.gradle",
    "*.gradle.kts",
    "gradle.properties",
    "gradle-wrapper.properties",
    "*.versions.toml",
    "gradle.lockfile",
    "build.xml",
    "build.sbt",
    "ivy.xml",
    "BUILD",
    "BUILD.bazel",
    "WORKSPACE",
    "MODULE.bazel",
    ".java-version",
    ".tool-versions",
    "maven.config",
    "jvm.config",
    "extensions.xml",
)
NOT_ENTERED = frozenset({"target", "build", "out", "node_modules"})


@dataclass(frozen=True, slots=True)
class Checkout:
    """A working tree of git. `folder`: its top."""

    folder: Path
    commit: str

    def resolve(self, name: str) -> str:
        """The commit of this name. Raises UsageError."""
        found = _git(self.folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        if found is None:
            raise UsageError(
                f"--changes {name}: git knows no such commit here; in CI, a shallow clone may lack it (fetch-depth: 0)"
            )
        return found.strip()

    def has(self, commit: str) -> bool:
        return _git(self.folder, "cat-file", "-e", f"{commit}^{{commit}}") is not None

    def common(self, name: str) -> str:
        """The commit of this name from which the one that is checked out comes: where they branched. Raises
        UsageError."""
        commit = self.resolve(name)
        return (_git(self.folder, "merge-base", commit, "HEAD") or commit).strip()

    def changed(self, since: str) -> set[str]:
        """Paths of files that differ from a commit, with those that git does not know yet."""
        listed = (_git(self.folder, "diff", "--name-only", "--no-renames", "-z", since, "--") or "").split("\0")
        return {path for path in listed if path} | self.unknown()

    def new(self, since: str) -> set[str]:
        """Paths of files that a commit does not have."""
        listed = (
            _git(self.folder, "diff", "--name-only", "--no-renames", "--diff-filter=A", "-z", since, "--") or ""
        ).split("\0")
        return {path for path in listed if path} | self.unknown()

    def unknown(self) -> set[str]:
        """Paths of files that git does not know and does not ignore."""
        listed = (_git(self.folder, "ls-files", "--others", "--exclude-standard", "-z") or "").split("\0")
        return {path for path in listed if path}

    def ignored(self, paths: set[str]) -> set[str]:
        """The paths, of these, that git ignores."""
        listed = _git(self.folder, "check-ignore", "-z", "--stdin", given="\0".join(sorted(paths))) if paths else ""
        return {path for path in (listed or "").split("\0") if path}

    def all_ignored(self) -> list[str]:
        """Paths of files and directories that it ignores; those of directories end with a slash."""
        listed = _git(self.folder, "ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z") or ""
        return sorted(path for path in listed.split("\0") if path)

    def hashes(self, paths: set[str]) -> dict[str, str]:
        """Hashes of files as they are now; empty of those that are gone."""
        found = {}
        for path in sorted(paths):
            try:
                found[path] = hash_of((self.folder / path).read_bytes())
            except OSError:
                found[path] = ""
        return found


def checkout(folder: Path) -> Checkout | None:
    """The working tree that a folder is in; None: it is in none, or there is no git."""
    top = _git(folder, "rev-parse", "--show-toplevel")
    commit = _git(folder, "rev-parse", "--verify", "--quiet", "HEAD")
    return Checkout(Path(top.strip()), commit.strip()) if top and commit else None


def is_for_build(path: str) -> bool:
    """True if a file says how the program is built, by its path."""
    name = path.rpartition("/")[2]
    return (
        any(fnmatchcase(name, pattern) for pattern in TO_BUILD) or path.startswith("buildSrc/") or "/buildSrc/" in path
    )


def build_files(folder: Path) -> dict[str, str]:
    """Hashes of the files that say how the program is built, by their paths in the folder."""
    found = {}
    for path, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in NOT_ENTERED and not name.startswith(".git")]
        for name in names:
            file = Path(path, name)
            within = file.relative_to(folder).as_posix()
            if is_for_build(within):
                try:
                    found[within] = hash_of(file.read_bytes())
                except OSError:
                    found[within] = ""
    return found


def _git(folder: Path, *words: str, given: str = "") -> str | None:
    """The output of git; None if it fails. `given`: its standard input."""
    try:
        line = ["git", "-C", str(folder), *words]
        done = subprocess.run(
            line, input=given.encode("utf-8", "surrogateescape"), capture_output=True, timeout=120, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "surrogateescape")

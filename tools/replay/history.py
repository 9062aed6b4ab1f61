"""A repository of git, with or without a work tree: its commits, their files, and what they change.

A clone may lack its largest files. They are left out, so tests that read them fail before a commit as after it.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.compare.fetching import Failed

#: The beginnings of changed lines that no class file shows: comments, and what names other classes.
SILENT = ("*", "/*", "//", "import ", "package ", "@Override", "@SuppressWarnings")


DIGITS = 40  # of a commit's number


def short(name: str) -> str:
    """A commit's number shortened; any other name as it is."""
    return name[:10] if len(name) == DIGITS else name


@dataclass(frozen=True, slots=True)
class Commit:
    """`number`: all its digits; `day`: as YYYY-MM-DD."""

    number: str
    day: str
    title: str

    @property
    def short(self) -> str:
        return short(self.number)


@dataclass(frozen=True, slots=True)
class History:
    """`git`: the repository's own folder."""

    git: Path

    def run(self, *words: str, given: bytes = b"") -> bytes:
        """Runs a command of git; returns what it prints. Raises Failed."""
        line = ["git", "--git-dir", str(self.git), *words]
        done = subprocess.run(line, input=given, capture_output=True)
        if done.returncode:
            raise Failed(f"{' '.join(line)}: {done.stderr.decode(errors='replace').strip()}")
        return done.stdout

    def commits(self, *paths: str) -> Iterator[Commit]:
        """The commits with one parent that change code below each of these paths, newest first."""
        shown = self.run("log", "--no-merges", "--min-parents=1", "--format=%H %cs %s", "--", paths[0])
        for line in shown.decode(errors="replace").splitlines():
            number, day, title = (*line.split(" ", 2), "")[:3]
            commit = Commit(number, day, title)
            if all(self._changes_code(commit, path) for path in paths):
                yield commit

    def _changes_code(self, commit: Commit, path: str) -> bool:
        return any(not line.startswith(SILENT) for line in self._changed_lines(commit, path))

    def _changed_lines(self, commit: Commit, path: str) -> Iterator[str]:
        """Without white space around them, and without empty ones."""
        for line in self.diff(commit, path, "-U0", "-w").decode(errors="replace").splitlines():
            if line.startswith(("+", "-")) and not line.startswith(("+++", "---")) and (text := line[1:].strip()):
                yield text

    def diff(self, commit: Commit, path: str, *options: str) -> bytes:
        """Returns what a commit changes below a path, as git prints it."""
        options = ("--binary", "--no-renames", *options)
        return self.run("diff", *options, f"{commit.number}^", commit.number, "--", path)

    def parent(self, commit: Commit) -> Commit:
        return self.commit(f"{commit.number}^")

    def commit(self, name: str) -> Commit:
        shown = self.run("log", "-1", "--format=%H %cs %s", name).decode(errors="replace").strip()
        number, day, title = (*shown.split(" ", 2), "")[:3]
        return Commit(number, day, title)

    def write(self, commit: Commit, to: Path, path: str) -> None:
        """Writes the files below a path, and all others of their names in the top folder, without those that the clone
        lacks."""
        listed = self.run("ls-tree", "-r", "-z", "--full-tree", commit.number).decode().split("\0")
        files = [(name, meta.split()) for meta, _, name in (line.partition("\t") for line in listed if line)]
        wanted = {
            name: words[2]
            for name, words in files
            if words[1] == "blob"
            and words[0] != "120000"
            and ("/" not in name or path == "." or name.startswith(path + "/"))
        }
        with subprocess.Popen(
            ["git", "--git-dir", self.git, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            for name, number in wanted.items():
                process.stdin.write(f"{number}\n".encode())
                process.stdin.flush()
                said = process.stdout.readline().split()
                if said[1:] == [b"missing"]:
                    continue
                data = process.stdout.read(int(said[2]) + 1)[:-1]
                file = to / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)
            process.stdin.close()


def patch(tree: Path, difference: bytes, *options: str) -> bool:
    """Applies what a commit changes to files; returns whether that was possible. `options`: `-R` takes it back."""
    alone = {**os.environ, "GIT_CEILING_DIRECTORIES": str(tree.parent)}
    line = ["git", "apply", "--whitespace=nowarn", *options, "-"]
    return subprocess.run(line, input=difference, cwd=tree, env=alone, capture_output=True).returncode == 0


def found(clones: Path | None, owner: str, name: str) -> History:
    """Looks for a repository as NAME, OWNER+NAME or OWNER+NAME/repo. Raises Failed."""
    for path in (name, f"{owner}+{name}/repo", f"{owner}+{name}"):
        if clones and (git := clones / path).is_dir():
            return History((git / ".git" if (git / ".git").exists() else git).resolve())
    raise Failed(f"no clone of github.com/{owner}/{name}: name the folder that it lies in by --clones")

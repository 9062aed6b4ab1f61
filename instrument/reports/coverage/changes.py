"""The lines that a range of commits changed, as git says, and which of them no test covers.

A changed file belongs to the classes whose package and source file its path ends with; Kotlin and Scala files to those
of the package that they declare.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from classhook.base.errors import UsageError
from classhook.base.names import several
from classhook.coverage.bundle import Package, SourceFile
from classhook.reports.coverage.sources import PACKAGE

HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@")


@dataclass(slots=True)
class ChangedFile:
    """The changed lines of a file that have code. `partly`: those with a missed branch, in words where they are
    known."""

    path: str
    missed: list[int]
    covered: list[int]
    partly: list[tuple[int, str]] = field(default_factory=list)


class Changes:
    """Changed lines by the file's path from the top of the repository."""

    def __init__(self, top: Path, lines: dict[str, set[int]]) -> None:
        self.top = top
        self.lines = lines
        self._by_name: dict[str, list[str]] = {}
        for path in lines:
            self._by_name.setdefault(path.rpartition("/")[2], []).append(path)

    def paths(self, package: str, name: str) -> list[str]:
        """The changed files that are this source file."""
        found = []
        for path in self._by_name.get(name, ()):
            folder = path.rpartition("/")[0]
            if folder == package or not package or folder.endswith("/" + package):
                found.append(path)
            elif not name.endswith(".java"):
                declared = PACKAGE.search("\n".join(self.text(path)))
                if declared and declared.group(1).replace("`", "").replace(".", "/") == package:
                    found.append(path)
        return found

    def text(self, path: str) -> list[str]:
        """The file's lines as they are now; none if it cannot be read."""
        try:
            return (self.top / path).read_text("utf-8", errors="replace").splitlines()
        except OSError:
            return []


def read(revisions: str) -> Changes:
    """Asks git for the changes of a range such as `origin/main...HEAD`. Raises UsageError."""
    if revisions.startswith("-") or not revisions:
        raise UsageError(f"--changes {revisions}: give commits as for git diff, such as origin/main...HEAD")
    top = _git("rev-parse", "--show-toplevel").strip()
    out = _git(
        "-c",
        "core.quotePath=off",
        "diff",
        "--no-color",
        "--no-ext-diff",
        "--no-renames",
        "--unified=0",
        "--src-prefix=a/",
        "--dst-prefix=b/",
        revisions,
        "--",
    )
    return Changes(Path(top), parse(out))


def parse(diff: str) -> dict[str, set[int]]:
    """The new numbers of added and changed lines, by file."""
    found: dict[str, set[int]] = {}
    lines: set[int] = set()
    left = 0  # lines of the hunk to come, which may look like anything
    for line in diff.split("\n"):
        if left and line[:1] in "+-":
            left -= 1
        elif line.startswith("+++ b/"):
            lines = found.setdefault(line[6:].removesuffix("\t"), set())
        elif hunk := HUNK.match(line):
            start, count = int(hunk.group(1)), int(hunk.group(2) or 1)
            lines.update(range(start, start + count))
            old = line.split(" ")[1].partition(",")[2]
            left = count + (int(old) if old else 1)
    return {path: numbers for path, numbers in found.items() if numbers}


def _git(*line: str) -> str:
    try:
        done = subprocess.run(["git", *line], capture_output=True, timeout=120)
    except FileNotFoundError:
        raise UsageError("--changes needs git, which is not installed") from None
    except subprocess.TimeoutExpired:
        raise UsageError("--changes: git did not answer within two minutes") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines() or ["it failed"]
        raise UsageError(
            f"--changes: git says: {said[0]}; in CI, fetch the whole history (for actions/checkout: fetch-depth: 0)"
        )
    return done.stdout.decode(errors="surrogateescape")


def changed_lines(package: Package, changes: Changes) -> list[ChangedFile]:
    """The changed files of a package, with those of their lines that have code."""
    return [
        _changed(source, path, changes)
        for source in package.sources.values()
        for path in changes.paths(package.name, source.name)
    ]


def _changed(source: SourceFile, path: str, changes: Changes) -> ChangedFile:
    numbers = changes.lines[path]
    there = sorted(number for number, four in source.lines.items() if number in numbers and four[0] + four[1])
    found = ChangedFile(path, [n for n in there if not source.lines[n][1]], [n for n in there if source.lines[n][1]])
    text: list[str] | None = None
    said: set[int] = set()
    for cls in source.classes:
        for method in cls.methods:
            for one in method.missed:
                if one.line in numbers:
                    text = changes.text(path) if text is None else text
                    found.partly.append((one.line, one.words(text[one.line - 1] if one.line <= len(text) else "")))
                    said.add(one.line)
    for number in found.covered:
        if source.lines[number][2] and number not in said:
            found.partly.append(
                (number, f"{source.lines[number][2]} of {several(sum(source.lines[number][2:]), 'branch')} never taken")
            )
    found.partly.sort()
    return found

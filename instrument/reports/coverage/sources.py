"""Finds the sources of classes in folders and jars, and says which are missing or do not match.

A class names its source file without the folder. It is the file of that name whose folders end with the package's;
Kotlin, Scala and Groovy files may lie elsewhere and are known by their `package` statement.
"""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Iterable
from pathlib import Path

from classhook.base.errors import UsageError
from classhook.base.names import several_are

SKIPPED = frozenset({"node_modules"})  # folders without sources of ours, and large
PACKAGE = re.compile(r"^\s*package\s+([\w.`]+)", re.MULTILINE)
BLANK = 20  # a file does not match if more than one line in so many that should have code is blank


class Source:
    """A source file: its path as the user would name it, and its lines."""

    __slots__ = ("lines", "path")

    def __init__(self, path: str, lines: list[str]) -> None:
        self.path = path
        self.lines = lines


class Sources:
    """Folders and jars of sources. `missing`, `other`: what was asked for and not there, or does not match."""

    def __init__(self, paths: Iterable[Path]) -> None:
        """Raises UsageError."""
        self.missing: list[str] = []
        self.other: list[str] = []
        self._files: dict[
            str, list[tuple[Path, str, bool]]
        ] = {}  # by file name: folder or jar, path in it, whether it is a jar
        self._last: tuple[str, list[str]] = "", []
        self._jars: dict[tuple[int, Path], zipfile.ZipFile] = {}
        for path in paths:
            try:
                if path.is_dir():
                    self._add_folder(path)
                else:
                    with zipfile.ZipFile(path) as jar:
                        for name in jar.namelist():
                            self._files.setdefault(name.rpartition("/")[2], []).append((path, name, True))
            except (OSError, zipfile.BadZipFile, ValueError) as error:
                reason = getattr(error, "strerror", "") or str(error)
                raise UsageError(
                    f"cannot read sources from {path}: {reason}; --sources takes a folder or a jar of sources"
                ) from None

    def _add_folder(self, root: Path) -> None:
        os.scandir(root).close()  # os.walk passes over what cannot be read
        for folder, folders, files in os.walk(root):
            folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in SKIPPED)
            relative = os.path.relpath(folder, root)
            for name in sorted(files):
                self._files.setdefault(name, []).append(
                    (root, name if relative == "." else f"{relative}/{name}", False)
                )

    def path(self, package: str, name: str) -> str:
        """The path of the file; `package/name` if it is not found."""
        found = self._find(package, name)
        if found is None:
            self.missing.append(_label(package, name))
            return _label(package, name)
        return _shown(*found)

    def read(self, package: str, name: str, code: Iterable[int]) -> Source | None:
        """The file, if it is there and has text in the lines of `code`."""
        found = self._find(package, name)
        if found is None:
            self.missing.append(_label(package, name))
            return None
        lines = self._text(*found).splitlines()
        numbers = [number for number in code if number > 0]
        blank = sum(number <= len(lines) and not lines[number - 1].strip() for number in numbers)
        if numbers and (max(numbers) > len(lines) or blank * BLANK > len(numbers)):
            self.other.append(_label(package, name))
            return None
        return Source(_shown(*found), lines)

    def lines(self, package: str, name: str) -> list[str]:
        """The file's lines, none if it is not there."""
        key = _label(package, name)
        if key != self._last[0]:
            found = self._find(package, name)
            self._last = key, self._text(*found).splitlines() if found else []
        return self._last[1]

    def notes(self, missing: list[str], other: list[str]) -> list[str]:
        """The notes on sources, of all processes."""
        found = []
        if missing:
            which = several_are(sorted(missing), "source file")
            found.append(f"{which} not found in the sources given by --sources; their lines are shown without text")
        if other:
            which = several_are(sorted(other), "source file")
            found.append(
                f"{which} not what was compiled (there is code at blank lines or beyond the end); their lines are shown"
                " without text"
            )
        return found

    def _find(self, package: str, name: str) -> tuple[Path, str, bool] | None:
        same = self._files.get(name, [])
        wanted = _label(package, name)
        for one in same:
            if one[1] == wanted:
                return one
        for one in same:
            if one[1].endswith("/" + wanted):
                return one
        if name.endswith(".java"):
            return None
        for one in same:
            declared = PACKAGE.search(self._text(*one))
            if (declared.group(1).replace("`", "").replace(".", "/") if declared else "") == package:
                return one
        return None

    def _text(self, root: Path, file: str, in_jar: bool) -> str:
        try:
            if not in_jar:
                return (root / file).read_text("utf-8", errors="replace")
            jar = self._jars.get((os.getpid(), root))  # processes do not share a position in a file
            if jar is None:
                jar = self._jars[os.getpid(), root] = zipfile.ZipFile(root)
            return jar.read(file).decode(errors="replace")
        except (OSError, zipfile.BadZipFile, RuntimeError, EOFError):
            return ""  # it does not match


def _label(package: str, name: str) -> str:
    return f"{package}/{name}" if package else name


def _shown(root: Path, file: str, in_jar: bool) -> str:
    return file if in_jar else os.path.normpath(root / file)

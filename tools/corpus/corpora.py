"""The classes of the corpus: those of each JVM's modules, and those of some jars packaged by Debian."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.jars import PACKAGES

#: The jars by name.
NAMES = [file.removesuffix(".jar") for file in PACKAGES.values()]


@dataclass(frozen=True, slots=True)
class OneClass:
    """A class file: `path` is its name in the jar; for a JVM's own class it begins with the module's name."""

    path: str
    data: bytes
    in_jdk: bool

    @property
    def name(self) -> str:
        """The binary name, from its path."""
        path = self.path.removesuffix(".class")
        if path.startswith("META-INF/versions/"):
            path = path.split("/", 3)[3]
        return path.replace("/", ".")


def classes(path: Path, modules: bool) -> Iterator[OneClass]:
    """The class files of a jar; `modules`: it was made by `Corpus extract`."""
    with zipfile.ZipFile(path) as file:
        for entry in sorted(file.namelist()):
            if entry.endswith(".class"):
                yield OneClass(entry, file.read(entry), modules and entry.startswith(("java.", "jdk.")))

"""Which classes the corpus has: those of each JVM's modules, and those of some jars that Debian packages.

Jars come from the folder that CLASSHOOK_TEST_JARS names, or from /usr/share/java.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.jars import INSTALLED, PACKAGES

#: The jars by name.
NAMES = [file.removesuffix(".jar") for file in PACKAGES.values()]


@dataclass(frozen=True, slots=True)
class OneClass:
    """A class file: `path` is its name in the jar; of a JVM's own class, its module's name comes first."""

    path: str
    data: bytes
    in_jdk: bool

    @property
    def name(self) -> str:
        """The binary name that its path stands for."""
        path = self.path.removesuffix(".class")
        if path.startswith("META-INF/versions/"):
            path = path.split("/", 3)[3]
        return path.replace("/", ".")


def jar(name: str) -> Path:
    """Where a jar of the corpus is, or would be."""
    named = Path(os.environ.get("CLASSHOOK_TEST_JARS", INSTALLED), f"{name}.jar")
    return named if named.exists() else INSTALLED / f"{name}.jar"


def missing(name: str) -> str:
    """Why a jar's part of the corpus cannot run, and what to do; empty if it can."""
    if jar(name).exists():
        return ""
    package = next(package for package, file in PACKAGES.items() if file == f"{name}.jar")
    return f"{name}.jar is missing: `apt-get install {package}`, or name its folder in CLASSHOOK_TEST_JARS"


def classes(path: Path, modules: bool) -> Iterator[OneClass]:
    """The class files of a jar; of one made by `Corpus extract` if `modules`."""
    with zipfile.ZipFile(path) as file:
        for entry in sorted(file.namelist()):
            if entry.endswith(".class"):
                yield OneClass(entry, file.read(entry), modules and entry.startswith(("java.", "jdk.")))

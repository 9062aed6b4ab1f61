"""Classes that service files name: java.util.ServiceLoader makes their objects, and calls them by an interface."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

FOLDER = "META-INF/services/"
SPRING = "META-INF/spring/"  # files of Spring Boot's own loader, which have one class in a line, too
ENDING = ".imports"


def providers(paths: Iterable[Path]) -> set[str]:
    """The binary names of providers, from jars and folders that can be read."""
    return {name for path in paths for text in _files(path) for name in _names(text)}


def _files(path: Path) -> Iterator[str]:
    if path.is_dir():
        files = [*path.glob(f"{FOLDER}*"), *path.glob(f"{SPRING}*{ENDING}")]
        yield from (file.read_text(errors="replace") for file in files if file.is_file())
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as jar:
            for name in jar.namelist():
                if (name.startswith(FOLDER) and name != FOLDER) or (name.startswith(SPRING) and name.endswith(ENDING)):
                    yield jar.read(name).decode(errors="replace")


def _names(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if name := line.partition("#")[0].strip():
            yield name

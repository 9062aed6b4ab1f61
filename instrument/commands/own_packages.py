"""The rules of `classhook run` without rules: a profile of the project's own packages.

They are those of the class that `java` starts, and of those beside it; for other commands, those of the classes that
builds have put below the working directory, or of the sources there. Classes that were woven ahead of time need no
rules.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from classhook.base import built_folders
from classhook.base.launch import TAKES_A_WORD
from classhook.store.woven_ahead import is_woven

SOURCES = "**/src/main/{}"
LANGUAGES = {"java": ".java", "kotlin": ".kt", "scala": ".scala", "groovy": ".groovy"}
MOST = 8  # packages; a project with more has to choose
STARTS = ("Start-Class", "Main-Class")  # in manifests; Spring Boot's jars have both
CLASS = ".class"
Package = tuple[str, ...]


class Woven(Exception):
    """A class is woven ahead of time."""


def rules_for(command: Sequence[str]) -> list[str]:
    """The texts of the rules; none if nothing is known, or the program is woven."""
    try:
        packages = [*_started(command)] if Path(command[0]).name == "java" else [*_of_project()]
    except Woven:
        return []
    patterns = _patterns(packages)
    return [f"profile {one}::*" for one in patterns] if len(patterns) <= MOST else []


def _patterns(packages: Iterable[Package]) -> list[str]:
    """Patterns of classes: for packages with the same first two parts, what their names begin with."""
    groups: dict[Package, Package] = {}
    for package in packages:
        known = groups.get(package[:2], package)
        groups[package[:2]] = _common(known, package)
    common = sorted(groups.values())
    return [
        ".".join((*one, "**")) if one else "*"
        for one in common
        if not any(other and other != one and other == one[: len(other)] for other in common)
    ]


def _common(one: Package, other: Package) -> Package:
    same = next(
        (i for i, (own, its) in enumerate(zip(one, other, strict=False)) if own != its), min(len(one), len(other))
    )
    return one[:same]


def _started(command: Sequence[str]) -> Iterator[Package]:
    """Of the class that a `java` command starts, and of the folder that it is in. Raises Woven."""
    words, path = iter(command[1:]), os.environ.get("CLASSPATH", ".")
    for word in words:
        if word == "-jar":
            yield from _of_jar(Path(next(words, "")))
            return
        if word in ("-cp", "-classpath", "--class-path"):
            path = next(words, "")
        elif word in ("-m", "--module"):
            name = next(words, "").partition("/")[2]
            yield from [package_of(name)] if name else []
            return
        elif word in TAKES_A_WORD:
            next(words, None)
        elif not word.startswith(("-", "@")):
            yield from () if word.endswith(".java") else _of_class(word, path)
            return


def package_of(name: str) -> Package:
    return tuple(name.replace("/", ".").split(".")[:-1])


def _of_class(name: str, class_path: str) -> Iterator[Package]:
    file = f"{name.replace('.', '/')}{CLASS}"
    for place in map(Path, filter(None, class_path.split(os.pathsep))):
        if (place / file).is_file():
            yield from _in_folder(place, CLASS)
            return
        if (data := _in_jar(place, file)) is not None:
            _check(data)
            break
    yield package_of(name)


def _of_jar(jar: Path) -> Iterator[Package]:
    lines = (_in_jar(jar, "META-INF/MANIFEST.MF") or b"").decode(errors="replace").replace("\r\n ", "").splitlines()
    entries = dict(line.split(": ", 1) for line in lines if ": " in line)
    name = next((entries[one].strip() for one in STARTS if one in entries), "")
    if name:
        _check(_in_jar(jar, f"{name.replace('.', '/')}{CLASS}") or b"")
        yield package_of(name)


def _in_jar(jar: Path, file: str) -> bytes | None:
    """A file of a jar, also below a folder of it such as BOOT-INF/classes; None if there is none."""
    try:
        with ZipFile(jar) as archive:
            found = (one for one in archive.namelist() if one == file or one.endswith(f"/{file}"))
            return next((archive.read(one) for one in found), None)
    except (BadZipFile, OSError, RuntimeError):
        return None


def _of_project() -> Iterator[Package]:
    """Of what is built below the working directory, or of the sources there. Raises Woven."""
    found = [one for folder in built_folders.find(Path.cwd()) for one in _in_folder(folder, CLASS)]
    if found:
        yield from found
        return
    for language, ending in LANGUAGES.items():
        for folder in sorted(Path.cwd().glob(SOURCES.format(language))):
            yield from _in_folder(folder, ending)


def _in_folder(folder: Path, ending: str) -> Iterator[Package]:
    for path, folders, files in os.walk(folder):
        folders.sort()
        first = min((one for one in files if one.endswith(ending) and not one.startswith("module-info")), default="")
        if first:
            if ending == CLASS:
                _check(Path(path, first).read_bytes())
            yield Path(path).relative_to(folder).parts


def _check(data: bytes) -> None:
    if is_woven(data):
        raise Woven

"""The rules of `classhook run` without rules: a profile of the project's own packages.

They are those of the class that `java` starts, and of the folders of its class path; for other commands, those of the
classes that builds have put below the working directory, or of the sources there. Names come from the classes and
sources themselves, since folders say less. Classes that were woven ahead of time need no rules.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from zipfile import BadZipFile, ZipFile
from zlib import error as ZlibError

from classhook.base.built_folders import NOT_ENTERED, TOPS
from classhook.base.launch import TAKES_A_WORD
from classhook.store.woven_ahead import MAGIC, is_woven

SOURCES = frozenset({".java", ".kt", ".scala", ".groovy"})
PACKAGE = re.compile(rb"^\s*package\s+([^\s;]+)", re.MULTILINE)
JAVA_NAME = re.compile(r"[^\W\d]\w*")  # without $, which the compiler puts into its own
MOST_PACKAGES = 8  # a project with more has to choose
MOST_FOLDERS = 20_000  # below the working directory: enough for a project, and read in a second
MOST_ENTRIES = 20_000  # classes of a jar that are looked at
HEAD = 1 << 16  # bytes of a source
FOLDED = re.compile("(\r\n|\n|\r) ")  # a long line goes on
STARTS = ("Start-Class", "Main-Class")  # in manifests; Spring Boot's jars have both
CLASS = ".class"
UNREADABLE = (BadZipFile, OSError, RuntimeError, ZlibError, EOFError, ValueError)  # by a damaged jar
Package = tuple[str, ...]


class Woven(Exception):
    """A class is woven ahead of time."""


def rules_for(command: Sequence[str]) -> list[str]:
    """The texts of the rules; none if nothing is known, or the program is woven."""
    try:
        packages = [*_started(command)] if Path(command[0]).name == "java" else [*_of_project()]
    except Woven:
        return []
    named = [one for one in packages if all(map(JAVA_NAME.fullmatch, one))]
    patterns = _patterns(named)
    return [f"profile {one}::*" for one in patterns] if len(patterns) <= MOST_PACKAGES else []


def _patterns(packages: Iterable[Package]) -> list[str]:
    """Patterns of classes: for packages with the same first two parts, what their names begin with."""
    groups: dict[Package, Package] = {}
    for package in packages:
        groups[package[:2]] = _common(groups.get(package[:2], package), package)
    common = sorted(groups.values())
    return [
        ".".join((*one, "**")) if one else "*"
        for one in common
        if not any(other and other != one and other == one[: len(other)] for other in common)
    ]


def _common(one: Package, other: Package) -> Package:
    same = next((i for i, (own, its) in enumerate(zip(one, other, strict=False)) if own != its), None)
    return one[: min(len(one), len(other)) if same is None else same]


def _started(command: Sequence[str]) -> Iterator[Package]:
    """Yields the packages of the program that a `java` command starts, by its main class and the folders of its class
    path. Raises Woven."""
    words, path = iter(command[1:]), os.environ.get("CLASSPATH", ".")
    for word in words:
        if word == "-jar":
            yield from _of_jar(Path(next(words, "")))
            return
        if word in ("-cp", "-classpath", "--class-path"):
            path = next(words, "")
        elif word.startswith("--class-path="):
            path = word.partition("=")[2]
        elif word in ("-m", "--module") or word.startswith("--module="):
            name = (word.partition("=")[2] or next(words, "")).partition("/")[2]
            yield from [package_of(name)] if name else []
            return
        elif word in TAKES_A_WORD:
            next(words, None)
        elif word.startswith("@"):
            return  # it may name what is started
        elif not word.startswith("-"):
            yield from () if word.endswith(".java") else _of_class(word, path)
            return


def package_of(name: str) -> Package:
    return tuple(name.replace("/", ".").split(".")[:-1])


def _of_class(name: str, class_path: str) -> Iterator[Package]:
    """Yields the packages of the classes in the folders of a class path; if there are none, of the started class."""
    places = [Path(one or ".") for one in class_path.split(os.pathsep)]
    found = [package for place in places if place.is_dir() for package in _built(place)]
    for place in places if not found else ():
        if place.is_file():
            _check_jar(place)
    yield from found or [package_of(name)]


def _of_jar(jar: Path) -> Iterator[Package]:
    _check_jar(jar)
    text = (_in_jar(jar, "META-INF/MANIFEST.MF") or b"").decode(errors="replace")
    lines = FOLDED.sub("", text).splitlines()
    entries = dict(line.split(": ", 1) for line in lines if ": " in line)
    name = next((entries[one].strip() for one in STARTS if one in entries), "")
    if name:
        yield package_of(name)


def _in_jar(jar: Path, file: str) -> bytes | None:
    with suppress(*UNREADABLE, KeyError), ZipFile(jar) as archive:
        return archive.read(file)
    return None


def _check_jar(jar: Path) -> None:
    """Raises Woven if a class of a jar is woven."""
    with suppress(*UNREADABLE), ZipFile(jar) as archive:
        for name in islice((one for one in archive.namelist() if one.endswith(CLASS)), MOST_ENTRIES):
            if is_woven(archive.read(name)):
                raise Woven


def _of_project() -> Iterator[Package]:
    """Yields the packages of the classes built below the working directory, or else of the sources. Raises Woven."""
    built, sources = list[Path](), list[Path]()
    for path, folders, _ in islice(os.walk(Path.cwd()), MOST_FOLDERS):
        here = Path(path)
        built += [here / one for one in folders if one in TOPS]
        if here.name == "src":
            sources += [here / one for one in folders if one in ("main", "commonMain")]
        folders[:] = sorted(
            one for one in folders if (one not in NOT_ENTERED or one == "src") and not one.startswith(".")
        )
    found = [package for folder in built for package in _built(folder)]
    yield from found or [package for folder in sources for package in _of_sources(folder)]


def _built(folder: Path) -> Iterator[Package]:
    """Yields the packages of the classes below a folder, as the classes name them: one class of each folder is read.
    Raises Woven."""
    for path, files in _folders(folder):
        names = [one for one in files if one.endswith(CLASS) and not one.startswith(("module-info", "package-info"))]
        for name in names:
            if is_woven(_ends(path / name)):
                raise Woven
        for name in names[:1]:
            with suppress(OSError, ValueError, IndexError):
                from classhook.classfile.reader import ClassFile

                yield package_of(ClassFile.parse((path / name).read_bytes()).name)


def _of_sources(folder: Path) -> Iterator[Package]:
    for path, files in _folders(folder):
        for name in files:
            if Path(name).suffix in SOURCES and (path / name).is_file():
                with suppress(OSError), open(path / name, "rb") as file:
                    found = PACKAGE.search(file.read(HEAD))
                    yield tuple(found[1].decode(errors="replace").split(".")) if found else ()
                break


def _folders(folder: Path) -> Iterator[tuple[Path, list[str]]]:
    """A folder and those below it, each with its files."""
    for path, folders, files in islice(os.walk(folder), MOST_FOLDERS):
        folders[:] = sorted(one for one in folders if not one.startswith(".") and one != "META-INF")
        yield Path(path), sorted(files)


def _ends(file: Path) -> bytes:
    """The last bytes of a file, as many as woven classes have as a sign; none of what cannot be read."""
    with suppress(OSError):
        if file.is_file():
            with open(file, "rb") as opened:
                opened.seek(max(0, os.fstat(opened.fileno()).st_size - len(MAGIC)))
                return opened.read()
    return b""

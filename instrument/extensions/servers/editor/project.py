"""The classes of a project: where a build tool puts them, or where the editor's settings say.

1. `refresh` lists classes by name, from directories and from the directories of jars: a class file is not read.
2. The contents of a class are read on the first request, and kept until the file or jar changes.
3. Requests are answered by several threads: `refresh` replaces what they look at, and changes none of it.
"""

from __future__ import annotations

import os
import threading
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from math import inf
from pathlib import Path
from time import monotonic

from classhook.ahead import jimage
from classhook.ahead.archive import CLASSES, DAMAGED, NESTED, canonical
from classhook.ahead.given_classes import GivenClasses, facts_of, parameter_names
from classhook.ahead.hierarchy import Hierarchy
from classhook.checking.class_facts import ClassFacts, MethodFacts
from classhook.classfile.errors import ClassFormatError
from classhook.classfile.reader import ClassFile
from classhook.rules.patterns import parameter_types, result_type

#: The folders where Maven, Gradle and IntelliJ put classes, in each module of a project; jars only where there are no
#: such directories.
DIRECTORIES = ("target/classes", "target/test-classes", "build/classes/*/*", "out/production/*", "out/test/*")
JARS = ("target/*.jar", "build/libs/*.jar")
BUILT_BY = ("pom.xml", "build.gradle", "build.gradle.kts", ".git")
NO_CLASSES = ("-sources.jar", "-javadoc.jar")
MODULES = ("", "*/", "*/*/")  # a module is the folder itself, or at most two below it


@dataclass(frozen=True, slots=True)
class Located:
    """The place of a class: a file, or an entry of an open jar; `stamp`: changes with it."""

    path: Path
    stamp: tuple[int, int]
    jar: zipfile.ZipFile | None = None
    entry: str = ""

    def data(self) -> bytes | None:
        try:
            return self.jar.read(self.entry) if self.jar is not None else self.path.read_bytes()
        except DAMAGED:
            return None


def home(file: Path) -> Path:
    """The folder of the project that a file belongs to: the nearest one with a build file; else that of the file."""
    return next((folder for folder in file.parents if any((folder / name).exists() for name in BUILT_BY)), file.parent)


def places_of(folders: Iterable[Path], wanted: Sequence[str] = ()) -> list[Path]:
    """The jars and directories with a project's classes: those that are wanted, relative to the folders, or else by
    convention."""
    found: list[Path] = []
    for folder in folders:
        if wanted:
            found += [place for text in wanted for place in _globbed(folder, text)]
            continue
        for module in MODULES:
            directories = [
                place for pattern in DIRECTORIES for place in sorted(folder.glob(module + pattern)) if place.is_dir()
            ]
            built = {_module(place, folder) for place in directories}
            jars = [
                place
                for pattern in JARS
                for place in sorted(folder.glob(module + pattern))
                if not place.name.endswith(NO_CLASSES)
            ]
            found += directories + [jar for jar in jars if _module(jar, folder) not in built]
    return list(dict.fromkeys(found))


def _globbed(folder: Path, text: str) -> list[Path]:
    path = Path(text).expanduser()
    root, pattern = (
        (Path(path.anchor), str(path.relative_to(path.anchor))) if path.is_absolute() else (folder, str(path))
    )
    return sorted(root.glob(pattern)) if "*" in pattern else [root / pattern]


def _module(place: Path, folder: Path) -> str:
    """The module's folder: what is before `target`, `build` or `out`."""
    parts = place.relative_to(folder).parts
    return "/".join(parts[: next(at for at, part in enumerate(parts) if part in ("target", "build", "out"))])


class Project(GivenClasses):
    """See GivenClasses: the same for classes that change, and are read when needed. `version`: another number after
    each change."""

    whose = "the project's classes"
    most_looked_at = 50  # each is read from its file

    def __init__(self, folders: Sequence[Path] = (), wanted: Sequence[str] = ()) -> None:
        super().__init__(Hierarchy(()))
        self.folders = list(folders)
        self.wanted = list(wanted)
        self.places: list[Path] = []
        self.sorted_names: list[str] = []
        self.version = 0
        self._refreshed = -inf
        self._listing_now = threading.Lock()
        self._located: dict[str, list[Located]] = {}
        self._facts: dict[Located, ClassFacts | None] = {}
        self._listed: dict[Path, tuple[tuple[int, int], list[tuple[str, Located]]]] = {}

    def refresh(self, after: float = 0.0) -> bool:
        """Lists the classes anew, unless that was less than `after` seconds ago; returns whether any differs."""
        with self._listing_now:
            if after and monotonic() - self._refreshed < after:
                return False
            changed = self._refresh()
            self._refreshed = monotonic()
            return changed

    def _refresh(self) -> bool:
        located: dict[str, list[Located]] = {}
        self.places = places_of(self.folders, self.wanted)
        for place in self.places:
            for name, one in self._listing(place):
                located.setdefault(name, []).append(one)
        if located == self._located:
            return False
        self._located, self._below = located, None
        current = {one for every in located.values() for one in every}
        self._facts = {one: facts for one, facts in self._facts.items() if one in current}
        self.sorted_names = sorted(located)
        self.version += 1
        return True

    @cached_property
    def jdk_names(self) -> list[str]:
        """The classes of the JDK in JAVA_HOME or PATH, sorted, without anonymous ones."""
        image = jimage.opened()
        try:
            return (
                sorted(name for name in image.class_names() if not name.rpartition("$")[2][:1].isdigit())
                if image is not None
                else []
            )
        except (ValueError, IndexError):
            return []  # the image is damaged

    def names(self) -> AbstractSet[str]:
        return self._located.keys()

    def named(self, name: str) -> list[ClassFacts]:
        located = self._located.get(name)
        if located is None:
            return super().named(name)
        return [facts for one in located if (facts := self._read(one)) is not None]

    def every(self) -> Iterator[ClassFacts]:
        for name in list(self.sorted_names):
            yield from self.named(name)

    def class_files(self, name: str) -> list[ClassFile]:
        """The class files of this name that can be read, also the JDK's."""
        located = self._located.get(name)
        if located is None:
            cf = self._hierarchy.class_file(name)
            return [cf] if cf is not None else []
        return [cf for one in located if self._read(one) is not None and (cf := _parsed(one.data())) is not None]

    def parameter_names(self, facts: ClassFacts, method: MethodFacts) -> tuple[str, ...] | None:
        for cf in self.class_files(facts.name):
            for one in cf.methods:
                if (one.name, one.descriptor) == (method.name, method.descriptor):
                    return parameter_names(cf, one)
        return None

    def _read(self, one: Located) -> ClassFacts | None:
        if one not in self._facts:
            self._facts[one] = _facts(_parsed(one.data()), _source(one))
        return self._facts[one]

    def _listing(self, place: Path) -> Iterator[tuple[str, Located]]:
        if place.is_dir():
            yield from _files(place)
            return
        try:
            stamp = _stamp(place.stat())
            if place not in self._listed or self._listed[place][0] != stamp:
                self._listed[place] = stamp, list(_entries(place, zipfile.ZipFile(place), stamp))
        except DAMAGED:
            return  # a build may be writing it
        yield from self._listed[place][1]


def _facts(cf: ClassFile | None, source: str) -> ClassFacts | None:
    """The facts of the class file; None if it is damaged."""
    try:
        facts = facts_of(cf, source) if cf is not None else None
    except ClassFormatError:
        return None
    if facts is not None and all(
        parameter_types(one.descriptor) is not None and result_type(one.descriptor) for one in facts.methods
    ):
        return facts if all(parameter_types(f"({kind})") for kind, _ in facts.fields.values()) else None
    return None


def _stamp(status: os.stat_result) -> tuple[int, int]:
    return status.st_mtime_ns, status.st_size


def _files(place: Path) -> Iterator[tuple[str, Located]]:
    for folder, _, files in os.walk(place):
        package = os.path.relpath(folder, place).replace(os.sep, ".")
        for file in files:
            if name := _name(file if package == "." else f"{package}.{file}"):
                try:
                    yield name, Located(Path(folder, file), _stamp(os.stat(os.path.join(folder, file))))
                except OSError:
                    continue  # a build removed it


def _entries(path: Path, jar: zipfile.ZipFile, stamp: tuple[int, int]) -> Iterator[tuple[str, Located]]:
    for entry in jar.namelist():
        if entry.startswith("META-INF/versions/"):
            continue
        if name := _name(CLASSES.sub("", entry).replace("/", ".")):
            yield name, Located(path, stamp, jar, entry)
        elif NESTED.fullmatch(entry):
            yield from _entries(path, zipfile.ZipFile(BytesIO(jar.read(entry))), stamp)


def _name(file: str) -> str:
    """The class's name; empty if it is no class."""
    name = file.removesuffix(".class")
    return "" if name == file or name.endswith(("module-info", "package-info")) else name


def _source(one: Located) -> str:
    """The code source that a JVM would give the class."""
    return canonical(one.path) if one.jar is not None else f"{canonical(one.path.parent)}/"


def _parsed(data: bytes | None) -> ClassFile | None:
    try:
        return ClassFile.parse(data) if data is not None else None
    except ClassFormatError:
        return None

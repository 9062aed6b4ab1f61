"""The classes of a report: those that ran, by their bytes, and those of jars and folders that were never
loaded.

1. Classes of the data files come with their class file; those of a data file of JaCoCo are looked up by their id in the
   jars and folders.
2. One of several versions of a class counts: the one in the jars and folders, else the one of which most probes were
   hit. The others are kept apart: their hits say nothing about the lines of this one.
3. Classes that only jars and folders have were never loaded; those that the `except` of a rule leaves out do not count.
Classes that they lack, such as tests and classes made at run time, count unless only they are asked for.
"""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from classhook.base.errors import UsageError
from classhook.base.names import several_are
from classhook.classfile.errors import ClassFormatError
from classhook.classfile.reader import ClassFile
from classhook.coverage.class_id import class_id
from classhook.coverage.execfile import ExecFile
from classhook.measures.cover.reader_classes import Covered
from classhook.reports.coverage import jacoco_instrumented as instrumented
from classhook.reports.coverage.class_version import Version
from classhook.reports.coverage.cover_rules import CoverRules
from classhook.store.woven_ahead import original

MAGIC = b"\xca\xfe\xba\xbe"
JAR = b"PK\3\4"
JARS = (".jar", ".war", ".ear", ".zip")
NESTED = "!/"  # between the name of a jar in a jar and that of its file
DEEPEST = 3  # jars in a jar
EVERYTHING = CoverRules()
LEFT_OUT = ("module-info", "package-info")


class Versions:
    """The classes of a report: those that count (`chosen`) by name, the `others` of the same names, the groups of
    classes, and notes."""

    def __init__(self) -> None:
        self.chosen: dict[str, Version] = {}
        self.others: dict[str, list[Version]] = {}
        self.groups: dict[str, str] = {}
        self.notes: list[str] = []
        self.complete = True


class Classes:
    """The class files of jars and folders, by name; the first of a name counts, as on a class path."""

    def __init__(
        self,
        paths: Iterable[tuple[str, Path]] = (),
        wanted: Callable[[ClassFile], bool] = lambda _: True,
        cover: CoverRules = EVERYTHING,
    ) -> None:
        """`paths`: with the names of their groups, which may be empty; `wanted`: which classes of jars within jars are
        meant; `cover`: the rules for classes that were never loaded. Raises UsageError."""
        self.cover = cover
        self.by_name: dict[str, bytes] = {}
        self.groups: dict[str, str] = {}
        self.again: list[str] = []
        self.notes: list[str] = []
        for group, path in paths:
            empty = True
            for file, found in class_files(path):
                empty = False
                data = original(found) or found
                try:
                    cf = ClassFile.parse(data)
                    if NESTED in file and not wanted(cf):
                        continue
                    name = cf.name
                except (ClassFormatError, IndexError, KeyError) as error:
                    self.notes.append(f"{path}: {file}: not a class file, left out: {error}")
                    continue
                if self.by_name.setdefault(name, data) != data:
                    self.again.append(name)
                if group:
                    self.groups.setdefault(name, group)
            if empty:
                self.notes.append(f"{path}: no class files in it")
        if self.again:
            self.notes.append(
                f"{named(self.again)} in --classes more than once, with different bytes: the first counts"
            )


def class_files(path: Path) -> Iterator[tuple[str, bytes]]:
    """Names and contents of the class files of a jar with the jars in it, a folder, or a single one, whatever their
    names end with. Raises UsageError."""
    try:
        if path.is_dir():
            os.scandir(path).close()  # rglob passes over what cannot be read
            for file in sorted(path.rglob("*")):
                if may_count(named := file.relative_to(path).as_posix()) and file.is_file():
                    with open(file, "rb") as opened:
                        data = opened.read() if (head := opened.read(4)) == MAGIC else b""
                    if head == MAGIC:
                        yield named, head + data
        elif path.suffix == ".class":
            yield path.name, path.read_bytes()
        else:
            with zipfile.ZipFile(path) as jar:
                yield from _in_jar(jar, "", DEEPEST)
    except (OSError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        reason = getattr(error, "strerror", "") or str(error)
        raise UsageError(
            f"cannot read classes from {path}: {reason}; --classes takes a jar or a folder of class files"
        ) from None


def _in_jar(jar: zipfile.ZipFile, prefix: str, deeper: int) -> Iterator[tuple[str, bytes]]:
    """The class files of a jar, then those of the jars in it, such as in WEB-INF/lib and BOOT-INF/lib."""
    inner = []
    for name in filter(may_count, jar.namelist()):
        with jar.open(name) as entry:
            head = entry.read(4)
            if head == MAGIC:
                yield prefix + name, head + entry.read()
            elif head == JAR and name.endswith(JARS):
                inner.append(name)
    for name in inner if deeper else []:
        try:
            with zipfile.ZipFile(io.BytesIO(jar.read(name))) as nested:
                yield from _in_jar(nested, prefix + name + NESTED, deeper - 1)
        except zipfile.BadZipFile as error:
            raise zipfile.BadZipFile(f"{name}: {error}") from None


def may_count(file: str) -> bool:
    """True if a file of this name may be a class with code that counts: none for another release of Java, none without
    code."""
    return not file.startswith("META-INF/versions/") and not file.removesuffix(".class").endswith(LEFT_OUT)


def named(names: Iterable[str]) -> str:
    """`3 classes (a.B, a.C, ...) are`."""
    return several_are([name.replace("/", ".") for name in names], "class")


def versions(
    ran: Iterable[Covered], files: Iterable[ExecFile], classes: Classes, lacks_said: bool = False, only: bool = False
) -> Versions:
    """Combines the classes that ran, JaCoCo's data files, and class files. `lacks_said`: a note already names the
    missing class files; `only`: classes that are not among the class files do not count."""
    found = Versions()
    found.notes += classes.notes
    found.groups = classes.groups
    by_name: dict[str, list[Version]] = {}
    lacking: list[str] = []
    changed_first: list[str] = []
    for one in ran:
        name = one.name.replace(".", "/")
        if name.endswith(LEFT_OUT):
            continue
        if one.data is None:
            lacking.append(name)
            continue
        version = Version(name, one.data, one.hits, one.level, one.levels, one.counts, one.by_context)
        if instrumented.is_changed(one.data):
            original = instrumented.of_original(version, classes.by_name[name]) if name in classes.by_name else None
            if original is None:
                changed_first.append(name)
            version = original or version
        by_name.setdefault(name, []).append(version)
    if changed_first:
        what = "counted with the probes of JaCoCo's agent, which came first; name the built classes with --classes"
        found.notes.append(f"{named(changed_first)} {what}")
    if lacking:
        found.complete = False
        if not lacks_said:
            found.notes.append(
                f"{named(lacking)} not among the class files of the data directory; its coverage is unknown"
            )
    _add_jacoco(found, by_name, files, classes)
    if only:
        outside = [name for name in by_name if name not in classes.by_name]
        if outside and len(outside) == len(by_name):
            found.notes.append("none of the classes that ran is in --classes, and --only counts no others")
        for name in outside:
            del by_name[name]
    for name, some in by_name.items():
        built = classes.by_name.get(name)
        chosen = max(some, key=lambda one: (one.data == built, sum(map(bool, one.hits or ()))))
        found.chosen[name] = chosen
        if len(some) > 1:
            found.others[name] = [one for one in some if one is not chosen]
    if found.others:
        which = "in --classes" if classes.by_name else "that ran most"
        found.notes.append(
            f"{named(found.others)} recorded in several versions; the one {which} counts, the others are shown"
            " separately"
        )
    changed = [
        name for name, one in found.chosen.items() if name in classes.by_name and classes.by_name[name] != one.data
    ]
    if changed:
        found.notes.append(f"{named(changed)} different in --classes: the version that ran counts")
    for name, data in classes.by_name.items():
        if name in found.chosen:
            continue
        levels, unruled = classes.cover.left_out(data)
        if levels is not None:
            found.chosen[name] = Version(name, data, levels=levels)
            found.chosen[name].unruled = unruled
    return found


def _add_jacoco(
    found: Versions, by_name: dict[str, list[Version]], files: Iterable[ExecFile], classes: Classes
) -> None:
    """Adds the classes of JaCoCo's data files that are among the class files."""
    executed = ExecFile()
    for file in files:
        for one in file.classes.values():
            executed.add(one)
    if not executed.classes:
        return
    ids = {class_id(data): name for name, data in classes.by_name.items()}
    other = [one.name for one in executed.classes.values() if one.class_id not in ids and one.name in classes.by_name]
    if other:
        found.notes.append(f"{named(other)} another version in JaCoCo's data than in --classes; counted as not run")
    for one in executed.classes.values():
        name = ids.get(one.class_id)
        if name is not None:
            by_name.setdefault(name, []).append(Version(name, classes.by_name[name], one.probes))

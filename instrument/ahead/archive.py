"""Reads class files from jars, directories and single files; also from the jars in them that a program's launcher or a
server puts into its class path (BOOT-INF/lib, WEB-INF/lib).
"""

from __future__ import annotations

import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from io import BytesIO
from pathlib import Path

from classhook.base.errors import UsageError
from classhook.rules.ruleset import JDK_MODULES

MAGIC = b"\xca\xfe\xba\xbe"

#: Jars within a jar or directory that are on the program's class path, and what comes before the names of its own
#: classes.
NESTED = re.compile(r"(?:BOOT|WEB|APP)-INF/lib[^/]*/[^/]+\.jar")
ARCHIVE = re.compile(r"(?s:.*)\.(?:jar|war|ear)")
CLASSES = re.compile(r"^(?:BOOT|WEB)-INF/classes/")

#: The exceptions of zipfile for a damaged archive, since it trusts names, sizes and methods.
DAMAGED = (OSError, zipfile.BadZipFile, zlib.error, RuntimeError, EOFError, ValueError, KeyError, IndexError)


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of an input: the input, its name there, bytes and mode. `is_class` also checks the content."""

    source: Path
    name: str
    data: bytes
    info: zipfile.ZipInfo | None = None
    mode: int = 0o666
    inner: bool = False  # in a nested jar

    @property
    def is_class(self) -> bool:
        return self.name.endswith(".class") and self.data[:4] == MAGIC

    @property
    def code_source(self) -> str:
        """The code source that a JVM would give the class: the path of its jar or directory."""
        own = CLASSES.match(self.name)
        if self.info is not None:
            return f"{_of_jar(self.source)}!/{own.group()}" if own else _of_jar(self.source)
        if self.source.is_dir():
            return f"{canonical(self.source)}/{own.group() if own else ''}"
        return f"{canonical(self.source.parent)}/"

    @property
    def is_nested(self) -> bool:
        """True if it is a jar on the program's class path."""
        return self._is_placed and self.data[:2] == b"PK"

    @property
    def not_read(self) -> str:
        """The reason why the classes in it are not read, if it is or should be a jar; else an empty string."""
        if self.is_nested or not ARCHIVE.fullmatch(self.name):
            return ""
        if self._is_placed:
            return "it is not a jar"
        return (
            "no launcher or server has it there in the class path; give it as an input"
            if _holds_classes(self.data)
            else ""
        )

    @property
    def _is_placed(self) -> bool:
        return not self.inner and NESTED.fullmatch(self.name) is not None


def _holds_classes(data: bytes) -> bool:
    """True if it is an archive with classes, or with archives."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as jar:
            return any(name.endswith(".class") or ARCHIVE.fullmatch(name) for name in jar.namelist())
    except DAMAGED:
        return False


def canonical(path: Path) -> str:
    """The path as a JVM shows what is in its class path: without links. The path may go on within a jar."""
    if os.path.exists(path):
        return os.path.realpath(path)
    jar, mark, name = str(path).partition("!/")
    return os.path.realpath(jar) + mark + name


@lru_cache(maxsize=1)
def _of_jar(path: Path) -> str:
    """The same of a jar, which is asked for with each of its classes."""
    return canonical(path)


def is_jar(path: Path) -> bool:
    return path.is_file() and zipfile.is_zipfile(path)


@contextmanager
def _complaining(path: Path) -> Iterator[None]:
    """Turns read errors into a UsageError."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{error.filename or path}: cannot be read: {error.strerror or error}") from None
    except DAMAGED as error:
        raise UsageError(f"{path}: the jar is damaged: {error}") from None


@dataclass(frozen=True, slots=True)
class Frame:
    """The data around a jar's entries: a script or program before them, which makes it executable, a comment after
    them, and its mode."""

    prefix: bytes
    comment: bytes
    mode: int


def frame(jar: Path) -> Frame:
    """Reads the data around the entries of this jar. Raises UsageError."""
    with _complaining(jar), zipfile.ZipFile(jar) as opened, jar.open("rb") as file:
        first = min([info.header_offset for info in opened.infolist()], default=opened.start_dir)
        prefix = file.read(max(first, 0))
        return Frame(
            b"" if prefix.startswith(b"PK") else prefix, opened.comment, _mode(jar)
        )  # a removed entry is no prefix


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


class Files:
    """The files of a jar or directory, or the one file: known when it is made, and read when asked for. Raises
    UsageError if one cannot be read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._paths: list[Path] = []
        self._jar: zipfile.ZipFile | None = None
        self._reader = 0  # the process that has opened the jar
        with _complaining(path):
            if path.is_dir():
                self._paths = [file for file in sorted(path.rglob("*")) if file.is_file()]
            elif is_jar(path):
                self._opened()
            elif not path.is_file():
                raise UsageError(f"{path}: no such file or directory")
            else:
                self._paths = [path]

    def __len__(self) -> int:
        return len(self._jar.filelist if self._jar is not None else self._paths)

    def __getitem__(self, at: int) -> Entry:
        with _complaining(self.path):
            if self._jar is not None:
                info = self._opened().filelist[at]
                return Entry(self.path, info.filename, self._opened().read(info), info)
            data = self._paths[at].read_bytes()
        if self._paths[at] == self.path and data[:4] != MAGIC:
            what = "a truncated or damaged jar" if data[:2] == b"PK" else "neither a jar, a directory nor a class file"
            raise UsageError(f"{self.path}: {what}")
        return replace(self.head(at), data=data)

    def may_hold_classes(self) -> bool:
        """True if, by the names, there are classes, or jars that may hold some."""
        return any(
            name.endswith(".class") or ARCHIVE.fullmatch(name)
            for name in (self.head(at).name for at in range(len(self)))
        )

    def head(self, at: int) -> Entry:
        """The same without its content."""
        if self._jar is not None:
            info = self._jar.filelist[at]
            return Entry(self.path, info.filename, b"", info)
        with _complaining(self.path):
            file = self._paths[at]
            name = (
                file.relative_to(self.path).as_posix()
                if file != self.path
                else file.name.removesuffix(".class") + ".class"
            )
            return Entry(self.path, name, b"", mode=_mode(file))

    def _opened(self) -> zipfile.ZipFile:
        """The jar. Each process opens it for itself: they would share the place in the file at which they read."""
        if self._jar is None or self._reader != os.getpid():
            self._jar, self._reader = zipfile.ZipFile(self.path), os.getpid()
        return self._jar


def entries(path: Path) -> Iterator[Entry]:
    """All files of a jar or directory, or the one file. Raises UsageError if it cannot be read."""
    files = Files(path)
    return (files[at] for at in range(len(files)))


def nested(entry: Entry) -> Iterator[Entry]:
    """All files of a jar that is an entry. Raises UsageError."""
    place = Path(f"{entry.source}!/{entry.name}")
    with _complaining(place), zipfile.ZipFile(BytesIO(entry.data)) as jar:
        for info in jar.infolist():
            yield Entry(place, info.filename, jar.read(info), info, inner=True)


def members(path: Path) -> Iterator[Entry]:
    """All classes of an input, those of nested jars too, and the archives in it that are not read. Raises
    UsageError."""
    for entry in entries(path):
        for one in nested(entry) if entry.is_nested else [entry]:
            if one.is_class or one.not_read:
                yield one


def module_of(path: Path) -> str:
    """The name of the input's module, from its module-info; empty if it has none."""
    from classhook.classfile.errors import ClassFormatError
    from classhook.classfile.reader import ClassFile

    try:
        if path.is_dir() and (path / "module-info.class").is_file():
            data = (path / "module-info.class").read_bytes()
        elif is_jar(path):
            with zipfile.ZipFile(path) as jar:
                data = jar.read("module-info.class")
        else:
            return ""
        cf = ClassFile.parse(data)
        for name, at, _ in cf.attributes():
            if name == b"Module":  # JVMS 4.7.25: first the index of a Module entry, whose name_index follows its tag
                entry = cf.pool.entry(data[at + 6] << 8 | data[at + 7])
                return cf.pool.utf8(entry[1] << 8 | entry[2])
    except (*DAMAGED, ClassFormatError):
        pass  # reported when its entries are read
    return ""


def in_jdk(module: str) -> bool:
    """True if a module of this name belongs to the JDK."""
    return module.startswith(JDK_MODULES)

"""The program as it is built: its classes, and the other files that lie beside them.

The first one of two equal classes counts, as for the JVM; the existence of another one is part of its shape.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from zlib import crc32

from classhook.base.errors import UsageError
from classhook.classfile.errors import ClassFormatError
from classhook.extensions.selection.facts import ClassFacts, read

SKIPPED = ("module-info.class", "package-info.class")
#: The prefixes of URLs of databases in memory, which may be in files of settings.
IN_MEMORY = (
    "jdbc:h2:mem:",
    "jdbc:hsqldb:mem:",
    "jdbc:derby:memory:",
    "jdbc:sqlite::memory:",
    "jdbc:sqlite:file::memory:",
)
LONGEST_SETTINGS = 1 << 20  # bytes
VERSIONED = "META-INF/versions/"


@dataclass(slots=True)
class Program:
    """`classes`: by name in internal form; `files`: hashes of what else is in the folders and jars, by path;
    `unreadable`: class files that are none; `modified`: when each class's file was written, Unix time in ns; `sums`:
    its CRC-32 and size; `roots`: the folders and jars; `in_memory`: files that name a database in memory."""

    classes: dict[str, ClassFacts] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)
    modified: dict[str, int] = field(default_factory=dict)
    sums: dict[str, tuple[int, int]] = field(default_factory=dict)
    roots: list[Path] = field(default_factory=list)
    in_memory: list[str] = field(default_factory=list)


def hash_of(data: bytes) -> str:
    return blake2b(data, digest_size=12).hexdigest()


def read_program(roots: Sequence[Path]) -> Program:
    """Reads folders and jars. Raises UsageError if one is missing or unreadable."""
    program = Program(roots=[*roots])
    for root in roots:
        for path, data, modified in _content(root):
            _add(program, path, data, modified)
    return program


def _content(root: Path) -> Iterator[tuple[str, bytes, int]]:
    """Each file of a folder or jar: its path in it, content, and when it was written."""
    if root.is_dir():
        for file in sorted(root.rglob("*")):
            if file.is_file():
                yield file.relative_to(root).as_posix(), file.read_bytes(), file.stat().st_mtime_ns
        return
    try:
        modified = root.stat().st_mtime_ns
        with zipfile.ZipFile(root) as jar:
            for info in sorted(jar.infolist(), key=lambda info: info.filename):
                if not info.is_dir():
                    yield info.filename, jar.read(info), modified
    except FileNotFoundError:
        raise UsageError(f"--classes {root}: no such directory or jar; compile the program first") from None
    except (OSError, zipfile.BadZipFile, RuntimeError) as error:
        raise UsageError(f"--classes {root}: neither a directory nor a jar that can be read: {error}") from None


def _add(program: Program, path: str, data: bytes, modified: int) -> None:
    if path.endswith(".class") and not path.startswith(VERSIONED) and not path.endswith(SKIPPED):
        try:
            facts = read(data)
        except ClassFormatError:
            program.unreadable.append(path)
        else:
            first = program.classes.setdefault(facts.name, facts)
            program.modified.setdefault(facts.name, modified)
            program.sums.setdefault(facts.name, (crc32(data), len(data)))
            if first is not facts:
                program.classes[facts.name] = replace(first, shape=f"{first.shape}+{hash_of(data)}")
            return
    if len(data) <= LONGEST_SETTINGS and any(url.encode() in data for url in IN_MEMORY):
        program.in_memory.append(path)
    while path in program.files:
        path += "+"
    program.files[path] = hash_of(data)

"""Facts of methods from class files: a hash of the instructions, flags, annotations, the first line.

A class file is found by its hash, where coverage kept it with the data (store/originals.py), or by its name among those
that the user gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from classhook.classfile.code import Code
from classhook.classfile.errors import ClassFormatError
from classhook.classfile.reader import ClassFile, Method
from classhook.classfile.symbols import Symbols, digest
from classhook.measures.alloc import lines_of
from classhook.reports.coverage.versions import Classes
from classhook.store.originals import Originals

MOST_KNOWN = 200_000  # class files that are remembered


@dataclass(frozen=True, slots=True)
class Body:
    """A method with code. `line`: of its first instruction, 0 if unknown; `annotations`: binary names."""

    hash: str
    flags: int
    annotations: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class ClassBodies:
    """A class file: its SHA-256 in hex, source file, and methods with code by name and descriptor."""

    sha256: str
    source: str
    methods: dict[tuple[str, str], Body]


NOTHING = ClassBodies("", "", {})


@dataclass(slots=True)
class Bodies:
    """Finds class files. `given`: by binary name, those that the user names; `notes`: what was wrong with them."""

    given: dict[str, bytes] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    _originals: Originals = field(default_factory=Originals)
    _known: dict[str, ClassBodies] = field(default_factory=dict)
    _given: dict[str, ClassBodies] = field(default_factory=dict)

    @staticmethod
    def from_paths(paths: Sequence[Path]) -> Bodies:
        """The methods of jars and folders. Raises UsageError."""
        classes = Classes([("", path) for path in paths])
        return Bodies({name.replace("/", "."): data for name, data in classes.by_name.items()}, classes.notes)

    def find(self, folders: Iterable[Path], name: str, digest_: str) -> ClassBodies:
        """A class. `folders`: data directories that may have it; `digest_`: its SHA-256 in hex, empty if unknown.
        NOTHING if it is nowhere."""
        if not digest_:
            return self.named(name)
        if digest_ not in self._known:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            data = next(
                (found for folder in folders if (found := self._originals.find(folder, digest_)) is not None), None
            )
            if data is None and (given := self.given.get(name)) is not None and sha256(given).hexdigest() == digest_:
                data = given
            self._known[digest_] = read(data) if data is not None else NOTHING
        return self._known[digest_]

    def named(self, name: str) -> ClassBodies:
        """The class of this name among those that the user gives."""
        if name not in self._given:
            data = self.given.get(name)
            self._given[name] = NOTHING if data is None else read(data)
        return self._given[name]


def read(data: bytes) -> ClassBodies:
    """A class file; a damaged one has no methods."""
    try:
        cf = ClassFile.parse(data)
        symbols = Symbols(cf)
        methods = {(one.name, one.descriptor): _body(symbols, one) for one in cf.methods if one.code_at}
        return ClassBodies(sha256(data).hexdigest(), cf.source_file, methods)
    except (ClassFormatError, IndexError, KeyError):
        return NOTHING


def _body(symbols: Symbols, method: Method) -> Body:
    code = Code.parse(symbols.data, method.code_at, symbols.pool)
    (line,) = lines_of(code, [0])
    return Body(digest(symbols.code(code)), method.access_flags, tuple(method.annotations()), line)

"""Files that tests depend on: those that they opened, looked at or listed; and what else may see what was read.

A test depends on a file if

1. it was opened in the test, in what was set up for it, or outside of all tests;
2. what was read may be kept in static state that the test sees: one of the initialisers and changers of that state was
   on the stack. Where the stack does not begin in the test, as in another thread, it is enough if these may have called
   the method that read;
3. a library may keep it: the test depends on the method that called the library. If none did, all tests depend on the
   file; on a class file, or a jar, those of the framework that ran the test: it may check classes by tests of its own
   (ArchUnit).

A file has the name of its path in a folder of classes, behind BESIDE, or in the checkout. A directory has a slash
behind its name: it stands for which files are in it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from classhook.extensions.selection.facts import SYNTHETIC
from classhook.extensions.selection.hierarchy import Hierarchy, MethodName
from classhook.extensions.selection.program import hash_of
from classhook.extensions.selection.reach import Reach
from classhook.model.opened_files import MOST_METHODS, OpenedFile

BESIDE = "beside the classes: "
HERE = "./"  # the name of the checkout's folder, and of one of classes
CHANGED, NEW, GONE = "changed", "is new", "is gone"
CODE = (".class", ".jar")
WRITTEN = "written"  # in place of a hash
Lifetime = tuple[int, int]  # Unix time in ns, from and to


@dataclass(frozen=True, slots=True)
class Opening:
    """`methods`: of the program, innermost first; `is_direct`: no library was below; `is_whole`: these are all, from
    the test on."""

    path: str
    methods: tuple[MethodName, ...]
    is_direct: bool
    is_whole: bool


def opening(file: OpenedFile, class_name: str, hierarchy: Hierarchy) -> Opening:
    """`class_name`: that of the test, in internal form."""
    named = [_method_name(text) for text in file.methods]
    own = [one for one in named if one[0] in hierarchy.classes]
    is_direct = file.is_direct and own[:1] == named[:1] != []
    is_whole = len(named) < MOST_METHODS and bool(own) and _is_tests(own[-1], class_name, hierarchy)
    return Opening(file.path, tuple(own), is_direct, is_whole)


def _method_name(text: str) -> MethodName:
    before, _, parameters = text.partition("(")
    owner, _, name = before.rpartition(".")
    return owner, f"{name}({parameters}"


def _is_tests(method: MethodName, class_name: str, hierarchy: Hierarchy) -> bool:
    """True if a method is one of the test's class, and no lambda expression, which may run elsewhere."""
    owner, member = method
    facts = hierarchy.classes[owner].methods.get(member)
    return owner in (class_name, *hierarchy.above(class_name)) and facts is not None and not facts.flags & SYNTHETIC


class Names:
    """Names of files. `roots`: the folders of classes; `top`: the checkout's."""

    def __init__(self, roots: Iterable[Path], top: Path) -> None:
        self.folders = [(os.path.realpath(root) + "/", BESIDE) for root in roots if root.is_dir()] + [
            (os.path.realpath(top) + "/", "")
        ]
        self._real: dict[str, str] = {}

    def name_of(self, path: str) -> str:
        """Empty: it is elsewhere."""
        bare = os.path.normpath(path)
        folder = os.path.dirname(bare)
        if folder not in self._real:
            self._real[folder] = os.path.realpath(folder)
        real = os.path.join(self._real[folder], os.path.basename(bare)) + ("/" if path.endswith("/") else "")
        return next(
            (before + (real[len(start) :] or HERE) for start, before in self.folders if real.startswith(start)), ""
        )


def hashes(names: Iterable[str], top: Path, lifetimes: Sequence[Lifetime] = ()) -> dict[str, str]:
    """Hashes of files and directories of the checkout, by name; empty: there is none, or it is compared otherwise.
    Files that were written while a JVM ran tests are WRITTEN."""
    return {
        name: ""
        if name.startswith(BESIDE)
        else WRITTEN
        if _within(modified(top / name), lifetimes)
        else hash_at(top / name)
        for name in names
    }


def _within(when: int, lifetimes: Sequence[Lifetime]) -> bool:
    return any(begin < when <= end for begin, end in lifetimes)


def hash_at(path: Path) -> str:
    """The hash of a file's content, or of the names in a directory. Empty: there is neither."""
    try:
        return hash_of(
            "\0".join(sorted(os.listdir(path))).encode("utf-8", "surrogateescape")
            if path.is_dir()
            else path.read_bytes()
        )
    except OSError:
        return ""


def modified(path: Path) -> int:
    """Unix time in ns; 0: there is no file."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def with_other_hashes(opened: Mapping[str, str], top: Path) -> dict[str, str]:
    """The opened names in the checkout that have another hash now, and what became of them. Files that the tests wrote
    themselves do not count."""
    found = {}
    for name, before in opened.items():
        if not name.startswith(BESIDE) and before != WRITTEN and (now := hash_at(top / name)) != before:
            found[name] = GONE if not now else CHANGED if before else NEW
    return found


def concerned(opened: Mapping[str, str], name: str, what: str) -> list[str]:
    """The names that were opened which a file's change concerns: its own, and the directories that it is in, if these
    now have other files."""
    start = BESIDE if name.startswith(BESIDE) else ""
    parts = name[len(start) :].split("/")[:-1] if what != CHANGED else []
    folders = [HERE, *("/".join(parts[: i + 1]) + "/" for i in range(len(parts)))] if what != CHANGED else []
    return [one for one in (name, *(start + folder for folder in folders)) if one in opened]


def label(name: str) -> str:
    return name.removeprefix(BESIDE)


def dependencies(
    reach: Reach,
    ran: Sequence[set[MethodName]],
    opened: Sequence[set[Opening]],
    sources: Sequence[str],
    outside: set[Opening],
    name_of: Callable[[str], str],
) -> tuple[list[str], list[int]]:
    """Names of files, and those that each test depends on, a bit for each. `ran`, `opened`, `sources`: by test; its
    source is the framework that ran it."""
    numbers: dict[str, int] = {}
    every = {
        one: 1 << numbers.setdefault(name, len(numbers))
        for one in set[Opening]().union(outside, *opened)
        if (name := name_of(one.path))
    }
    for_all, by_source = 0, dict.fromkeys(sources, 0)
    by_start, by_reader, by_caller = dict[int, int](), dict[int, int](), dict[int, int]()
    for one, bit in every.items():
        methods = [reach.number[method] for method in one.methods if method in reach.number]
        if one not in outside and not methods and one.path.endswith(CODE):
            for source in {source for source, own in zip(sources, opened, strict=True) if one in own}:
                by_source[source] |= bit
            continue
        if one in outside or not methods:
            for_all |= bit
            continue
        for method in methods:
            by_start[method] = by_start.get(method, 0) | bit
        if not one.is_whole:
            by_reader[methods[0]] = by_reader.get(methods[0], 0) | bit
        if not one.is_direct:
            by_caller[methods[0]] = by_caller.get(methods[0], 0) | bit
    found = []
    for methods_ran, own, source in zip(ran, opened, sources, strict=True):
        depends = for_all | by_source[source]
        for one in own:
            depends |= every.get(one, 0)
        starts = reach.starts(methods_ran)
        depends |= (
            _of(by_start, starts) | _of(by_reader, reach.made_by(starts)) | _of(by_caller, reach.depends(methods_ran))
        )
        found.append(depends)
    return [*numbers], found


def _of(files: dict[int, int], methods: int) -> int:
    """The files of these methods."""
    found = 0
    for method, bit in files.items():
        if methods >> method & 1:
            found |= bit
    return found

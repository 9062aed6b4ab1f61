"""Classes together: Kotlin's inlined functions get what their copies covered; source files, packages, a bundle add up.

A fragment has the counts of a function's lines where it was inlined. It is added to the class that declares the
function and to each of its methods: a line of a fragment counts as a single instruction there, covered if it was
covered anywhere.
"""

from __future__ import annotations

from classhook.coverage.counters import (
    BRANCH,
    CLASS,
    COMPLEXITY,
    INSTRUCTION,
    LINE,
    METHOD,
    ClassCoverage,
    Counters,
    Lines,
    add,
    add_lines,
    count_lines,
    nothing,
)
from classhook.coverage.missed_branches import settle


class SourceFile:
    """A source file of a package; its lines are those of its classes, united."""

    __slots__ = ("classes", "counters", "lines", "name")

    def __init__(self, name: str) -> None:
        self.name: str = name
        self.classes: list[ClassCoverage] = []
        self.counters: Counters = nothing()
        self.lines: Lines = {}


class Package:
    """A package (internal form); its counters are the sum of its source files' and of classes without one."""

    __slots__ = ("classes", "counters", "name", "sources")

    def __init__(self, name: str) -> None:
        self.name: str = name
        self.classes: list[ClassCoverage] = []
        self.sources: dict[str, SourceFile] = {}
        self.counters: Counters = nothing()


class Bundle:
    """All classes; `packages` by name in internal form."""

    __slots__ = ("counters", "name", "packages")

    def __init__(self, name: str) -> None:
        self.name: str = name
        self.packages: dict[str, Package] = {}
        self.counters: Counters = nothing()


def bundle(name: str, classes: list[ClassCoverage]) -> Bundle:
    """Adds classes up, each name once; changes those that declare Kotlin's inline functions."""
    apply_fragments(classes)
    return add_up(name, classes)


def add_up(name: str, classes: list[ClassCoverage]) -> Bundle:
    """Adds classes up, each name once, as they are."""
    found = Bundle(name)
    for cls in classes:
        package = found.packages.get(cls.package)
        if package is None:
            package = found.packages[cls.package] = Package(cls.package)
        package.classes.append(cls)
        if cls.source:
            source = package.sources.get(cls.source)
            if source is None:
                source = package.sources[cls.source] = SourceFile(cls.source)
            source.classes.append(cls)
        else:
            add(package.counters, cls.counters)
    for package in found.packages.values():
        for source in package.sources.values():
            for cls in source.classes:
                add(source.counters, cls.counters)
                add_lines(source.lines, cls.lines)
            for cls in source.classes:
                for method in cls.methods:
                    settle(method.missed, method.name, method.lines, source.lines)
            count_lines(source.counters, source.lines)
            add(package.counters, source.counters)
        add(found.counters, package.counters)
    return found


def apply_fragments(classes: list[ClassCoverage]) -> None:
    """Adds what inlined code covered to the classes that declare it."""
    by_name = {cls.name: cls for cls in classes}
    for cls in classes:
        for name, lines in cls.fragments.items():
            declaring = by_name.get(name)
            if declaring is not None:
                apply_fragment(declaring, lines)


def apply_fragment(cls: ClassCoverage, lines: Lines) -> None:
    """Adds the counts that other classes have of this class's lines."""
    _apply(cls.counters, cls.lines, lines)
    for method in cls.methods:
        if _apply(method.counters, method.lines, lines):
            counters = method.counters
            covered = 1 if counters[INSTRUCTION + 1] else 0
            for kind in (METHOD, COMPLEXITY):
                for side, new in ((kind, 1 - covered), (kind + 1, covered)):
                    cls.counters[side] += new - counters[side]
                    counters[side] = new
    cls.counters[CLASS + 1] = 1 if cls.counters[METHOD + 1] else 0
    cls.counters[CLASS] = 1 - cls.counters[CLASS + 1]


def _apply(counters: Counters, own: Lines, lines: Lines) -> bool:
    """Adds the fragment's lines to a node; False if it has none of them between its first and its last."""
    if not own:
        return False
    first = min(own)
    last = max(own)
    found = False
    for number, (missed, covered, _, _) in lines.items():
        if first <= number <= last and missed + covered:
            found = True
            before = own.get(number, [0, 0, 0, 0])
            after = [0, 1, 0, 0] if covered or before[1] else [1, 0, 0, 0]
            for i in range(2):
                counters[INSTRUCTION + i] += after[i] - before[i]
                counters[BRANCH + i] -= before[2 + i]
            own[number] = after
    if found:
        lines_of = nothing()
        count_lines(lines_of, own)
        counters[LINE : LINE + 2] = lines_of[LINE : LINE + 2]
    return found

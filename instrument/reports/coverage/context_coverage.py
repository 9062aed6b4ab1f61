"""The coverage of source files by contexts (tests, requests, jobs): lines, branches and methods, from their hits.

Lines, branches and methods are bits of numbers (instrument/coverage/by_hits.py): of a file, those of its classes
together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from classhook.coverage.analysis import Options
from classhook.coverage.bundle import Package
from classhook.coverage.by_hits import ByHits
from classhook.coverage.counters import ClassCoverage
from classhook.reports.coverage.class_version import Version

OUTSIDE = 0  # the number of what ran outside of all contexts

#: Lines of Kotlin's inline functions that contexts ran where they were inlined: by the class that declares them and the
#: context's number.
Inlined = dict[str, dict[int, int]]
Method = tuple[str, str, str]  # class, name, descriptor


@dataclass(slots=True)
class Covers:
    """The coverage of one context in one file: bits."""

    lines: int = 0
    branches: int = 0
    methods: int = 0


@dataclass(slots=True)
class ClassContexts:
    """The coverage of a class by contexts, by their numbers, and the names and descriptors of its methods, by their
    bits."""

    contexts: dict[int, Covers] = field(default_factory=dict)
    methods: list[tuple[str, str]] = field(default_factory=list)
    inlined: Inlined = field(default_factory=dict)


@dataclass(slots=True)
class FileContexts:
    """The coverage of a source file by contexts, by their numbers. `source`: package and name with slashes, or the
    class's name without a source; `lines`: those with code; `methods`: by their bits."""

    source: str
    lines: int
    contexts: dict[int, Covers] = field(default_factory=dict)
    methods: list[Method] = field(default_factory=list)


def of_class(version: Version, analysed: ClassCoverage, strict: bool, enums: dict[bytes, int]) -> ClassContexts:
    """The coverage of a class by contexts; methods that `analysed` lacks do not count. Raises as `analysis.analyze`."""
    found = ClassContexts(methods=[(one.name, one.descriptor) for one in analysed.methods])
    if not version.by_context:
        return found
    by_hits = ByHits(version.data, Options(version.level, version.levels, strict=strict, enums=enums))
    bits = {method: 1 << place for place, method in enumerate(found.methods)}
    for number, patterns in sorted(version.by_context.items()):
        if (bit := bits.get(by_hits.name(number), 0)) == 0:
            continue
        for hits, contexts in patterns.items():
            covers = by_hits.covers(number, hits)
            for context in contexts:
                one = found.contexts.setdefault(context, Covers())
                one.lines |= covers.lines
                one.branches |= covers.branches
                one.methods |= bit
                for declaring, lines in covers.inlined.items():
                    by_context = found.inlined.setdefault(declaring, {})
                    by_context[context] = by_context.get(context, 0) | lines
    return found


def add_inlined(told: ClassContexts, declaring: ClassCoverage, inlined: dict[int, int]) -> None:
    """Adds what inlined code covered to the class that declares it, as bundle.apply_fragment."""
    if not declaring.lines:
        return
    within = (2 << max(declaring.lines)) - (1 << min(declaring.lines))
    for context, lines in inlined.items():
        if lines & within:
            told.contexts.setdefault(context, Covers()).lines |= lines & within


def united(inlined: Iterable[Inlined], names: Iterable[str]) -> Inlined:
    """Unites the inlined lines of classes with these names."""
    own = set(names)
    found: Inlined = {}
    for one in inlined:
        for name in one.keys() & own:
            for context, lines in one[name].items():
                found.setdefault(name, {})[context] = found.get(name, {}).get(context, 0) | lines
    return found


def of_package(package: Package, told: dict[str, ClassContexts]) -> list[FileContexts]:
    """The files of a package, and its classes without a source."""
    prefix = f"{package.name}/" if package.name else ""
    found = [_file(prefix + name, one.classes, told) for name, one in sorted(package.sources.items())]
    return found + [_file(cls.name, [cls], told) for cls in package.classes if not cls.source]


def _file(source: str, classes: list[ClassCoverage], told: dict[str, ClassContexts]) -> FileContexts:
    found = FileContexts(source, 0)
    branches = 0
    for cls in classes:
        for line, four in cls.lines.items():
            if line > 0 and (four[0] or four[1]):
                found.lines |= 1 << line
        one = told.get(cls.name)
        if one is None:
            continue
        first = len(found.methods)
        found.methods += [(cls.name, *method) for method in one.methods]
        widest = 0
        for context, covers in one.contexts.items():
            of_file = found.contexts.setdefault(context, Covers())
            of_file.lines |= covers.lines
            of_file.branches |= covers.branches << branches
            of_file.methods |= covers.methods << first
            widest = max(widest, covers.branches.bit_length())
        branches += widest
    for covers in found.contexts.values():
        covers.lines &= found.lines
    return found


def numbers(bits: int) -> list[int]:
    """The numbers of the set bits, ascending."""
    text = bin(bits)[:1:-1]
    found, at = [], text.find("1")
    while at >= 0:
        found.append(at)
        at = text.find("1", at + 1)
    return found

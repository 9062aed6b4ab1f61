"""Analyses classes and makes a report's pieces, on all processors.

1. Packages are dealt out to as many processes as there are processors, by size. Each analyses its classes.
2. The counts of Kotlin's inline functions go from where they were inlined to the process that has the class declaring
   them. The same holds for the lines that each context ran.
3. Each process adds up its packages, of which only what `--filter` matches, and makes their pieces; these are put in
   order.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterable
from typing import Any

from classhook.base.errors import Failure, UsageError
from classhook.base.signals import leave_to_parent
from classhook.classfile.errors import ClassFormatError
from classhook.classfile.reader import ClassFile
from classhook.coverage.analysis import Options, analyze
from classhook.coverage.bundle import Package, add_up, apply_fragment
from classhook.coverage.class_info import enum_constants
from classhook.coverage.counters import ClassCoverage, Lines, add, nothing
from classhook.coverage.smap import BadMap
from classhook.reports.coverage import AnalysedPackage, Format, Summary, Whole, Wishes
from classhook.reports.coverage.changes import changed_lines
from classhook.reports.coverage.class_version import Version
from classhook.reports.coverage.context_coverage import (
    ClassContexts,
    Inlined,
    add_inlined,
    of_class,
    of_package,
    united,
)
from classhook.reports.coverage.narrowed import narrowed
from classhook.reports.coverage.versions import Versions

ALONE = 300  # classes: fewer are analysed sooner than a process starts

#: The coverage of inlined code, by the class that declares it, and by context.
Fragments = tuple[dict[str, list[Lines]], Inlined]


class Share:
    """Some packages: the work of one process."""

    def __init__(
        self, names: list[str], versions: Versions, format_: Format, wishes: Wishes, enums: dict[bytes, int]
    ) -> None:
        self.names = names
        self.versions = versions
        self.format = format_
        self.wishes = wishes
        self.enums = enums
        self.analysed: dict[str, ClassCoverage] = {}
        self.told: dict[str, ClassContexts] = {}
        self.notes: list[str] = []

    def fragments(self) -> Fragments:
        """Analyses the classes; returns their data about others."""
        found: dict[str, list[Lines]] = {}
        for name in self.names:
            one = self._analysed(self.versions.chosen[name])
            if one is not None:
                self.analysed[name] = one
                for declaring, lines in one.fragments.items():
                    found.setdefault(declaring, []).append(lines)
                if self.wishes.by and (counted := narrowed(one, self.wishes.matches)):
                    self.told[name] = of_class(self.versions.chosen[name], counted, self.wishes.strict, self.enums)
        return found, united(
            [one.inlined for one in self.told.values()], {name for one in self.told.values() for name in one.inlined}
        )

    def summaries(self, fragments: Fragments) -> list[Summary]:
        """The packages, with others' data about their classes."""
        of_lines, inlined = fragments
        for name, some in of_lines.items():
            declaring = self.analysed.get(name)
            if declaring is not None:
                for lines in some:
                    apply_fragment(declaring, lines)
        for name, of_contexts in inlined.items():
            if name in self.told:
                add_inlined(self.told[name], self.analysed[name], of_contexts)
        found: list[Summary] = []
        groups: dict[str, list[ClassCoverage]] = {}
        for name in sorted(self.analysed):
            if one := narrowed(self.analysed[name], self.wishes.matches):
                groups.setdefault(self.versions.groups.get(name, ""), []).append(one)
        for group, classes in groups.items():
            found += [self._summary(group, package) for package in add_up(group, classes).packages.values()]
        sources = self.wishes.sources
        found.append(
            Summary("", nothing(), None, [], self.notes, *((sources.missing, sources.other) if sources else ([], [])))
        )
        return found

    def _summary(self, group: str, package: Package) -> Summary:
        """The summary of a package."""
        part = AnalysedPackage(
            package, {cls.name: self.versions.chosen[cls.name] for cls in package.classes}, group=group
        )
        for cls in package.classes:
            for version in self.versions.others.get(cls.name, ()):
                analysed = self._analysed(version)
                if analysed is not None and (other := narrowed(analysed, self.wishes.matches)):
                    part.others.append((other, version))
        told = of_package(package, self.told) if self.wishes.by else []
        part.told = {one.source: one for one in told}
        piece = self.format.piece(part, self.wishes)
        changed = changed_lines(package, self.wishes.changes) if self.wishes.changes else []
        return Summary(package.name, package.counters, piece, changed, group=group, told=told)

    def _analysed(self, version: Version) -> ClassCoverage | None:
        """The class's counters; None, with a note, if it cannot be analysed."""
        options = Options(
            version.level, version.levels, self.format.WORDS, version.counts, self.wishes.strict, self.enums
        )
        try:
            return analyze(version.data, version.hits, options)
        except (ClassFormatError, BadMap, ValueError) as error:
            self.notes.append(f"{version.name.replace('/', '.')} is left out: {error}")
            return None


def analysed(versions: Versions, format_: Format, wishes: Wishes, processes: int = 0) -> Whole:
    """All packages; `processes`: 0 for as many as are of use. Raises Failure."""
    enums = _enums(versions) if wishes.strict else {}
    count = processes or (len(os.sched_getaffinity(0)) if len(versions.chosen) > ALONE else 1)
    shares = [Share(names, versions, format_, wishes, enums) for names in _dealt(versions, count)]
    found = _together(shares)
    left_out = [note for summary in found for note in summary.notes]
    notes = [*versions.notes, *left_out]
    if wishes.sources:
        notes += wishes.sources.notes(
            [name for one in found for name in one.missing], [name for one in found for name in one.other]
        )
    packages = sorted((one for one in found if one.piece is not None), key=lambda one: (one.group, one.name))
    whole = Whole(packages, notes=notes, complete=versions.complete and not left_out)
    for summary in whole.packages:
        add(whole.counters, summary.counters)
    return whole


def _dealt(versions: Versions, count: int) -> list[list[str]]:
    """The names of classes for each process, a package all to one, the largest first to the process that has least."""
    packages: dict[str, list[str]] = {}
    for name in versions.chosen:
        packages.setdefault(name.rpartition("/")[0], []).append(name)
    sizes = {package: sum(len(versions.chosen[name].data) for name in names) for package, names in packages.items()}
    dealt: list[list[str]] = [[] for _ in range(count)]
    load = [0] * count
    for package in sorted(packages, key=lambda package: (-sizes[package], package)):
        least = load.index(min(load))
        dealt[least] += packages[package]
        load[least] += sizes[package]
    return [names for names in dealt if names] or [[]]


def _together(shares: list[Share]) -> list[Summary]:
    """Has the first share done here, the others in processes of their own."""
    context = multiprocessing.get_context("fork")
    pipes = []
    workers = []
    for share in shares[1:]:
        ours, theirs = context.Pipe()
        worker = context.Process(target=_work, args=(share, theirs), daemon=True)
        worker.start()
        theirs.close()
        pipes.append(ours)
        workers.append(worker)
    try:
        said = [shares[0].fragments(), *map(_received, pipes)]
        for share, pipe in zip(shares[1:], pipes, strict=True):
            pipe.send(_for(share, said))
        found = shares[0].summaries(_for(shares[0], said))
        for pipe in pipes:
            found += _received(pipe)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        raise Failure("a process that analysed classes was killed: is there enough memory?") from None
    for worker in workers:
        worker.join()
    return found


def _work(share: Share, pipe: Any) -> None:
    """The body of a process; an exception that users should see goes to the first process."""
    leave_to_parent()
    try:
        pipe.send(share.fragments())
        pipe.send(share.summaries(pipe.recv()))
    except (Failure, UsageError) as error:
        pipe.send(error)


def _received(pipe: Any) -> Any:
    """The message of a process. Raises its exception, EOFError if it was killed."""
    said = pipe.recv()
    if isinstance(said, Exception):
        raise said
    return said


def _for(share: Share, said: Iterable[Fragments]) -> Fragments:
    """The fragments of a share's classes."""
    own = set(share.names)
    found: dict[str, list[Lines]] = {}
    every = list(said)
    for of_lines, _ in every:
        for name, lines in of_lines.items():
            if name in own:
                found.setdefault(name, []).extend(lines)
    return found, united([inlined for _, inlined in every], own)


def _enums(versions: Versions) -> dict[bytes, int]:
    """The numbers of constants of all enums."""
    found: dict[bytes, int] = {}
    for name, version in versions.chosen.items():
        try:
            count = enum_constants(ClassFile.parse(version.data))
        except (ClassFormatError, IndexError):
            continue
        if count:
            found[name.encode()] = count
    return found

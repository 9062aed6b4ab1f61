"""JaCoCo's data file, for its own reports, SonarQube's older scanners and IDEs: the hits of each version of each class,
as its agent has them.

By test, each has a session of its own, which the classes follow that it ran. JaCoCo's readers of whole files add all of
them up.
"""

from __future__ import annotations

import io
from typing import TextIO

from classhook.coverage.analysis import Options, as_jacoco
from classhook.coverage.by_hits import ByHits
from classhook.coverage.class_id import class_id
from classhook.coverage.execfile import ExecFile, Executed, Session, write
from classhook.reports.coverage import AnalysedPackage, Whole, Wishes
from classhook.reports.coverage.class_version import Version
from classhook.reports.coverage.context_coverage import OUTSIDE

WORDS = False


#: Id and name of a class, and its hits by context; without contexts, all of them as what ran outside.
Class = tuple[int, str, dict[int, bytes]]


def piece(part: AnalysedPackage, wishes: Wishes) -> list[Class]:
    """The classes that were loaded."""
    versions = [*part.versions.values(), *(version for _, version in part.others)]
    return [
        (class_id(one.data), one.name, by_context(one) if wishes.by else {OUTSIDE: probes(one)})
        for one in versions
        if one.hits is not None
    ]


def by_context(version: Version) -> dict[int, bytes]:
    """A byte for each of JaCoCo's probes, by context."""
    return ByHits(version.data, Options(version.level, version.levels)).jacoco(version.by_context)


def probes(version: Version) -> bytes:
    """A byte for each of JaCoCo's probes."""
    assert version.hits is not None
    return as_jacoco(version.data, version.hits, Options(version.level, version.levels))


def report(whole: Whole, wishes: Wishes, out: TextIO) -> None:
    """Writes the file to the bytes below `out`: the hits outside of contexts, then those of each."""
    files: dict[int, ExecFile] = {OUTSIDE: ExecFile()}
    files[OUTSIDE].sessions += whole.sessions
    begin, end = (
        choose([each for one in whole.sessions for each in (one.start, one.end)], default=0) for choose in (min, max)
    )
    for number, name in enumerate(wishes.contexts):
        if number != OUTSIDE:
            files[number] = ExecFile()
            files[number].sessions.append(Session(name, begin, end))
    for package in whole.packages:
        for id_, name, hits in package.piece:
            for context, probes_ in hits.items():
                files[context].add(Executed(id_, name, probes_))
    assert isinstance(out, io.TextIOWrapper)
    for file in files.values():
        out.buffer.write(write(file))

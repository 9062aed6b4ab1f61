"""JaCoCo's data file, for its own reports, SonarQube's older scanners and IDEs: the hits of each version of each class, as its agent has them."""

from __future__ import annotations

import io
from typing import TextIO

from classhook.coverage.analysis import Options, as_jacoco
from classhook.coverage.class_id import class_id
from classhook.coverage.execfile import ExecFile, Executed, write
from classhook.reports.coverage import Part, Whole, Wishes
from classhook.reports.coverage.class_version import Version

WORDS = False


def piece(part: Part, wishes: Wishes) -> list[tuple[int, str, bytes]]:
    """Id, name and hits of the classes that were loaded."""
    versions = [*part.versions.values(), *(version for _, version in part.others)]
    return [(class_id(one.data), one.name, probes(one)) for one in versions if one.hits is not None]


def probes(version: Version) -> bytes:
    """A byte for each of JaCoCo's probes."""
    assert version.hits is not None
    return as_jacoco(version.data, version.hits, Options(version.level, version.levels))


def report(whole: Whole, wishes: Wishes, out: TextIO) -> None:
    """Writes the file to what is below `out`."""
    file = ExecFile()
    file.sessions += whole.sessions
    for package in whole.packages:
        for id_, name, hits in package.piece:
            file.add(Executed(id_, name, hits))
    assert isinstance(out, io.TextIOWrapper)
    out.buffer.write(write(file))

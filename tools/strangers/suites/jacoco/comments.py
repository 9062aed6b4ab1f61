"""Checks the comments in JaCoCo's targets about their lines, such as `// assertPartlyCovered(1, 1)`, with our numbers
of our data. Assertions that are methods of a single test of JaCoCo are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from classhook.coverage.analysis import Options, analyze
from classhook.coverage.bundle import bundle
from classhook.coverage.class_id import class_id
from classhook.coverage.counters import Lines
from classhook.measures.cover.reader_classes import covered
from classhook.model.reading.files import data_files
from classhook.store.reading import read_file
from tests.coverage.conftest import class_files
from tools.strangers.suites.jacoco.builds import VALIDATION, Sources

#: By assertion: whether the line has missed instructions, and covered ones.
STATES = {
    "assertEmpty": (False, False),
    "assertNotCovered": (True, False),
    "assertPartlyCovered": (True, True),
    "assertFullyCovered": (False, True),
}
COMMENT = re.compile(r"(?<!https:)(?<!http:)//(.*)")
ASSERTION = re.compile(rf"({'|'.join(STATES)})\((?:(\d+), *(\d+))?\)")
NAMED = re.compile(rf'"({re.escape(VALIDATION)}[\w.$]+)"')


def verdicts(
    sources: Sources, classes: Path, data: Path, files: Iterable[tuple[str, Path]]
) -> Iterator[tuple[str, str]]:
    """The target and the line of each assertion in a target's file, and our numbers if they are others."""
    found = lines_of(sources, classes, data)
    for target, file in files:
        lines = found.get(str(file).rpartition("/src/")[2], {})
        for number, text in enumerate(file.read_text().splitlines(), 1):
            comment = COMMENT.search(text)
            for one in ASSERTION.finditer(comment[1]) if comment else ():
                missed, ran, *branches = lines.get(number, [0, 0, 0, 0])
                holds = STATES[one[1]] == (missed > 0, ran > 0) and branches == [int(one[2] or 0), int(one[3] or 0)]
                ours = f"{one[0]}; our instructions {missed} missed, {ran} covered; branches {branches}"
                yield f"{target}:{number}", "" if holds else ours


def lines_of(sources: Sources, classes: Path, data: Path) -> dict[str, Lines]:
    """The lines of source files, as JaCoCo's tests count them: of classes that ran, and those that a test names."""
    ran = {class_id(one.data): one for one in covered([read_file(path) for path in data_files([data])]) if one.data}
    found = []
    for content in class_files(classes):
        one = ran.get(class_id(content))
        if one and any(one.hits):
            found.append(analyze(content, one.hits, Options(one.level, one.levels)))
        elif (cls := analyze(content)).name.replace("/", ".") in named(sources.root):
            found.append(cls)
    return {
        f"{package.name}/{source.name}": source.lines
        for package in bundle("all", found).packages.values()
        for source in package.sources.values()
    }


@cache
def named(root: Path) -> set[str]:
    """The classes that a test of JaCoCo names, since they are to be analysed though they do not run."""
    tests = root.glob(f"{VALIDATION}.*/src/**/*Test.java")
    return {name for file in tests for name in NAMED.findall(file.read_text())}

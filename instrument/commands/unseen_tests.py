"""Tests that ran in JVMs without the agent, such as a build's daemon: their classes are in the reports that Maven and
Gradle write in JUnit's form, and not in our data."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from classhook.base.built_folders import NOT_ENTERED

REPORTS = ("target/*-reports/TEST-*.xml", "build/test-results/*/TEST-*.xml")
TOPS = frozenset(pattern.partition("/")[0] for pattern in REPORTS)
MOST = 32 << 20  # bytes of a report; a larger one has output of tests


def unseen(folder: Path, since_unix: float, seen: set[str]) -> list[str]:
    """The outer classes of tests that ran since a time, and are not among those that were seen."""
    known = {outer(name) for name in seen}
    ran = {outer(name) for file in _reports(folder) if file.stat().st_mtime >= since_unix for name in _classes(file)}
    return sorted(ran - known)


def outer(name: str) -> str:
    return name.partition("$")[0]


def _reports(folder: Path) -> Iterator[Path]:
    for path, folders, _ in os.walk(folder):
        if not TOPS.isdisjoint(folders):
            for pattern in REPORTS:
                yield from sorted(Path(path).glob(pattern))
        folders[:] = [name for name in folders if name not in NOT_ENTERED and not name.startswith(".")]


def _classes(file: Path) -> Iterator[str]:
    """Of the tests that were not skipped."""
    if file.stat().st_size > MOST:
        return
    try:
        for case in ElementTree.parse(file).iter("testcase"):
            if (name := case.get("classname")) and case.find("skipped") is None:
                yield name
    except (ElementTree.ParseError, OSError):
        return

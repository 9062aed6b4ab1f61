"""Tests that ran in JVMs without the agent, such as a build's daemon: their classes are in the reports that Maven and
Gradle write in JUnit's form, and not in our data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from xml.etree import ElementTree

from classhook.base.built_folders import matching

REPORTS = ("target/*-reports/TEST-*.xml", "build/test-results/*/TEST-*.xml")


def unseen(folder: Path, since_unix: float, seen: set[str]) -> list[str]:
    """The outer classes of tests that ran since a time, and are not among those that were seen."""
    known = {outer(name) for name in seen}
    ran = {outer(name) for file in matching(folder, REPORTS) for name in _classes(file, since_unix)}
    return sorted(ran - known)


def outer(name: str) -> str:
    return name.partition("$")[0]


def _classes(file: Path, since_unix: float) -> Iterator[str]:
    """Yields the classes of the tests in a report, without skipped tests, if it was written since a time."""
    with suppress(ElementTree.ParseError, OSError, ValueError, LookupError):
        if file.stat().st_mtime >= since_unix:
            for _, one in ElementTree.iterparse(file):
                if one.tag == "testcase":
                    if (name := one.get("classname")) and one.find("skipped") is None:
                        yield name
                    one.clear()

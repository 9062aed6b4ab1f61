"""Teamscale's testwise coverage: JSON with the lines that each test ran, and how it ended."""

from __future__ import annotations

import json
import re
from typing import Any, TextIO

from classhook.reports.coverage import AnalysedPackage, Whole, Wishes, ranges
from classhook.reports.coverage.by_test import Files, Test
from classhook.reports.coverage.context_coverage import numbers

WORDS = False
#: Our words for how a test ended -> Teamscale's. One without an end is not said to have one.
RESULTS = {"passed": "PASSED", "failed": "FAILURE", "aborted": "SKIPPED", "skipped": "IGNORED"}


def piece(part: AnalysedPackage, wishes: Wishes) -> list[tuple[str, str, str]]:
    """The names of each source file: in our data, its folder, and its own."""
    found = []
    for name in part.package.sources:
        path = (
            wishes.sources.path(part.package.name, name)
            if wishes.sources
            else f"{part.package.name}/{name}".lstrip("/")
        )
        folder, _, file = path.rpartition("/")
        found.append((f"{part.package.name}/{name}".lstrip("/"), folder, file))
    return found


def report(whole: Whole, wishes: Wishes, out: TextIO) -> None:
    """Writes the object, a test on each line."""
    assert whole.by_test is not None
    places = {source: (folder, file) for package in whole.packages for source, folder, file in package.piece}
    tests = [json.dumps(_test(one, places)) for one in whole.by_test.tests]
    out.write('{"partial": false, "tests": [\n' + ",\n".join(tests) + "\n]}\n")


def divided(name: str) -> list[str]:
    """A test's name up to its parameters, whose values may have dots, and these, if there are any."""
    return re.split(r"(?=[\[( ])", name, maxsplit=1)


def class_of(name: str) -> str:
    """The class of a test: of `shop.CartTest::adds(int)`, as `run --tests` has it, or of `shop.CartTest.adds`."""
    before = divided(name)[0]
    return before.partition("::")[0] if "::" in before else before.rpartition(".")[0]


def _test(one: Test, places: dict[str, tuple[str, str]]) -> dict[str, Any]:
    name, *more = divided(one.name)
    path = "".join([name.replace(".", "/"), *more])
    known: dict[str, Any] = {"result": RESULTS[one.status]} if one.status in RESULTS else {}
    if one.duration_ns is not None:
        known["duration"] = one.duration_ns / 1e9
    return {"uniformPath": path, "sourcePath": path, **known, "paths": _paths(one.files, places)}


def _paths(files: Files, places: dict[str, tuple[str, str]]) -> list[dict[str, Any]]:
    """The files by folder, with their lines as `1-4,7`."""
    found: dict[str, list[dict[str, str]]] = {}
    for source, one in sorted(files.items()):
        if one.lines and source in places:
            folder, name = places[source]
            lines = ",".join(
                str(first) if first == last else f"{first}-{last}" for first, last in ranges(numbers(one.lines))
            )
            found.setdefault(folder, []).append({"fileName": name, "coveredLines": lines})
    return [{"path": folder, "files": some} for folder, some in found.items()]

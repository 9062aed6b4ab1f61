"""Finds the tests that ran a line or a method: `--ran FILE:LINE`, `--ran Class::method`."""

from __future__ import annotations

import re
from typing import Any

from classhook.base.errors import UsageError
from classhook.reports.coverage.by_test import ByTest, Files, Test
from classhook.reports.coverage.context_coverage import numbers
from classhook.reports.filters import named

LINE = re.compile(r"(.+):(\d+)")
NEAR = 5  # lines that an error names


class Wanted:
    """Lines or methods, by source file, as bits. Raises UsageError, RuleError."""

    def __init__(self, text: str, found: ByTest) -> None:
        self.text = text
        self.lines: dict[str, int] = {}
        self.methods: dict[str, int] = {}
        place = LINE.fullmatch(text)
        if "::" in text:
            self._methods(found)
        elif place:
            self._lines(found, place[1].replace("\\", "/"), int(place[2]))
        else:
            raise UsageError(
                f"--ran {text}: neither a line nor a method; write FILE:LINE, such as Shop.java:21, or Class::method"
            )

    def _lines(self, found: ByTest, path: str, line: int) -> None:
        files = [
            source for source in found.lines if f"/{path}".endswith(f"/{source}") or f"/{source}".endswith(f"/{path}")
        ]
        if not files:
            name = path.rpartition("/")[2]
            there = sorted(
                source for source in found.lines if source.rpartition("/")[2].lower() == name.lower()
            ) or sorted(found.lines)
            raise UsageError(f"--ran {self.text}: no such source file was covered; there are {', '.join(there[:NEAR])}")
        self.lines = {source: 1 << line for source in files if found.lines[source] >> line & 1}
        if not self.lines:
            near = sorted(numbers(found.lines[files[0]]), key=lambda other: abs(other - line))[:NEAR]
            raise UsageError(
                f"--ran {self.text}: {files[0]} has no code in line {line}; near it, lines"
                f" {', '.join(map(str, sorted(near)))} have some"
            )

    def _methods(self, found: ByTest) -> None:
        matches = named(self.text, "--ran")
        for source, methods in found.methods.items():
            for place, (cls, name, descriptor) in enumerate(methods):
                if matches((cls.replace("/", "."), name, descriptor)):
                    self.methods[source] = self.methods.get(source, 0) | 1 << place
        if not self.methods:
            raise UsageError(f"--ran {self.text}: no class whose coverage was recorded has such a method with code")

    def by(self, files: Files) -> bool:
        """True if the covered files contain any of it."""
        return any(
            one.lines & self.lines.get(source, 0) or one.methods & self.methods.get(source, 0)
            for source, one in files.items()
        )

    def tests(self, found: ByTest) -> list[Test]:
        """The tests that ran it."""
        return sorted((one for one in found.tests if self.by(one.files)), key=lambda one: one.name)


def as_dict(wanted: Wanted, found: ByTest) -> dict[str, Any]:
    """The answer as JSON."""
    tests = [
        {"test": one.name, "status": one.status or None, "duration_ns": one.duration_ns} for one in wanted.tests(found)
    ]
    return {"schema": "classhook/1", "ran": wanted.text, "tests": tests, "outside": wanted.by(found.outside)}

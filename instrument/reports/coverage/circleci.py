"""The data of CircleCI's test impact analysis: JSON with the lines of each source file that the tests of a class ran.

Keys are those of CircleCI's own plugins, such as that for pytest: the path of a source file, and what CircleCI runs as
a whole, here a class of tests, followed by `|run`. A nested class of tests belongs to its outer class.
"""

from __future__ import annotations

import json
from typing import TextIO

from classhook.reports.coverage import Whole, Wishes
from classhook.reports.coverage.context_coverage import numbers
from classhook.reports.coverage.testwise import class_of, piece

__all__ = ["WORDS", "piece", "report"]

WORDS = False


def report(whole: Whole, wishes: Wishes, out: TextIO) -> None:
    """Writes the object, a source file on each line."""
    assert whole.by_test is not None
    lines: dict[str, dict[str, int]] = {}
    for one in whole.by_test.tests:
        for source, covers in one.files.items():
            if covers.lines:
                of_source = lines.setdefault(source, {})
                name = f"{class_of(one.name).partition('$')[0]}|run"
                of_source[name] = of_source.get(name, 0) | covers.lines
    paths = {
        source: f"{folder}/{file}".lstrip("/") for package in whole.packages for source, folder, file in package.piece
    }
    rows = [
        f"{json.dumps(paths[source])}: {json.dumps({test: numbers(bits) for test, bits in sorted(tests.items())})}"
        for source, tests in sorted(lines.items())
        if source in paths
    ]
    out.write("{\n" + ",\n".join(rows) + "\n}\n")

"""Coverage as one HTML file that needs nothing else: packages, source files, lines with their hits, and in words what
was missed.

The page has the counters as JSON, and the content of each source file, compressed; it is unpacked when a
reader opens the file.
"""

from __future__ import annotations

import base64
import json
import time
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from classhook.base.names import printable
from classhook.coverage.counters import INSTRUCTION, ClassCoverage, Counters, Lines
from classhook.coverage.hit_counts import bytecodes, united
from classhook.reports.coverage import AnalysedPackage, Whole, Wishes, tests_html
from classhook.reports.coverage.reasons import reasons

WORDS = True
TEMPLATE = Path(__file__).parent / "coverage.html"
LEVEL = 4  # of compression: beyond it, time goes up more than size goes down


@dataclass(slots=True)
class File:
    """A row of the page (name, counters, number of lines, classes with their counters, a remark, the place of the
    first line that lacks something or 0, executed bytecodes or -1 if they are not known), and what it opens."""

    row: list[Any]
    content: str


def piece(part: AnalysedPackage, wishes: Wishes) -> list[File]:
    """The package's files."""
    found = [
        _file(part, wishes, name, one.counters, one.lines, one.classes)
        for name, one in sorted(part.package.sources.items())
    ]
    found += [_file(part, wishes, "", cls.counters, cls.lines, [cls]) for cls in part.package.classes if not cls.source]
    for cls, _ in part.others:
        found.append(
            _file(
                part,
                wishes,
                cls.source,
                cls.counters,
                cls.lines,
                [cls],
                f"another version of {_simple(cls)}, not in the sums",
            )
        )
    return [one for one in found if one.row[1][INSTRUCTION] or one.row[1][INSTRUCTION + 1]]


def _file(
    part: AnalysedPackage,
    wishes: Wishes,
    name: str,
    counters: Counters,
    lines: Lines,
    classes: list[ClassCoverage],
    remark: str = "",
) -> File:
    package = part.package.name
    source = wishes.sources.read(package, name, lines) if wishes.sources and name and not remark else None
    text = source.lines if source else None
    counted = any(part.versions[cls.name].counts for cls in classes)
    hits = united(classes)[0] if counted else {}
    executed = bytecodes(classes)
    rows = [
        [number, *four, hits.get(number, -1), executed.get(number, 0)]
        for number, four in sorted(lines.items())
        if four[0] or four[1]
    ]
    lacking = ((number, place) for place, (number, missed, _, branches, *_) in enumerate(rows, 1) if missed or branches)
    number, place = next(lacking, (0, 0))
    first = place if text is None else number
    loaded = {cls.name for cls in classes if part.versions[cls.name].hits is not None}
    exact = {cls.name for cls in classes if part.versions[cls.name].exact}
    unruled = {cls.name for cls in classes if part.versions[cls.name].unruled}
    words: dict[int, list[str]] = {}
    for line, said in reasons(classes, loaded, text, exact, unruled):
        words.setdefault(line, []).append(said)
    content: dict[str, Any] = {"rows": rows, "words": words, "text": text, "path": source.path if source else ""}
    if part.told and not remark:
        content["ran"], content["by"] = tests_html.by_line(
            part.told[f"{package}/{name}".lstrip("/") if name else classes[0].name]
        )
    count = len(text) if text is not None else len(rows)
    within = [[_simple(cls), *cls.counters] for cls in classes if cls.methods] if len(classes) > 1 else []
    total = sum(row[-1] for row in rows) if counted else -1
    row = [printable(name or _simple(classes[0])), counters, count, within, remark, first, total]
    return File(row, packed(content))


def _simple(cls: ClassCoverage) -> str:
    return printable(cls.name.rpartition("/")[2].replace("$", "."))


def packed(content: Any) -> str:
    packer = zlib.compressobj(LEVEL, wbits=-15)
    raw = json.dumps(content, separators=(",", ":")).encode()
    return base64.b64encode(packer.compress(raw) + packer.flush()).decode()


def report(whole: Whole, wishes: Wishes, out: TextIO) -> None:
    """Writes the page."""
    # not for the processes that analyse packages
    from classhook.reports.titles import programs, titled
    from classhook.reports.web_page import DATA, script_of, template

    shown = [one for one in whole.packages if one.piece]
    packages = [
        {
            "name": printable(one.name.replace("/", ".")),
            "group": printable(one.group),
            "counters": one.counters,
            "files": [file.row for file in one.piece],
        }
        for one in shown
    ]
    tests = tests_html.Tests(whole.by_test, wishes.contexts, shown) if whole.by_test else None
    changed = [[printable(one.path), one.missed, len(one.covered)] for one in whole.changed]
    title = wishes.title or programs(whole.snapshot.processes) or ", ".join(whole.files)
    data = {
        "title": printable(title),
        "time": time.strftime("%Y-%m-%d %H:%M"),
        "counters": whole.counters,
        "packages": packages,
        "notes": [printable(note) for note in whole.notes],
        "diff": printable(wishes.commits),
        "changed": changed,
        "tests": tests.data if tests else None,
    }
    head, tail = template(TEMPLATE).split("<!--FILES-->")
    out.write(titled(head, "Coverage" + (f": {printable(title)}" if title else "")))
    for i, package in enumerate(shown):
        out.write(
            "".join(
                [
                    f'<script type="text/plain" id="f{i}-{j}">{file.content}</script>\n'
                    for j, file in enumerate(package.piece)
                ]
            )
        )
    if tests:
        out.write(
            "".join(
                [
                    f'<script type="text/plain" id="t{i}">{packed(content)}</script>\n'
                    for i, content in enumerate(tests.contents)
                ]
            )
        )
    out.write(tail.replace(DATA, script_of(data)))

"""lcov's tracefile, as geninfo(1) describes it: a record for each source file, with functions, branches and lines.

Without counted hits, what ran has the count 1. Branches of a line of which it is only known how many ran are numbered,
those that ran first.

By test, there is a record for each test that ran code of a file, with these lines and methods, each with the count 1,
and one for what ran outside of tests, which has all of the file's lines and methods, and the branches of all together.
Readers add the records up. Names of tests have only letters, digits and `_`, which is all that lcov allows.
"""

from __future__ import annotations

import re
from typing import TextIO

from classhook.base.names import parameter_names, printable
from classhook.coverage.bundle import SourceFile
from classhook.coverage.counters import METHOD
from classhook.coverage.hit_counts import united
from classhook.reports.coverage import AnalysedPackage, Whole, Wishes
from classhook.reports.coverage.context_coverage import OUTSIDE, Covers, FileContexts, numbers

WORDS = False
OTHER = re.compile(r"\W", re.ASCII)  # what names of tests cannot have


def piece(part: AnalysedPackage, wishes: Wishes) -> str:
    """The package's records."""
    counted = any(version.counts for version in part.versions.values())
    package = part.package
    out: list[str] = []
    for name, source in sorted(package.sources.items()):
        if source.lines:
            path = wishes.sources.path(package.name, name) if wishes.sources else f"{package.name}/{name}".lstrip("/")
            told = part.told.get(f"{package.name}/{name}".lstrip("/"))
            for test, lines in (
                _by_test(source, told, wishes.contexts, counted) if told else [("", _record(source, counted))]
            ):
                out += [f"TN:{test}", f"SF:{printable(path)}", *lines, "end_of_record", ""]
    return "\n".join(out)


def _by_test(source: SourceFile, told: FileContexts, contexts: list[str], counted: bool) -> list[tuple[str, list[str]]]:
    """The name of each test that ran code of the file, empty for what ran outside of all, and the record's lines."""
    known = {method: place for place, method in enumerate(told.methods)}
    functions = []
    for cls in source.classes:
        short = cls.name.rpartition("/")[2]
        for method in cls.methods:
            if method.first_line > 0:
                name = printable(f"{short}.{method.name}({';'.join(parameter_names(method.descriptor))})")
                functions.append((method.first_line, name, known.get((cls.name, method.name, method.descriptor), -1)))
    found = []
    for context, covers in sorted({OUTSIDE: Covers(), **told.contexts}.items()):
        called = [(*one[:2], place >= 0 and covers.methods >> place & 1) for one in functions for place in one[2:]]
        lines = told.lines
        if context != OUTSIDE:  # what a test did not run, the record of what ran outside has
            called, lines = [one for one in called if one[2]], covers.lines
        out = [f"FN:{line},{name}" for line, name, _ in called]
        out += [f"FNDA:{int(ran)},{name}" for _, name, ran in called]
        out += [f"FNF:{len(called)}", f"FNH:{sum(bool(ran) for _, _, ran in called)}"]
        if context == OUTSIDE:
            out += [row for row in _record(source, counted) if row.startswith("BR")]
        out += [f"DA:{line},{covers.lines >> line & 1}" for line in numbers(lines)]
        out += [f"LF:{lines.bit_count()}", f"LH:{covers.lines.bit_count()}"]
        found.append((OTHER.sub("_", contexts[context]), out))
    return found


def _record(source: SourceFile, counted: bool) -> list[str]:
    hits, branch_hits = united(source.classes) if counted else ({}, {})
    out: list[str] = []
    called: list[str] = []
    found = covered = 0
    for cls in source.classes:
        short = cls.name.rpartition("/")[2]
        for method in cls.methods:
            first = method.first_line
            if first < 1:
                continue
            parameters = ";".join(parameter_names(method.descriptor))  # a comma ends a name for many readers
            name = printable(f"{short}.{method.name}({parameters})")
            count = method.counters[METHOD + 1] and max(1, method.line_hits.get(first, 0))
            out.append(f"FN:{first},{name}")
            called.append(f"FNDA:{count},{name}")
            found += 1
            covered += 1 if count else 0
    out += [*called, f"FNF:{found}", f"FNH:{covered}"]
    rows = [(number, four) for number, four in sorted(source.lines.items()) if number > 0]
    found = covered = 0
    for number, (_, ran, missed, taken) in rows:
        if not missed + taken:
            continue
        counts = [count for one in branch_hits.get(number, []) for count in one]
        if len(counts) != missed + taken or sum(map(bool, counts)) != taken:
            counts = [1] * taken + [0] * missed
        out += [f"BRDA:{number},0,{i},{count if ran else '-'}" for i, count in enumerate(counts)]
        found += missed + taken
        covered += taken
    out += [f"BRF:{found}", f"BRH:{covered}"]
    found = covered = 0
    for number, (missed, ran, _, _) in rows:
        if missed or ran:
            out.append(f"DA:{number},{max(1, hits.get(number, 0)) if ran else 0}")
            found += 1
            covered += 1 if ran else 0
    return [*out, f"LF:{found}", f"LH:{covered}"]


def report(whole: Whole, wishes: Wishes, out: TextIO) -> None:
    """Writes the records."""
    for package in whole.packages:
        out.write(package.piece)

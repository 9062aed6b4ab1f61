"""lcov's tracefile, as geninfo(1) describes it: a record for each source file, with functions, branches and lines.

Without counted hits, what ran has the count 1. Branches of a line of which it is only known how many ran are numbered, those that ran first.
"""

from __future__ import annotations

from typing import TextIO

from classhook.coverage.bundle import SourceFile
from classhook.coverage.counters import METHOD
from classhook.coverage.hit_counts import united
from classhook.names import parameter_names, printable
from classhook.reports.coverage import Part, Whole, Wishes

WORDS = False


def piece(part: Part, wishes: Wishes) -> str:
    """The package's records."""
    counted = any(version.counts for version in part.versions.values())
    package = part.package
    out: list[str] = []
    for name, source in sorted(package.sources.items()):
        if source.lines:
            path = wishes.sources.path(package.name, name) if wishes.sources else f"{package.name}/{name}".lstrip("/")
            out += ["TN:", f"SF:{printable(path)}", *_record(source, counted), "end_of_record", ""]
    return "\n".join(out)


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

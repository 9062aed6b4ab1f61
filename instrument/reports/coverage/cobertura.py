"""Cobertura's XML, DTD coverage-04: what GitLab, Azure Pipelines and Jenkins read.

Paths of files are relative to the current folder where the sources are known, so that they are those of the repository
if classhook runs at its top.
"""

from __future__ import annotations

import os
import time
from typing import TextIO

from classhook.coverage.counters import BRANCH, COMPLEXITY, LINE, Counters, Lines
from classhook.coverage.hit_counts import united
from classhook.reports.coverage import AnalysedPackage, Whole, Wishes, share
from classhook.reports.coverage.markup import escaped

WORDS = False
HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE coverage SYSTEM'
    ' "http://cobertura.sourceforge.net/xml/coverage-04.dtd">\n'
)


def piece(part: AnalysedPackage, wishes: Wishes) -> str:
    """The package."""
    package = part.package
    name = escaped(package.name.replace("/", "."))
    out = [f'    <package name="{name}" {rates(package.counters)}>\n      <classes>\n']
    paths: dict[str, str] = {}
    for cls in package.classes:
        if not cls.lines:
            continue
        if cls.source not in paths:
            plain = f"{package.name}/{cls.source or cls.name.rpartition('/')[2]}".lstrip("/")
            paths[cls.source] = (
                wishes.sources.path(package.name, cls.source) if wishes.sources and cls.source else plain
            )
        counted = part.versions[cls.name].counts
        hits = united([cls])[0] if counted else {}
        label = escaped(cls.name.replace("/", "."))
        out.append(
            f'        <class name="{label}" filename="{escaped(paths[cls.source])}" {rates(cls.counters)}>\n         '
            " <methods>\n"
        )
        for method in cls.methods:
            signature = escaped(method.descriptor)
            lines_ = lines(method.lines, method.line_hits, "              ")
            out.append(
                f'            <method name="{escaped(method.name)}" signature="{signature}"'
                f" {rates(method.counters)}>\n{lines_}            </method>\n"
            )
        out.append(f"          </methods>\n{lines(cls.lines, hits, '          ')}        </class>\n")
    out.append("      </classes>\n    </package>\n")
    return "".join(out)


def report(whole: Whole, wishes: Wishes, out: TextIO) -> None:
    """Writes the document."""
    of = whole.counters
    out.write(
        f'{HEAD}<coverage {rates(of)} lines-covered="{of[LINE + 1]}" lines-valid="{of[LINE] + of[LINE + 1]}" '
        f'branches-covered="{of[BRANCH + 1]}" branches-valid="{of[BRANCH] + of[BRANCH + 1]}" version="classhook" '
        f'timestamp="{round(time.time() * 1000)}">\n'
    )
    out.write(f"  <sources>\n    <source>{escaped(os.getcwd())}</source>\n  </sources>\n  <packages>\n")
    for package in whole.packages:
        out.write(package.piece)
    out.write("  </packages>\n</coverage>\n")


def rates(of: Counters) -> str:
    """The attributes that all nodes have."""
    complexity = of[COMPLEXITY] + of[COMPLEXITY + 1]
    return f'line-rate="{share(of, LINE):.4f}" branch-rate="{share(of, BRANCH):.4f}" complexity="{complexity}"'


def lines(of: Lines, hits: dict[int, int], indent: str) -> str:
    """The lines with code."""
    out = [f"{indent}<lines>\n"]
    for number, (missed, ran, missed_branches, taken) in sorted(of.items()):
        if not missed + ran:
            continue
        head = f'{indent}  <line number="{number}" hits="{max(1, hits.get(number, 0)) if ran else 0}"'
        total = missed_branches + taken
        if total:
            percent = taken * 100 // total
            out.append(
                f'{head} branch="true" condition-coverage="{percent}% ({taken}/{total})"><conditions>'
                f'<condition number="0" type="jump" coverage="{percent}%"/></conditions></line>\n'
            )
        else:
            out.append(f'{head} branch="false"/>\n')
    return "".join([*out, f"{indent}</lines>\n"])

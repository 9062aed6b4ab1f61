"""JaCoCo's XML, DTD 1.1: what SonarQube, Codecov, GitLab, Jenkins and many others read."""

from __future__ import annotations

from typing import TextIO

from classhook.coverage.counters import KINDS, Counters, Lines, add, nothing
from classhook.reports.coverage import AnalysedPackage, Whole, Wishes
from classhook.reports.coverage.markup import escaped

WORDS = False
UNGROUPED = "(no group)"  # a report has either groups or packages
HEAD = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?><!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN"'
    ' "report.dtd">'
)


def piece(part: AnalysedPackage, wishes: Wishes) -> str:
    """The package."""
    package = part.package
    out = [f'<package name="{escaped(package.name)}">']
    for cls in package.classes:
        source = f' sourcefilename="{escaped(cls.source)}"' if cls.source else ""
        out.append(f'<class name="{escaped(cls.name)}"{source}>')
        for method in cls.methods:
            first = method.first_line
            line = f' line="{first}"' if first != -1 else ""
            out.append(
                f'<method name="{escaped(method.name)}"'
                f' desc="{escaped(method.descriptor)}"{line}>{counters(method.counters)}</method>'
            )
        out.append(f"{counters(cls.counters)}</class>")
    for name, source_file in sorted(package.sources.items()):
        out.append(
            "<sourcefile"
            f' name="{escaped(name)}">{lines(source_file.lines)}{counters(source_file.counters)}</sourcefile>'
        )
    out.append(f"{counters(package.counters)}</package>")
    return "".join(out)


def report(whole: Whole, wishes: Wishes, out: TextIO) -> None:
    """Writes the document, in one line as JaCoCo does."""
    out.write(f'{HEAD}<report name="{escaped(wishes.name)}">')
    for session in whole.sessions:
        out.write(f'<sessioninfo id="{escaped(session.id)}" start="{session.start}" dump="{session.end}"/>')
    groups = whole.groups
    for name, packages in groups.items():
        text = "".join([package.piece for package in packages])
        if groups.keys() == {""}:
            out.write(text)
            continue
        sums = nothing()
        for package in packages:
            add(sums, package.counters)
        out.write(f'<group name="{escaped(name or UNGROUPED)}">{text}{counters(sums)}</group>')
    out.write(f"{counters(whole.counters)}</report>")


def counters(of: Counters) -> str:
    """The counters that count anything."""
    return "".join(
        [
            f'<counter type="{KINDS[i >> 1]}" missed="{of[i]}" covered="{of[i + 1]}"/>'
            for i in range(0, 12, 2)
            if of[i] or of[i + 1]
        ]
    )


def lines(of: Lines) -> str:
    """The lines with code."""
    rows = sorted(of.items())
    return "".join(
        [
            f'<line nr="{nr}" mi="{mi}" ci="{ci}" mb="{mb}" cb="{cb}"/>'
            for nr, (mi, ci, mb, cb) in rows
            if mi or ci or mb or cb
        ]
    )

"""Finds the source of a class or method that a rule names, in the project's folders, by package and the name of the
class's source file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from time import monotonic

from classhook.classfile.errors import ClassFormatError
from classhook.classfile.lines import line_numbers
from classhook.classfile.reader import ClassFile
from classhook.extensions.servers.editor.class_names import coded
from classhook.extensions.servers.editor.matches import matched
from classhook.extensions.servers.editor.project import MODULES, Project
from classhook.reports.coverage.sources import Sources
from classhook.rules.document import Document, Position
from classhook.rules.errors import RuleError
from classhook.rules.parse import begun, parse_text

#: The folders where Maven and Gradle look for sources, in each module; then the folders themselves.
LANGUAGES = ("java", "kotlin", "scala", "groovy")
ROOTS = tuple(
    f"{module}src/{kind}/{language}" for module in MODULES for kind in ("main", "test") for language in LANGUAGES
)
NO_TYPES = frozenset({"return", "new", "throw", "else", "case", "yield", "do"})
LISTED = 10.0  # seconds
MOST = 20  # places, for a pattern
ABOVE = 30  # lines that a declaration may be above a method's first instruction
NAMES = frozenset({"CLASS", "METHOD", "TYPE", "FIELD", "LINE_NUMBERS", "PARAMETER", "RETURNS", "ANNOTATION"})


@dataclass(frozen=True, slots=True)
class Definition:
    """A line of a file, from 0."""

    path: Path
    line: int


def definitions(document: Document, place: Position, project: Project) -> list[Definition]:
    """The sources of the class or method at the place: several for a pattern; none if they are not found."""
    statement = document.statement_at(place.line)
    if statement is None:
        return []
    tokens = begun(statement.text)[0]
    for at, (terminal, text, offset) in enumerate(tokens):
        span = document.span(statement, offset, offset + len(text))
        if terminal in NAMES and span.begin <= place < span.end:
            before = [(one, name) for one, name, _ in tokens[:at]]
            return list(dict.fromkeys(_of(terminal, text, before, project)))[:MOST]
    return []


def _of(terminal: str, text: str, before: list[tuple[str, str]], project: Project) -> Iterator[Definition]:
    owner = next((name for one, name in reversed(before) if one == "CLASS"), "")
    sources = _sources(project)
    if terminal == "METHOD":
        for name, method in _matching(f"{owner}::{text}", project):
            for cf in project.class_files(name):
                yield from _method(cf, *method, sources)
        return
    if terminal == "FIELD":
        text, _, field = text.rpartition(".")
        for cf in project.class_files(text):
            yield from _found(cf, sources, rf"\b{re.escape(field)}\b\s*[=;,]")
        return
    if terminal == "LINE_NUMBERS":
        for cf in project.class_files(owner):
            for path, _ in _file(cf, sources):
                yield Definition(path, max(int(text.partition("-")[0][:6]) - 1, 0))
        return
    for name in dict.fromkeys(name for name, _ in _matching(f"{text}::*", project)) or [text]:
        for cf in project.class_files(name):
            simple = re.escape(re.split(r"[.$]", name)[-1])
            yield from _found(cf, sources, rf"\b(?:class|interface|enum|record|object|trait)\s+{simple}\b")


def _matching(target: str, project: Project) -> list[tuple[str, tuple[str, str]]]:
    """The classes and methods that a target matches."""
    try:
        (rule,) = parse_text(f"count {target}", "")
    except RuleError:
        return []
    return [
        (facts.name, (one.name, one.descriptor))
        for facts, methods in matched(rule, project, most=MOST)
        for one in methods
    ]


def _method(cf: ClassFile, name: str, descriptor: str, sources: Sources) -> Iterator[Definition]:
    """The declaration, which is above the method's first line; that line if it is not found there."""
    for method, code in coded(cf):
        if (method.name, method.descriptor) != (name, descriptor):
            continue
        first = min(line_numbers(code).values(), default=1) - 1
        for path, lines in _file(cf, sources):
            above = (
                line
                for line in range(min(first, len(lines) - 1), max(first - ABOVE, -1), -1)
                if _declares(lines[line], cf, name)
            )
            yield Definition(path, next(above, first))


def _declares(line: str, cf: ClassFile, name: str) -> bool:
    """True if a line declares a method: before its name there is a type or a word such as `fun`; a constructor may have
    none."""
    constructor = name == "<init>"
    written = re.escape(re.split(r"[.$/]", cf.name)[-1] if constructor else name)
    found = re.search(rf"(?:([\w>\]?]+)\s+|^\s*){written}\s*[(<]", line)
    return found is not None and found[1] not in NO_TYPES and (constructor or found[1] is not None)


def _found(cf: ClassFile, sources: Sources, pattern: str) -> Iterator[Definition]:
    """The first line that the pattern matches, of a declaration; else the file's first one."""
    for path, lines in _file(cf, sources):
        yield Definition(path, next((number for number, line in enumerate(lines) if re.search(pattern, line)), 0))


def _file(cf: ClassFile, sources: Sources) -> Iterator[tuple[Path, Sequence[str]]]:
    """The class's file, and its lines."""
    package = cf.name.rpartition("/")[0]
    file = ""
    with suppress(ClassFormatError):
        file = next(
            (
                cf.pool.utf8(cf.data[at + 6] << 8 | cf.data[at + 7])
                for name, at, _ in cf.attributes()
                if name == b"SourceFile"
            ),
            "",
        )
    path = Path(sources.path(package, file)) if file else Path()
    if path.is_file():
        yield path, sources.lines(package, file)


def _sources(project: Project) -> Sources:
    """The source files, listed anew if that was a while ago."""
    return _listed(tuple(project.folders), int(monotonic() // LISTED))


@lru_cache(maxsize=1)
def _listed(folders: tuple[Path, ...], _: int) -> Sources:
    roots = [root for folder in folders for pattern in ROOTS for root in sorted(folder.glob(pattern)) if root.is_dir()]
    return Sources([path for path in (*roots, *folders) if os.access(path, os.R_OK)])

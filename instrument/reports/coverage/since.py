"""Changes of coverage since older data: for each source file, the lines that are no longer covered, and those that now
are.

Lines are compared where the classes of a file are the same on both sides, byte by byte. Where they are not, lines may
have moved, so methods are compared: whether a method that was entered still is.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, NamedTuple, TextIO

from classhook.base.names import printable, several, them
from classhook.coverage.counters import BRANCH, INSTRUCTION, KINDS, LINE, METHOD, Counters
from classhook.reports.coverage import AnalysedPackage, Whole, Wishes, percentage, ranges_label

WORDS = False
SCHEMA = "classhook-coverage-diff/1"
SHOWN = (INSTRUCTION, BRANCH, LINE, METHOD)  # of the counters of all classes
METHODS_SHOWN = 5  # of a file


@dataclass
class File:
    """A source file, or a class without one. `code`: what its classes are; `lines`: by number, whether it is covered,
    `methods` by their names."""

    name: str
    counters: Counters
    code: bytes
    lines: dict[int, bool]
    methods: dict[str, bool]


class Change(NamedTuple):
    """The change of a file. `before`, `after`: None where it is not there; `lost`, `gained`: lines, and methods if its
    code is another one."""

    name: str
    before: Counters | None
    after: Counters | None
    same_code: bool
    lost: list[int]
    gained: list[int]
    lost_methods: list[str]
    gained_methods: list[str]

    @property
    def any(self) -> bool:
        return bool(
            self.lost
            or self.gained
            or self.lost_methods
            or self.gained_methods
            or self.before is None
            or self.after is None
        )


@dataclass
class Changes:
    """`files`: those with a change, what was lost most first; `same`: how many others there are."""

    before: Counters
    after: Counters
    files: list[Change] = field(default_factory=list)
    same: int = 0


def piece(part: AnalysedPackage, wishes: Wishes) -> list[File]:
    """The package's files."""
    package = part.package
    nodes = [(name, source.counters, source.lines, source.classes) for name, source in package.sources.items()]
    nodes += [
        (cls.name.rpartition("/")[2], cls.counters, cls.lines, [cls]) for cls in package.classes if not cls.source
    ]
    found = []
    for name, counters, lines, classes in nodes:
        digest = sha256()
        for cls in sorted(classes, key=lambda cls: cls.name):
            digest.update(
                sha256(part.versions[cls.name].data).digest() if cls.name in part.versions else cls.name.encode()
            )
        methods = {
            f"{cls.name.replace('/', '.')}.{method.name}{method.descriptor}": bool(method.counters[INSTRUCTION + 1])
            for cls in classes
            for method in cls.methods
        }
        covered = {number: bool(four[1]) for number, four in lines.items() if four[0] or four[1]}
        found.append(File(f"{package.name}/{name}".lstrip("/"), counters, digest.digest(), covered, methods))
    return found


def changes(before: Whole, after: Whole) -> Changes:
    """The changes from one to the other."""
    sides = [{one.name: one for package in whole.packages for one in package.piece} for whole in (before, after)]
    found = [_change(name, *(side.get(name) for side in sides)) for name in sorted({**sides[0], **sides[1]})]
    files = [one for one in found if one.any]
    files.sort(key=lambda one: (-len(one.lost), -len(one.lost_methods), -len(one.gained), one.name))
    return Changes(before.counters, after.counters, files, len(found) - len(files))


def _change(name: str, before: File | None, after: File | None) -> Change:
    if before is None or after is None:
        known = Change(name, None, None, same_code=False, lost=[], gained=[], lost_methods=[], gained_methods=[])
        return known._replace(before=before.counters if before else None, after=after.counters if after else None)
    same = before.code == after.code
    lines = _told(before.lines, after.lines) if same else ([], [])
    methods = ([], []) if same else _told(before.methods, after.methods)
    return Change(name, before.counters, after.counters, same, *lines, *methods)


def _told(before: dict[Any, bool], after: dict[Any, bool]) -> tuple[list[Any], list[Any]]:
    """The lines or methods of both that are no longer covered, and those that now are."""
    both = sorted(before.keys() & after.keys())
    return [one for one in both if before[one] and not after[one]], [
        one for one in both if after[one] and not before[one]
    ]


def text(found: Changes, wishes: Wishes, out: TextIO) -> None:
    """The changes of all counters, then a line or two for each file."""
    sums = [
        _sum(found, kind) for kind in SHOWN if any(side[kind] + side[kind + 1] for side in (found.before, found.after))
    ]
    out.write(f"Coverage: {', '.join(sums) or 'no class has code'}\n")
    shown = found.files if wishes.all or not wishes.top else found.files[: wishes.top]
    for one in shown:
        out.write(
            printable(
                f"{one.name}  {_fraction(one.before)} -> {_fraction(one.after)}"
                f" lines{'' if one.same_code else _other(found, one)}"
            )
            + "\n"
        )
        for what, lines, methods in (
            ("no longer covered", one.lost, one.lost_methods),
            ("now covered", one.gained, one.gained_methods),
        ):
            if lines:
                out.write(f"    {what}: {ranges_label(lines)}\n")
            for method in methods if wishes.all else methods[:METHODS_SHOWN]:
                out.write(printable(f"    {what}: {method}") + "\n")
            more = 0 if wishes.all else len(methods) - METHODS_SHOWN
            if more > 0:
                out.write(f"    {what}: {several(more, 'more method')}; --all shows {them(more)}\n")
    if len(shown) < len(found.files):
        more = len(found.files) - len(shown)
        out.write(f"{several(more, 'more source file')} with changes; --top N or --top 0 shows {them(more)}\n")
    if found.same:
        out.write(f"{several(found.same, 'source file')} without a change\n")


def _other(found: Changes, one: Change) -> str:
    if one.before is None and not any(found.before):
        return ", not known before"
    return ", new" if one.before is None else ", gone" if one.after is None else ", other code: by method"


def _sum(found: Changes, kind: int) -> str:
    """`line 80.0 % -> 76.4 % (-3.6)`."""
    before, after = (percentage(side, kind) for side in (found.before, found.after))
    both = "-" not in (before, after)
    change = f" ({float(after.removesuffix(' %')) - float(before.removesuffix(' %')):+.1f})" if both else ""
    return f"{KINDS[kind // 2].lower()} {before} -> {after}{change}"


def _fraction(counters: Counters | None) -> str:
    return "-" if counters is None else f"{counters[LINE + 1]}/{counters[LINE] + counters[LINE + 1]}"


def as_json(found: Changes, wishes: Wishes, out: TextIO) -> None:
    """One object."""
    files = [
        {
            "source": one.name,
            "status": (
                "new"
                if one.before is None
                else "gone"
                if one.after is None
                else "same code"
                if one.same_code
                else "other code"
            ),
            "before": _counted(one.before),
            "after": _counted(one.after),
            "lost_lines": one.lost,
            "gained_lines": one.gained,
            "lost_methods": one.lost_methods,
            "gained_methods": one.gained_methods,
        }
        for one in found.files
    ]
    whole = {
        "schema": SCHEMA,
        "before": _counted(found.before),
        "after": _counted(found.after),
        "files": files,
        "unchanged_files": found.same,
    }
    json.dump(whole, out, indent=1)
    out.write("\n")


def _counted(counters: Counters | None) -> dict[str, list[int]] | None:
    """Missed and covered, as `coverage` of the other reports has them."""
    return None if counters is None else {kind.lower(): counters[2 * i : 2 * i + 2] for i, kind in enumerate(KINDS)}


FORMS: dict[str, Callable[[Changes, Wishes, TextIO], None]] = {"text": text, "json": as_json}

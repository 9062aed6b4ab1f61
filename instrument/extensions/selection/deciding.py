"""Selects tests, each with its reasons. In doubt a test is selected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import TypeVar

from classhook.base.test_words import FAILED
from classhook.extensions.selection.changes import Changes, compare, dotted, method_text
from classhook.extensions.selection.facts import ClassFacts
from classhook.extensions.selection.hierarchy import Hierarchy
from classhook.extensions.selection.opened import concerned, label
from classhook.extensions.selection.paths import Paths
from classhook.extensions.selection.program import Program
from classhook.extensions.selection.reach import bits
from classhook.extensions.selection.recording import UNSEEN, KnownClass, KnownTest, Recording
from classhook.extensions.selection.test_classes import tests_of

NEW = "has no recorded data"
#: By status: why a test is selected whatever changed.
ALWAYS = {FAILED: f"{FAILED} last time", UNSEEN: "started a process without the agent, whose environment was another"}
SOME = 3  # changes that a reason names
FAILED_BEFORE, NEAREST, RAN, SEES, LAST = range(5)  # ranks
Named = TypeVar("Named")


class Kind(IntEnum):
    """The kinds of reasons why a test is selected; the first that applies counts."""

    CHANGED = 0
    REACHES = 1
    READS = 2
    ALWAYS = 3
    ANYTHING = 4


@dataclass(frozen=True, slots=True)
class Reason:
    """`rank`: how soon the test should run, 0 first."""

    kind: Kind
    text: str
    rank: int = field(default=LAST, compare=False)


@dataclass(slots=True)
class Selection:
    """`reasons`: of each selected test; `known`: all tests, with how long they took in ns; `anything`: why all are
    selected."""

    reasons: dict[str, Reason] = field(default_factory=dict)
    known: dict[str, int] = field(default_factory=dict)
    anything: list[str] = field(default_factory=list)

    def count(self, kind: Kind) -> int:
        return sum(reason.kind == kind for reason in self.reasons.values())

    def ordered(self) -> list[str]:
        """The selected tests in the order in which one wants to know how they end: those that failed last time, those
        that changed or are new, those that run changed code, those that see it through static state, the others; short
        ones first."""
        return sorted(self.reasons, key=lambda name: (self.reasons[name].rank, self.known.get(name, 0), name))

    @property
    def left_out(self) -> bool:
        """True if some tests are not selected."""
        return len(self.reasons) < len(self.known)

    @property
    def share_of_time(self) -> float:
        """The selected tests' share of the time that all tests took when they were recorded."""
        return sum(self.known.get(name, 0) for name in self.reasons) / (sum(self.known.values()) or 1)


def select(
    recordings: list[Recording], program: Program, anything: list[str], files: Sequence[Mapping[str, str]] = ()
) -> Selection:
    """`anything`: why every test may be altered, besides what changed in the program; `files`: for each recording,
    files of the checkout that tests opened, and what became of them."""
    found = Selection(anything=list(anything))
    strings = frozenset(text for facts in program.classes.values() for text in facts.strings)
    hierarchy = Hierarchy(program.classes)
    for recording, other in zip(recordings, files or [{}] * len(recordings), strict=True):
        changes = compare(recording, program, hierarchy, strings)
        changes.files.update(other)
        found.anything += [one for one in changes.anything if one not in found.anything]
        _select_of(found, recording, changes, hierarchy)
    for name in sorted(tests_of(program.classes, hierarchy)):
        if name not in found.known:
            found.known[name] = 0
            found.reasons[name] = Reason(Kind.ALWAYS, NEW, NEAREST)
    if found.anything:
        for name in found.known:
            found.reasons.setdefault(name, Reason(Kind.ANYTHING, found.anything[0]))
    return found


def _select_of(found: Selection, recording: Recording, changes: Changes, hierarchy: Hierarchy) -> None:
    """The tests of one recording."""
    methods = changes.methods
    method_bits = recording.method_bits(changes.bodies)
    shapes = _with_subtypes(changes.shapes, recording, hierarchy)
    class_bits = recording.class_bits(shapes)
    files = {
        f"{label(name)} {what}": recording.file_bits(concerned(recording.opened, name, what))
        for name, what in changes.files.items()
    }
    if recording.outside & method_bits:
        method = next(_named(recording.methods, recording.outside & method_bits))
        found.anything.append(f"{method_text(method)} {changes.bodies[method]}, and ran outside of tests, too")
    if uncounted := sorted(changes.bodies.keys() & recording.uncounted):
        found.anything.append(
            f"{method_text(uncounted[0])} {changes.bodies[uncounted[0]]}, and its calls were not counted"
        )
    paths = Paths(recording)
    for name, test in recording.tests.items():
        if is_gone(name, recording, hierarchy):
            continue
        found.known[name] = test.duration_ns
        reason = _own(name, changes, methods, hierarchy) or _reached(
            paths, test, method_bits, class_bits, changes, shapes
        )
        reason = reason or _read(test, files)
        if reason is None and test.status in ALWAYS:
            reason = Reason(Kind.ALWAYS, ALWAYS[test.status])
        if reason is not None and test.status == FAILED:
            reason = replace(reason, rank=FAILED_BEFORE)
        if reason is not None:
            found.reasons[name] = reason


def _with_subtypes(shapes: dict[str, str], recording: Recording, hierarchy: Hierarchy) -> dict[str, str]:
    """Classes that changed, and their subtypes, then or now."""
    below: dict[str, list[str]] = {}
    for name, known in recording.classes.items():
        for one in known.supertypes:
            below.setdefault(one, []).append(name)
    found, todo = dict(shapes), [*shapes]
    while todo:
        name = todo.pop()
        for one in (*below.get(name, ()), *hierarchy.direct.get(name, ())):
            if one not in found:
                found[one] = f"has a supertype {dotted(name)} that changed" if name in shapes else found[name]
                todo.append(one)
    return found


def class_of(test: str) -> str:
    """The class of a test, in internal form."""
    return test.partition("#")[0].replace(".", "/")


def is_gone(test: str, recording: Recording, hierarchy: Hierarchy) -> bool:
    """True if a test's class or method was there when it was recorded, and is no longer."""
    owner, method = class_of(test), test.partition("#")[2]
    if owner not in hierarchy.classes:
        return owner in recording.classes
    return _has(recording.classes, owner, method) and not any(
        _has(hierarchy.classes, one, method) for one in (owner, *hierarchy.above(owner))
    )


def _has(classes: Mapping[str, KnownClass | ClassFacts], owner: str, method: str) -> bool:
    return owner in classes and any(member.partition("(")[0] == method for member in classes[owner].methods)


def _own(name: str, changes: Changes, methods: set[tuple[str, str]], hierarchy: Hierarchy) -> Reason | None:
    """A reason if the test's own class changed, where no code of others is: its shape, the test's method."""
    owner, method = class_of(name), name.partition("#")[2]
    for one in (owner, *hierarchy.above(owner)):
        if one in changes.shapes:
            return Reason(
                Kind.CHANGED,
                f"its class {dotted(one)} {changes.shapes[one]}"
                if one == owner
                else f"{dotted(one)} {changes.shapes[one]}",
                NEAREST,
            )
        if (one, method) in methods:
            return Reason(Kind.CHANGED, "its method changed", NEAREST)
    return None


def _reached(
    paths: Paths, test: KnownTest, method_bits: int, class_bits: int, changes: Changes, shapes: dict[str, str]
) -> Reason | None:
    recording = paths.recording
    if methods := recording.depends(test) & method_bits:
        numbers = sorted(bits(methods), key=lambda one: (not test.ran >> one & 1, one))
        named = [
            f"{method_text(name)} {changes.bodies[name]}{paths.text(test, number) if i < SOME else ''}"
            for i, (number, name) in enumerate((number, recording.methods[number]) for number in numbers)
        ]
    elif classes := test.touches & class_bits:
        named = [f"{dotted(one)} {shapes[one]}" for one in _named(list(recording.classes), classes)]
    else:
        return None
    rank = SEES if methods and not test.ran & methods else RAN
    return Reason(Kind.REACHES, "reaches changed code: " + _some(named), rank)


def _read(test: KnownTest, files: dict[str, int]) -> Reason | None:
    """`files`: changed ones, each with those that the recording has bits for."""
    named = [text for text, readers in files.items() if test.reads & readers]
    return Reason(Kind.READS, "reads changed files: " + _some(named)) if named else None


def _some(named: list[str]) -> str:
    return ", ".join(named[:SOME]) + (f" and {len(named) - SOME} more" if len(named) > SOME else "")


def _named(names: list[Named], chosen: int) -> Iterator[Named]:
    """The names whose bits are set."""
    return (names[number] for number in bits(chosen))

"""The recording of a run of tests: the dependencies of each, and the program of that time.

A file (recording_file.py) has several recordings if data was merged, or if only some tests ran: of each test, the
latest recording that has it counts, and a test is compared with the program of its own recording. One to which no test
belongs any more is dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from classhook.base.test_words import FAILED
from classhook.extensions.selection.facts import ClassFacts
from classhook.extensions.selection.kept import kept
from classhook.extensions.selection.observed import MethodName, Observed
from classhook.extensions.selection.opened import Lifetime, Names, dependencies, hashes
from classhook.extensions.selection.program import Program
from classhook.extensions.selection.reach import Reach, bits
from classhook.extensions.selection.static_state import Field
from classhook.extensions.selection.test_classes import is_test

UNSEEN = "unseen"  # the status of a test that started a process of which nothing is known


@dataclass(slots=True)
class KnownClass:
    """A class when it was recorded. `methods`: by name and descriptor, hashes of what declares it and of its body, and
    whether only its class, or a test framework, calls it."""

    shape: str
    supertypes: list[str]
    annotated: bool
    methods: dict[str, tuple[str, str, bool]]

    @staticmethod
    def from_facts(facts: ClassFacts) -> KnownClass:
        return KnownClass(
            facts.shape,
            facts.supertypes,
            facts.is_annotated,
            {
                name: (method.signature, method.body, method.is_hidden or is_test(method))
                for name, method in facts.methods.items()
            },
        )


@dataclass(slots=True)
class KnownTest:
    """A test. `ran`: a bit for each of the recording's methods that ran in it; `starts`: for each that made or changed
    static state which it may see; `touches`, `reads`: for each of the recording's classes, and files that were
    opened."""

    __test__ = False  # pytest does not take it for one of its own

    status: str
    duration_ns: int
    ran: int
    starts: int
    touches: int
    reads: int = 0


@dataclass(slots=True)
class Recording:
    """A run. `made`: Unix time in seconds; `commit`: what git had checked out, empty if unknown; `dirty`: hashes of
    files that differed from it; `build`: hashes of build files; `files`: of resources; `outside`: methods that ran in
    no test, a bit for each; `uncounted`: that may have run without being counted; `opened`: names of files that were
    opened (opened.py), with the hashes of those in the checkout; `kept`: what tests leave behind that is not followed
    (kept.py); `fields`: by static field, the methods that may change it, and those that read it, a bit for each;
    `below`: by the number of a method that made or changed static state, what ran below it."""

    made: int
    commit: str
    dirty: dict[str, str]
    build: dict[str, str]
    files: dict[str, str]
    classes: dict[str, KnownClass]
    methods: list[MethodName]
    outside: int
    uncounted: set[MethodName]
    opened: dict[str, str] = field(default_factory=dict)
    tests: dict[str, KnownTest] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    fields: dict[str, tuple[int, int]] = field(default_factory=dict)
    below: dict[int, int] = field(default_factory=dict)
    _made: dict[int, int] = field(default_factory=dict)

    def made_by(self, starts: int) -> int:
        """The methods that ran below these ones: a bit for each."""
        if starts not in self._made:
            self._made[starts] = _union(self.below, starts)
        return self._made[starts]

    def depends(self, test: KnownTest) -> int:
        """The methods that a test depends on: a bit for each."""
        return test.ran | self.made_by(test.starts)

    def class_bits(self, names: Iterable[str]) -> int:
        """A bit for each of these classes."""
        return _bits({name: i for i, name in enumerate(self.classes)}, names)

    def method_bits(self, names: Iterable[MethodName]) -> int:
        return _bits({name: i for i, name in enumerate(self.methods)}, names)

    def file_bits(self, names: Iterable[str]) -> int:
        return _bits({name: i for i, name in enumerate(self.opened)}, names)


def _bits(numbers: dict[Any, int], names: Iterable[Any]) -> int:
    found = 0
    for name in names:
        if name in numbers:
            found |= 1 << numbers[name]
    return found


def make(
    observed: Observed,
    program: Program,
    made: int,
    commit: str,
    dirty: dict[str, str],
    build: dict[str, str],
    top: Path | None = None,
    lifetimes: Sequence[Lifetime] = (),
) -> Recording:
    """Turns what ran into what each test depends on. `top`: the checkout's folder; `lifetimes`: of the JVMs."""
    ran = [test.ran for test in observed.tests.values()]
    reach = Reach(program.classes, [*ran, observed.outside], observed.steady)
    opened, reads = list[str](), [0] * len(ran)
    if observed.knows_files and top is not None:
        each = [test.opened for test in observed.tests.values()]
        sources = [test.source for test in observed.tests.values()]
        opened, reads = dependencies(
            reach, ran, each, sources, observed.opened_outside, Names(program.roots, top).name_of
        )
    recording = Recording(
        made,
        commit,
        dirty,
        build,
        program.files,
        {name: KnownClass.from_facts(facts) for name, facts in program.classes.items()},
        reach.names,
        reach.depends(observed.outside),
        observed.uncounted,
        hashes(opened, top, lifetimes) if top is not None else {},
    )
    recording.kept = kept(program, set[MethodName]().union(observed.outside, *ran))
    touched = dict(enumerate(_touched(reach)))
    known: dict[int, int] = {}
    for (name, test), files in zip(observed.tests.items(), reads, strict=True):
        depends = reach.depends(test.ran)
        if depends not in known:
            known[depends] = _union(touched, depends)
        status = test.status if test.is_seen or test.status == FAILED else UNSEEN
        recording.tests[name] = KnownTest(
            status, test.duration_ns, reach.bits(test.ran), reach.starts(test.ran), known[depends], files
        )
    every = 0
    for one in recording.tests.values():
        every |= one.starts
    recording.below = {start: reach.below(start) for start in bits(every)}
    recording.fields = _fields(reach)
    return recording


def _fields(reach: Reach) -> dict[str, tuple[int, int]]:
    """By static field that may change: the methods that may change it, and those that read it."""
    readers: dict[Field, int] = {}
    for number in range(len(reach.names)):
        for one in reach.state.declared(reach.facts(number).reads):
            readers[one] = readers.get(one, 0) | 1 << number
    return {
        f"{owner.replace('/', '.')}.{name}": (sum(1 << number for number in changers), readers.get((owner, name), 0))
        for (owner, name), changers in reach.changers.items()
        if changers
    }


def _touched(reach: Reach) -> list[int]:
    """The classes that each method names, with their supertypes, and its own."""
    numbers = {name: i for i, name in enumerate(reach.classes)}
    above = {name: _bits(numbers, (name, *reach.hierarchy.above(name))) for name in reach.classes}
    found = []
    for number, (owner, _) in enumerate(reach.names):
        bits = above[owner]
        for name in reach.facts(number).classes:
            bits |= above.get(name, 0)
        found.append(bits)
    return found


def _union(sets: Mapping[int, int], chosen: int) -> int:
    found = 0
    for number in bits(chosen):
        found |= sets[number]
    return found


def newest_first(recordings: Iterable[Recording]) -> list[Recording]:
    """Each test in the latest recording that has it; recordings without tests are left out."""
    seen, kept = set[str](), []
    for one in sorted(recordings, key=lambda one: -one.made):
        one.tests = {name: test for name, test in one.tests.items() if name not in seen}
        seen.update(one.tests)
        if one.tests:
            kept.append(one)
    return kept

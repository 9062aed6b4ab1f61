"""The recording of a run of tests: the dependencies of each, and the program of that time. One file in a data
directory, which CI keeps between builds.

A file has several recordings if data was merged, or if only some tests ran: of each test, the latest recording that has
it counts, and a test is compared with the program of its own recording. One to which no test belongs any more is
dropped.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from classhook.base.errors import UsageError
from classhook.base.test_words import FAILED
from classhook.extensions.selection.facts import ClassFacts
from classhook.extensions.selection.kept import kept
from classhook.extensions.selection.observed import MethodName, Observed
from classhook.extensions.selection.opened import Lifetime, Names, dependencies, hashes
from classhook.extensions.selection.program import Program
from classhook.extensions.selection.reach import Reach, bits
from classhook.extensions.selection.test_classes import is_test

FILE = "tests.selection"
FORMAT = 2
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
    """A test. `depends`, `touches`, `reads`: a bit for each of the recording's methods, classes, and files that were
    opened."""

    __test__ = False  # pytest does not take it for one of its own

    status: str
    duration_ns: int
    depends: int
    touches: int
    reads: int = 0


@dataclass(slots=True)
class Recording:
    """A run. `made`: Unix time in seconds; `commit`: what git had checked out, empty if unknown; `dirty`: hashes of
    files that differed from it; `build`: hashes of build files; `files`: of resources; `outside`: methods that ran in
    no test, a bit for each; `uncounted`: that may have run without being counted; `opened`: names of files that were
    opened (opened.py), with the hashes of those in the checkout; `kept`: what tests leave behind that is not followed
    (kept.py)."""

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
    reach = Reach(program.classes, [*ran, observed.outside])
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
    touched = _touched(reach)
    known: dict[int, int] = {}
    for (name, test), files in zip(observed.tests.items(), reads, strict=True):
        depends = reach.depends(test.ran)
        if depends not in known:
            known[depends] = _union(touched, depends)
        status = test.status if test.is_seen or test.status == FAILED else UNSEEN
        recording.tests[name] = KnownTest(status, test.duration_ns, depends, known[depends], files)
    return recording


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


def _union(sets: list[int], chosen: int) -> int:
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


# ---- the file


def write(folder: Path, recordings: list[Recording]) -> Path:
    """Writes the file, whole or not at all."""
    path = folder / FILE
    folder.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{FILE}.{os.getpid()}")
    content = {"format": FORMAT, "recordings": [_as_json(one) for one in recordings]}
    with gzip.GzipFile(part, "wb", compresslevel=6, mtime=0) as file:
        file.write(json.dumps(content, separators=(",", ":")).encode("utf-8", "surrogatepass"))
    part.replace(path)
    return path


def read(folder: Path) -> list[Recording]:
    """Raises UsageError if there is none, or it cannot be read."""
    path = folder / FILE
    try:
        with gzip.open(path) as file:
            content = json.loads(file.read().decode("utf-8", "surrogatepass"))
        if content["format"] != FORMAT:
            raise UsageError(f"{path}: written by another version of classhook; run the tests again to record them")
        return [_of_json(one) for one in content["recordings"]]
    except FileNotFoundError:
        raise UsageError(
            f"{folder}: no tests were recorded here: `classhook run --tests -e 'count com.acme.**::*' -o {folder} --"
            " ...` does"
        ) from None
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise UsageError(
            f"{path}: damaged, or not a file of recorded tests ({type(error).__name__}); run the tests again to record"
            " them"
        ) from None


def _as_json(one: Recording) -> dict[str, Any]:
    return {
        "made": one.made,
        "commit": one.commit,
        "dirty": one.dirty,
        "build": one.build,
        "files": one.files,
        "classes": {
            name: [known.shape, known.supertypes, known.annotated, known.methods] for name, known in one.classes.items()
        },
        "methods": _by_class(one.methods),
        "outside": f"{one.outside:x}",
        "uncounted": _by_class(sorted(one.uncounted)),
        "opened": one.opened,
        "kept": one.kept,
        "tests": {
            name: [test.status, test.duration_ns, f"{test.depends:x}", f"{test.touches:x}", f"{test.reads:x}"]
            for name, test in one.tests.items()
        },
    }


def _of_json(one: dict[str, Any]) -> Recording:
    return Recording(
        int(one["made"]),
        one["commit"],
        dict(one["dirty"]),
        dict(one["build"]),
        dict(one["files"]),
        {
            name: KnownClass(
                shape, list(supertypes), annotated, {method: (a, b, c) for method, (a, b, c) in methods.items()}
            )
            for name, (shape, supertypes, annotated, methods) in one["classes"].items()
        },
        _methods(one["methods"]),
        int(one["outside"], 16),
        set(_methods(one["uncounted"])),
        dict(one["opened"]),
        {
            name: KnownTest(status, int(duration), int(depends, 16), int(touches, 16), int(reads, 16))
            for name, (status, duration, depends, touches, reads) in one["tests"].items()
        },
        [*one.get("kept", ())],
    )


def _by_class(methods: Iterable[MethodName]) -> dict[str, list[str]]:
    """Methods in order of their classes."""
    found: dict[str, list[str]] = {}
    for owner, member in methods:
        found.setdefault(owner, []).append(member)
    return found


def _methods(by_class: dict[str, list[str]]) -> list[MethodName]:
    return [(owner, member) for owner, members in by_class.items() for member in members]

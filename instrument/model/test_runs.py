"""Tests: what ran, when, for how long, and how it ended. Their contexts have the counts of that time.

A test has a record in the data file when it begins, and one more when it ends, in the form of FIELDS
(instrument/agent/open_tests.py writes them).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from classhook.base.test_words import ABORTED, FAILED, FIELDS, PASSED, SKIPPED, TEST
from classhook.model.added_fields import AddedField, none

UNFINISHED = "unfinished"  # its JVM ended, or was killed, while it ran
STATUSES = (PASSED, FAILED, ABORTED, SKIPPED, UNFINISHED)


@dataclass(frozen=True, slots=True)
class TestRun:
    """One execution of a test, or of a container: a class, a parameterized method, a feature.

    context: the name of the context that has what was counted: class, method and parameters, and the number of the
    invocation class_name, method: empty if the framework has none display: the name that the framework shows kind:
    `test` or `container` status: `passed`, `failed`, `aborted` (an assumption did not hold), `skipped`, or `unfinished`
    started_unix_ns: Unix time duration_ns: from its begin to its end, with what belongs to it alone (@BeforeEach) and,
    of a container, its tests parent: the context of its container; empty: none attempt: 1, or more if it was run again
    in the same JVM thread: the name of the thread that ran it source: the framework that ran it exception: why it
    failed: class and message, and those of the cause; empty: it did not, or that is not known initialisers_ns:
    the time of static initialisers meanwhile, on all threads, 0 if the JVM does not count it pid: of its JVM
    """

    __test__ = False  # pytest does not take it for one of its own

    context: str
    class_name: str
    method: str
    display: str
    kind: str
    status: str
    started_unix_ns: int
    duration_ns: int
    parent: str
    attempt: int
    thread: str
    source: str = ""
    exception: str = ""
    initialisers_ns: int = 0
    pid: int = 0

    @property
    def is_test(self) -> bool:
        return self.kind == TEST


class Starter(NamedTuple):
    """The test that started a JVM: its context, in the JVM of this process id."""

    pid: int
    context: str


#: A part of a snapshot: what was set up once for several tests while one of them, `parent`, ran.
SET_UPS: AddedField[list[TestRun]] = AddedField(list)
#: A part of a process: the test that started it, if one did.
STARTED_BY: AddedField[Starter | None] = AddedField(none)
#: A part of a snapshot: contexts in which processes were started to which the agent was not passed on.
UNSEEN: AddedField[set[str]] = AddedField(set)


class Started(NamedTuple):
    """A process: the test in which it was started, if any, its id, and its program."""

    starter: Starter
    pid: int
    program: str


#: A part of a snapshot: the processes that were started, except those in UNSEEN contexts.
STARTED: AddedField[list[Started]] = AddedField(list)


class ClassFileSum(NamedTuple):
    """The checksum of a woven class's file. `alterable`: another agent may have changed it before."""

    crc: int
    size: int
    alterable: bool


#: A part of a snapshot: the class files that were woven, by the internal names of their classes, if contexts were told
#: apart.
CLASS_FILES: AddedField[dict[str, set[ClassFileSum]]] = AddedField(dict)


@dataclass(slots=True)
class Watched:
    """The static fields of a class that were watched from the end of its initialiser on. `changed`: those that had
    changed when a later test began; `left`: the classes whose initialisers changed a field."""

    changed: set[str] = field(default_factory=set)
    left: dict[str, set[str]] = field(default_factory=dict)


#: A part of a snapshot: by internal name, the classes whose static fields were watched.
WATCHED: AddedField[dict[str, Watched]] = AddedField(dict)

ADDED = ("", "0")  # the last fields, which older data lacks
NUMBERS = frozenset({"started_unix_ns", "duration_ns", "attempt", "initialisers_ns"})


def test_run(text: str, pid: int) -> TestRun:
    """The test that a record describes. Raises ValueError if it is damaged."""
    texts = text.split("\0")
    older = ADDED[len(texts) - len(FIELDS) :] if len(texts) < len(FIELDS) else ()
    values = dict(zip(FIELDS, [*texts, *older], strict=True))
    return TestRun(**{name: int(value) if name in NUMBERS else value for name, value in values.items()}, pid=pid)  # type: ignore[arg-type]

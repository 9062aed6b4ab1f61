"""Reads the records of tests in data files."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from classhook.base.names import shortened
from classhook.base.test_words import OPEN, OWN_RULES, SET_UP
from classhook.model.opened_files import OpenedFile, opened_file
from classhook.model.reader import Reader
from classhook.model.snapshot import Snapshot
from classhook.model.test_runs import (
    CLASS_FILES,
    SET_UPS,
    STARTED,
    STARTED_BY,
    UNFINISHED,
    UNSEEN,
    WATCHED,
    ClassFileSum,
    Started,
    Starter,
    TestRun,
    Watched,
    test_run,
)
from classhook.native._layout import lib


class TestReader(Reader):
    """The tests of one file; one that has not ended lasts until the last reading of the clock."""

    __test__ = False  # pytest does not take it for one of its own
    records = (
        *(
            lib.CH_META_TEST,
            lib.CH_META_OPENED,
            lib.CH_META_OPENER,
            lib.CH_META_STARTED_BY,
            lib.CH_META_STARTED,
            lib.CH_META_UNSEEN,
        ),
        lib.CH_META_CLASS_FILE,
        lib.CH_META_STATE,
    )

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self.by_number: dict[int, TestRun] = {}
        self.opened: list[tuple[int, OpenedFile]] = []  # each with the slot of its context
        self.openers: dict[int, str] = {}
        self.unseen: set[int] = set()  # slots of contexts
        self.started: list[tuple[int, int, str]] = []  # the slot of a context, a process id, and its program

    def record(self, kind: int, number: int, more: int, text: bytes) -> None:
        if kind == lib.CH_META_OPENED:
            self.opened.append((number, opened_file(text, more, "", self.openers)))
        elif kind == lib.CH_META_UNSEEN:
            self.unseen.add(number)
        elif kind == lib.CH_META_STARTED:
            self.started.append((number, more, text.decode("utf-8", "replace")))
        elif kind == lib.CH_META_STATE:
            self.watched(number, text.decode("utf-8", "replace"))
        elif kind == lib.CH_META_CLASS_FILE:
            one = ClassFileSum(number, more & ~lib.CH_MAY_BE_ALTERED, bool(more & lib.CH_MAY_BE_ALTERED))
            CLASS_FILES.get(self.reading.snapshot).setdefault(text.decode("utf-8", "replace"), set()).add(one)
        else:
            self.said(kind, number, text.decode("utf-8", "replace"))

    def watched(self, what: int, text: str) -> None:
        owner, _, rest = text.partition(".")
        name, _, by = rest.partition(";")
        known = WATCHED.get(self.reading.snapshot).setdefault(owner, Watched())
        if what == lib.CH_STATE_CHANGED:
            known.changed.add(name)
        elif what == lib.CH_STATE_LEFT:
            known.left.setdefault(name, set()).add(by)

    def said(self, kind: int, number: int, text: str) -> None:
        """A record that is a text."""
        process = self.reading.process
        if kind == lib.CH_META_OPENER:
            self.openers[number] = text
        elif kind == lib.CH_META_STARTED_BY:
            STARTED_BY.set(process, Starter(number, shortened(text)))
        else:
            found = test_run(text, process.pid)
            self.by_number[number] = replace(found, context=shortened(found.context), parent=shortened(found.parent))

    def in_context(self, whole: Reader) -> None:
        assert isinstance(whole, TestReader)
        for slot in (self.reading.part.contexts if self.reading.part is not None else None) or ():
            self.by_number.update((number, whole.by_number[number]) for number in whole.by_slot.get(slot, ()))

    @cached_property
    def by_slot(self) -> dict[int, list[int]]:
        """The numbers of tests, by the slots of their contexts."""
        found: dict[int, list[int]] = {}
        for number, run in self.by_number.items():
            for slot in self.reading.contexts.get(run.context, ()):
                found.setdefault(slot, []).append(number)
        return found

    def finish(self) -> int:
        process = self.reading.process
        for run in self.by_number.values():
            if run.status == OPEN:
                lasted = max(0, process.start_unix_ns + process.duration_ns - run.started_unix_ns)
                run = replace(run, status=UNFINISHED, duration_ns=lasted)
            (SET_UPS.get(self.reading.snapshot) if run.kind == SET_UP else self.reading.snapshot.tests).append(run)
        names = self.names() if self.opened or self.unseen or self.started else {}
        self.reading.snapshot.opened += self.opened_files(names)
        UNSEEN.get(self.reading.snapshot).update(names[slot] for slot in self.unseen if slot in names)
        processes = [
            Started(Starter(process.pid, names.get(slot, "")), pid, program) for slot, pid, program in self.started
        ]
        STARTED.get(self.reading.snapshot).extend(processes)
        return 0

    def names(self) -> dict[int, str]:
        """The names of contexts, by their slots."""
        return {slot: name for name, slots in self.reading.contexts.items() for slot in slots}

    def opened_files(self, names: dict[int, str]) -> list[OpenedFile]:
        return [replace(file, context=names.get(slot, "")) for slot, file in self.opened]

    @classmethod
    def conclude(cls, snapshot: Snapshot) -> None:
        snapshot.tests.sort(key=lambda run: (run.started_unix_ns, run.pid))
        for text in [
            text for text, rule in snapshot.parsed_rules.items() if rule.origin == OWN_RULES and rule.kind == "event"
        ]:
            snapshot.rules.pop(text, None)  # frameworks that are not there are no reader's business


READER = TestReader

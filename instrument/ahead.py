"""Weaving ahead of time: a woven class that carries its own probe table.

1. The class is woven as in the JVM, and gets one more attribute, last of all, so that the file ends with: the table, where the
   first number lies, how many numbers, how long the table is, and a magic word.
2. The agent finds the magic word at the end, numbers the probes and takes the table (native/sealed.c), without Python.

Without the agent a class woven ahead of time does not run: its tracker is not there.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from struct import pack
from typing import BinaryIO

from classfile.errors import ClassFormatError
from classfile.reader import ClassFile
from instrument import probes, reasons
from instrument.archive import Entry, comment, entries, in_jdk, is_jar
from instrument.errors import UsageError
from instrument.files import whole
from instrument.weave import Woven, weave
from rules.ruleset import RuleSet

ATTRIBUTE = b"Classhook"
MAGIC = b"CLSHOOK\n"
SIGNATURES = (".SF", ".RSA", ".DSA", ".EC")
BATCH = 64


def seal(woven: Woven, rules: RuleSet) -> bytes:
    """The woven class with its probe table in it; the class as it is where nothing counts in it."""
    data = woven.data
    assert data is not None
    lines = [woven.table[0], *(("U", rule.text) for rule in rules.rules), *woven.table[1:]]
    table = probes.encode(lines)
    cf = ClassFile.parse(data)
    index = cf.pool.add_utf8(ATTRIBUTE)
    info = table + pack(">III", woven.integers_at, woven.slots, len(table)) + MAGIC
    at = cf.attributes_at
    count = int.from_bytes(data[at : at + 2], "big") + 1
    pieces = [data[:8], cf.pool.to_bytes(), data[cf.pool.end_at : at], count.to_bytes(2, "big"), data[at + 2 :]]
    return b"".join([*pieces, pack(">HI", index, len(info)), info])


@dataclass(slots=True)
class Outcome:
    """What became of the classes of all inputs."""

    classes: int = 0
    woven: int = 0
    copied: int = 0
    already: int = 0
    methods: dict[int, int] = field(default_factory=dict)  # matched methods by rule
    skipped: list[tuple[str, str, str, str, str]] = field(default_factory=list)  # class, method, descriptor, reason, detail
    signed: bool = False


@dataclass(frozen=True, slots=True)
class Done:
    """One entry's new bytes and what is to be said of it."""

    entry: Entry
    data: bytes
    is_class: bool
    table: list[tuple[object, ...]]


def weave_entry(entry: Entry, rules: RuleSet, jdk: bool) -> Done:
    """Weaves one file; what is no class, or matches nothing, or cannot be woven stays as it is."""
    if not entry.is_class or entry.data.endswith(MAGIC):
        return Done(entry, entry.data, entry.is_class, [])
    try:
        woven = weave(entry.data, rules, jdk)
    except ClassFormatError as error:
        return Done(entry, entry.data, True, [("C", entry.name, ""), ("S", "", "", reasons.MALFORMED, str(error))])
    return Done(entry, entry.data if woven.data is None else seal(woven, rules), True, woven.table)


_rules: RuleSet
_jdk: bool


def _start_worker(text: str, jdk: bool) -> None:
    global _rules, _jdk
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all of us; the main process ends the workers
    from rules.compiled import loads

    _rules, _jdk = loads(text), jdk


def _work(batch: list[Entry]) -> list[Done]:
    return [weave_entry(entry, _rules, _jdk) for entry in batch]


def woven_entries(source: Path, rules: RuleSet) -> Iterator[Done]:
    """All files of an input, woven, in their order; on all processors where there are many."""
    jdk = in_jdk(source)
    batches = list(_batches(entries(source)))
    if len(batches) < 4 or (os.cpu_count() or 1) < 2:
        for batch in batches:
            yield from (weave_entry(entry, rules, jdk) for entry in batch)
        return
    from rules.compiled import dumps

    with multiprocessing.get_context("forkserver").Pool(initializer=_start_worker, initargs=(dumps(rules), jdk)) as pool:
        for done in pool.imap(_work, batches):
            yield from done


def _batches(items: Iterable[Entry]) -> Iterator[list[Entry]]:
    batch: list[Entry] = []
    for item in items:
        batch.append(item)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def write_output(source: Path, output: Path, done: Iterable[Done], outcome: Outcome) -> None:
    """Writes an input's files: a jar as a jar, others into a directory. Raises UsageError."""
    try:
        if is_jar(source):
            with whole(output) as file:
                _write_jar(source, file, done, outcome)
        else:
            for one in done:
                _note(outcome, one)
                to = output / one.entry.name
                to.parent.mkdir(parents=True, exist_ok=True)
                to.write_bytes(one.data)
    except OSError as error:
        raise UsageError(f"cannot write {error.filename or output}: {error.strerror}") from None


def _write_jar(source: Path, file: BinaryIO, done: Iterable[Done], outcome: Outcome) -> None:
    with zipfile.ZipFile(file, "w") as jar, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name that is there twice is there twice in the old jar
        jar.comment = comment(source)
        for one in done:
            _note(outcome, one)
            if _is_signature(one.entry.name):
                outcome.signed = True  # it vouches for bytes that are no longer there
                continue
            info = one.entry.info
            assert info is not None
            jar.writestr(info, one.data, compress_type=info.compress_type, compresslevel=1)


def _is_signature(name: str) -> bool:
    """Whether a jar's entry belongs to its signatures (the JAR File Specification, "Signed JAR File")."""
    folder, _, file = name.upper().rpartition("/")
    return folder == "META-INF" and (file.endswith(SIGNATURES) or file.startswith("SIG-"))


def _note(outcome: Outcome, one: Done) -> None:
    if not one.is_class:
        outcome.copied += 1
        return
    outcome.classes += 1
    outcome.woven += one.data is not one.entry.data
    outcome.already += one.entry.data.endswith(MAGIC)
    name = ""
    for letter, *fields in one.table:
        if letter == "C":
            name = str(fields[0])
        elif letter == "R":
            rule, methods = fields
            outcome.methods[int(str(rule))] = outcome.methods.get(int(str(rule)), 0) + int(str(methods))
        elif letter == "S":
            method, descriptor, reason, detail = map(str, fields)
            outcome.skipped.append((name, method, descriptor, reason, detail))

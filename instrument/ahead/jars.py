"""Weaving ahead of time: jars, folders and single classes, with all processors.

Each class is woven as in the JVM, and carries its probe table (instrument/ahead/seal.py). Without the agent it fails,
because the tracker is missing.
"""

from __future__ import annotations

import warnings
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import BinaryIO, TypeVar

from classhook.ahead import java_base
from classhook.ahead.archive import Entry, Files, Frame, frame, in_jdk, is_jar, module_of, nested
from classhook.ahead.hierarchy import Hierarchy, Known, hierarchy_for
from classhook.ahead.packing import Packed, pack, write
from classhook.ahead.seal import seal
from classhook.base.errors import UsageError
from classhook.base.files import output as opened
from classhook.base.files import whole
from classhook.base.processes import in_order
from classhook.classfile.errors import PoolFull
from classhook.probes import reasons
from classhook.probes.records import CallRecord, RuleRecord, SiteRecord, SkipRecord, ThrowRecord, WatchedWriteRecord
from classhook.rules.ruleset import RuleSet
from classhook.store.woven_ahead import is_woven
from classhook.weaving.class_weaver import Woven
from classhook.weaving.weave import weave, why_not

SIGNATURES = (".SF", ".RSA", ".DSA", ".EC")
BATCH = 64
ALONE = 4  # batches: fewer are woven sooner than a process starts
BASE_DETAIL = (
    "the JVM loads java.base before the agent defines its tracker; `classhook run` with these rules weaves it in"
    " the JVM"
)

T = TypeVar("T")
Skip = tuple[str, str, str, str, str]  # class, method, descriptor, reason, detail


@dataclass(slots=True)
class Outcome:
    """The results for all inputs."""

    classes: int = 0
    woven: int = 0
    copied: int = 0
    already: int = 0
    methods: dict[int, int] = field(default_factory=dict)  # matched methods by rule
    skipped: list[Skip] = field(default_factory=list)
    signed: bool = False


@dataclass(frozen=True, slots=True)
class Done:
    """The result for one class, or for a nested jar: its new bytes, None if it stays unchanged, or these as a jar has
    them; the rest is as in Outcome. Worker processes send it back, so it is kept small."""

    data: bytes | None = None
    packed: Packed | None = None
    already: int = 0
    methods: list[tuple[int, int]] = field(default_factory=list)
    skipped: list[Skip] = field(default_factory=list)
    classes: int = 1
    woven: int = 0
    copied: int = 0
    signed: bool = False


def woven_or_skipped(
    name: str, data: bytes, rules: RuleSet, in_jdk: bool, hierarchy: Hierarchy | None = None, source: str = ""
) -> tuple[Woven | None, list[Skip]]:
    """The woven class, None if that is impossible, and what is skipped. `name`: used if the class cannot be read."""
    try:
        known = Known(hierarchy, data, source)
        woven = weave(data, rules, in_jdk, supertypes=known.supertypes, family=known.family, source=source)
        complaints = list(known.complaints(rules, in_jdk))
    except Exception as error:  # a defect of classhook must not end the command
        return None, [(name, "", "", *why_not(error))]
    unknown = [SkipRecord("", "", reasons.SUPERTYPES, complaint) for complaint in complaints]
    woven.table += unknown if woven.table else []
    skips = [record for record in woven.table or unknown if isinstance(record, SkipRecord)]
    return woven, [(woven.name, skip.method, skip.descriptor, skip.reason, skip.detail) for skip in skips]


def matched_methods(woven: Woven) -> list[tuple[int, int]]:
    """The number of methods that each rule matches, of the rules that match the class."""
    return [(record.rule, record.methods) for record in woven.table if isinstance(record, RuleRecord)]


def matched_sites(woven: Woven) -> Counter[int]:
    """The number of sites (allocations, calls, accesses of fields, ...) that have a row with each rule, or may have."""
    found: Counter[int] = Counter()
    for record in woven.table:
        if isinstance(record, ThrowRecord):
            found.update(record.undecided)
        elif isinstance(record, (SiteRecord, CallRecord, WatchedWriteRecord)):
            found[record.rule] += 1
    return found


def weave_class(
    name: str, data: bytes, rules: RuleSet, module: str, hierarchy: Hierarchy | None = None, source: str = ""
) -> Done:
    """Weaves one class; if nothing matches, or it cannot be woven, it stays unchanged. `module`: see
    java_base.belongs."""
    if is_woven(data):
        return Done(already=1)
    woven, skipped = woven_or_skipped(name, data, rules, in_jdk(module), hierarchy, source)
    if woven is None:
        return Done(skipped=skipped)
    methods = matched_methods(woven)
    if woven.data is not None and java_base.belongs(woven.name, module):
        return Done(methods=methods, skipped=[(woven.name, "", "", reasons.BEFORE_AGENT, BASE_DETAIL)])
    try:
        sealed = None if woven.data is None else seal(woven, rules, data)
    except PoolFull:
        return Done(skipped=[(woven.name, "", "", reasons.POOL_FULL, "no room for the name of the probe table")])
    return Done(sealed, methods=methods, skipped=skipped, woven=int(sealed is not None))


def weave_nested(jar: Entry, rules: RuleSet, hierarchy: Hierarchy | None = None) -> Done:
    """Weaves the classes of a nested jar; if none is woven, it stays unchanged."""
    outcome = Outcome()
    done = [(entry, weave_entry(entry, rules, "", hierarchy)) for entry in nested(jar)]
    written = BytesIO()
    write_jar(Frame(b"", b"", 0), written, done, outcome)
    woven = outcome.woven > 0
    data = written.getvalue() if woven else None
    methods = list(outcome.methods.items())
    return Done(
        data,
        None,
        outcome.already,
        methods,
        outcome.skipped,
        outcome.classes,
        outcome.woven,
        signed=outcome.signed and woven,
    )


def weave_entry(entry: Entry, rules: RuleSet, module: str, hierarchy: Hierarchy | None) -> Done | None:
    """Weaves a class or a nested jar; None for other files that are copied, and nothing is said of them."""
    if entry.is_class:
        return weave_class(entry.name, entry.data, rules, module, hierarchy, entry.code_source)
    if entry.is_nested:
        return weave_nested(entry, rules, hierarchy)
    skipped = not_read(entry)
    return Done(skipped=skipped, classes=0, copied=1) if skipped else None


def leaves_out(skipped: Iterable[Skip]) -> bool:
    """True if a class or method was skipped; an archive that is not read may not belong to the program, and a method
    that is not compiled is woven."""
    return any(reason not in (reasons.NOT_READ, reasons.NOT_COMPILED) for _, _, _, reason, _ in skipped)


def not_read(entry: Entry) -> list[Skip]:
    """The note about an archive in an input whose classes are not read."""
    name = f"{entry.source}/{entry.name}" if entry.info is None else f"{entry.source}!/{entry.name}"
    return [(name, "", "", reasons.NOT_READ, entry.not_read)] if entry.not_read else []


@dataclass(slots=True)
class Weaver:
    """Weaves the files of an input, given by their places: what each process does."""

    files: Files
    rules: RuleSet
    module: str
    hierarchy: Hierarchy | None

    def weave(self, places: range) -> list[Done | None]:
        """The results, without what stays unchanged."""
        return [
            _packed(entry, weave_entry(entry, self.rules, self.module, self.hierarchy))
            for entry in map(self.files.__getitem__, places)
        ]


def _packed(entry: Entry, done: Done | None) -> Done | None:
    if (
        done is None
        or done.data is None
        or entry.info is None
        or (content := pack(done.data, entry.info.compress_type)) is None
    ):
        return done
    return Done(
        None, content, done.already, done.methods, done.skipped, done.classes, done.woven, done.copied, done.signed
    )


def woven_entries(files: Files, rules: RuleSet, class_path: Sequence[Path] = ()) -> Iterator[tuple[Entry, Done | None]]:
    """All files of an input, in order, and the results for classes and nested jars; those that are new have no content
    besides. Large inputs use all processors, from the moment of this call. `class_path`: where supertypes may be,
    beside the input."""
    weaver = Weaver(files, rules, module_of(files.path), hierarchy_for(rules, [files.path, *class_path]))
    batches = [range(at, min(at + BATCH, len(files))) for at in range(0, len(files), BATCH)]
    return _with_entries(
        files, in_order(batches, weaver.weave, "wove classes", processes=1 if len(batches) < ALONE else 0)
    )


def _with_entries(files: Files, results: Iterable[list[Done | None]]) -> Iterator[tuple[Entry, Done | None]]:
    for at, done in enumerate(chain.from_iterable(results)):
        unchanged = done is None or (done.data is None and done.packed is None)
        yield files[at] if unchanged else files.head(at), done


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items in lists of `size`; the last may be shorter."""
    batch: list[T] = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def write_output(source: Path, output: Path, files: Iterable[tuple[Entry, Done | None]], outcome: Outcome) -> None:
    """Writes an input's files, with their modes minus the umask: a jar as a jar, others into a directory. Raises
    UsageError."""
    to = output
    try:
        if is_jar(source):
            around = frame(source)
            with opened(output, around.mode) as file:
                write_jar(around, file, files, outcome)
        else:
            for entry, done in files:
                _note(outcome, done)
                to = output / entry.name
                with whole(to, entry.mode) as file:
                    file.write(_bytes(entry, done))
    except OSError as error:
        raise UsageError(f"cannot write {to}: {error.strerror}") from None


def _bytes(entry: Entry, done: Done | None) -> bytes:
    return entry.data if done is None or done.data is None else done.data


def write_jar(around: Frame, file: BinaryIO, files: Iterable[tuple[Entry, Done | None]], outcome: Outcome) -> None:
    file.write(around.prefix)
    with zipfile.ZipFile(file, "w") as jar, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a duplicate name is also in the old jar
        jar.comment = around.comment
        for entry, done in files:
            _note(outcome, done)
            if _is_signature(entry.name):
                outcome.signed = True  # it does not match the woven classes
                continue
            assert entry.info is not None
            write(jar, entry.info, _bytes(entry, done), done.packed if done is not None else None)


def _is_signature(name: str) -> bool:
    """True if a jar's entry belongs to its signatures (the JAR File Specification, "Signed JAR File")."""
    folder, _, file = name.upper().rpartition("/")
    return folder == "META-INF" and (file.endswith(SIGNATURES) or file.startswith("SIG-"))


def _note(outcome: Outcome, done: Done | None) -> None:
    if done is None:
        outcome.copied += 1
        return
    outcome.classes += done.classes
    outcome.woven += done.woven
    outcome.copied += done.copied
    outcome.signed |= done.signed
    outcome.already += done.already
    for rule, methods in done.methods:
        outcome.methods[rule] = outcome.methods.get(rule, 0) + methods
    outcome.skipped += done.skipped

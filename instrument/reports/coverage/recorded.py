"""Reads the coverage in data files, ours and JaCoCo's."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from classhook.base.errors import Failure, UsageError
from classhook.coverage.execfile import BadExecFile, ExecFile, Session, read
from classhook.model.snapshot import Process, Snapshot
from classhook.native._layout import lib
from classhook.reports.coverage import Format, Whole, Wishes
from classhook.reports.forms import COVERAGE, forms
from classhook.store.data_file import DataFile
from classhook.store.opening import DataError
from classhook.store.reading import read_file

if TYPE_CHECKING:
    from classhook.classfile.reader import ClassFile
    from classhook.measures.cover.reader_classes import Covered
    from classhook.measures.cover.reader_contexts import ByContext
    from classhook.reports.coverage.versions import Classes
    from classhook.rules.syntax import Rule

NO_COVERAGE = (
    "no coverage was recorded. A rule such as 'cover com.acme.**' records it: classhook run -e 'cover com.acme.**' --"
    " mvn test (data files of JaCoCo are read, too: classhook coverage -f html --classes target/classes jacoco.exec)"
)
NO_CONTEXTS = (
    "no tests or other contexts were told apart. Rules `context` do that, such as the stock rules `tests`: "
    "classhook run -r tests -e 'cover com.acme.**' -- mvn test"
)


class NoCoverage(Failure):
    """No data has coverage."""


@dataclass(slots=True)
class Request:
    """The contents of a report of coverage. `form`: its name; `classes`: jars and directories with the names of their
    groups; `only`: no other classes count; `context`: the one that it is about, "" for what ran outside of all, None
    for everything; `module`: takes the place of the form's; `found`: without `classes`, finds folders of classes: where
    some of them ran, only these count."""

    form: str
    wishes: Wishes
    classes: list[tuple[str, Path]] = field(default_factory=list)
    only: bool = False
    context: str | None = None
    module: Format | None = None
    found: Callable[[], list[Path]] = list

    @property
    def format(self) -> Format:
        """Imported only if there is something to report."""
        if self.module is not None:
            return self.module
        module: Format = forms(COVERAGE)[self.form].load()
        return module


def recorded_coverage(request: Request, files: list[Path], snapshot: Snapshot, exec_files: list[Path]) -> Whole:
    """The coverage in data files and in those of JaCoCo. `snapshot`: the other contents of the data files. Raises
    NoCoverage, UsageError."""
    from classhook.measures.cover.reader_contexts import ByContext
    from classhook.reports.coverage.cover_rules import CoverRules
    from classhook.reports.coverage.versions import Classes, versions

    notes: list[str] = []
    rules = snapshot.parsed_rules.values()
    found = [] if request.classes else request.found()
    given = request.classes or [("", path) for path in found]
    classes, only = Classes(given, _covered_by(rules), CoverRules(rules)), request.only or not request.classes
    by_context = ByContext() if request.wishes.by else None
    ran = _ran(files, classes, notes, by_context, request.context)
    lacks_said = bool(notes)
    executed = _executed(exec_files, notes)
    if not ran and not executed:
        raise NoCoverage("\n".join([*notes, NO_COVERAGE]))
    if not request.classes and not (
        found and (executed or any(one.name.replace(".", "/") in classes.by_name for one in ran))
    ):
        classes, only, given = Classes((), _covered_by(rules), CoverRules(rules)), False, []
    if executed and not given:
        raise UsageError("JaCoCo's data files contain no classes: name those that ran with --classes JAR|DIR")
    from classhook.reports.coverage.analyses import analysed

    if by_context:
        request.wishes.contexts = by_context.names
        _check_contexts(by_context, notes)
    whole = analysed(versions(ran, executed, classes, lacks_said, only), request.format, request.wishes)
    if len({one.counts for one in ran if any(one.hits)}) > 1:
        whole.notes.append("some data was recorded without `hits`: its lines have no counts")
    whole.notes[:0] = notes
    whole.complete = whole.complete and not notes
    if by_context:
        from classhook.reports.coverage.by_test import by_test

        told = [one for summary in whole.packages for one in summary.told]
        whole.by_test = by_test(request.wishes.by, by_context.names, told, snapshot)
    whole.snapshot, whole.files = snapshot, [str(path) for path in exec_files]
    whole.sessions = [session for file in executed for session in file.sessions]
    if ran:
        whole.sessions += map(_session, snapshot.processes)
    return whole


def _covered_by(rules: Iterable[Rule]) -> Callable[[ClassFile], bool]:
    """A test whether one of these rules covers a class; all are covered if no rule is about coverage."""
    from classhook.rules.ruleset import RuleSet
    from classhook.weaving.plan import match

    cover = RuleSet([rule for rule in rules if rule.kind == "cover"])

    def covers(cf: ClassFile) -> bool:
        plan = match(cf, cf.name.replace("/", "."), cover, False)
        return plan is not None and bool(plan.methods)

    return covers if cover.rules else lambda _: True


def _check_contexts(by_context: ByContext, notes: list[str]) -> None:
    """Adds a note of classes that were not told apart. Raises Failure if nothing was."""
    from classhook.base.names import several

    if len(by_context.names) == 1:
        raise Failure(NO_CONTEXTS)
    if by_context.untold:
        why = "woven ahead of time, or before a rule `context` was in force: their code counts as outside of tests"
        notes.append(
            f"{several(len(by_context.untold), 'class')} ({min(by_context.untold)}, ...) not told apart, {why}"
        )


def _ran(
    files: list[Path], classes: Classes, notes: list[str], by_context: ByContext | None, context: str | None
) -> list[Covered]:
    """The classes in our data files; further notes of these files are added to `notes`. `by_context`: filled with what
    contexts hit; `context`: the only one that counts."""
    from hashlib import sha256

    from classhook.measures.cover.reader_classes import covered

    opened: list[DataFile] = []
    for path in files:
        with suppress(DataError):  # the snapshot has a note of it
            file = read_file(path)
            opened.append(file if context is None else _within(file, context))
    before = [len(file.notes) for file in opened]
    known = {sha256(data).hexdigest(): data for data in classes.by_name.values()}
    found = covered(opened, known, by_context)
    for file, count in zip(opened, before, strict=True):
        notes += file.notes[count:]
    return found


def _within(file: DataFile, context: str) -> DataFile:
    """The counts of one context. Probes that do not count were hit outside of all."""
    found = file.within(file.context_slots().get(context, ()))
    if not context:
        found.regions |= {key: one for key, one in file.regions.items() if key[0] == lib.CH_COVER}
    return found


def _executed(paths: list[Path], notes: list[str]) -> list[ExecFile]:
    """JaCoCo's data files; those that cannot be read become notes."""
    found = []
    for path in paths:
        try:
            found.append(read(path.read_bytes()))
        except OSError as error:
            raise UsageError(f"cannot read {path}: {error.strerror}") from None
        except BadExecFile as error:
            notes.append(f"{path}: {error}; it is not in the report")
    return found


def _session(process: Process) -> Session:
    start = process.start_unix_ns // 1_000_000
    return Session(f"{process.pid}-{start:x}", start, start + process.duration_ns // 1_000_000)

"""Changes of a library, each made alone in the files of a commit of which the tests were recorded.

1. One recording serves several changes. If one does not fit, if the tests do not compile with it, or if none of those
   fails that should, the tests are recorded again, with the change's own base.
2. What came of each change is kept at once, with the classes, so that another way of selecting can be compared later.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from classhook.extensions.selection import recording
from classhook.extensions.selection.facts import ClassFacts
from classhook.extensions.selection.opened import with_other_hashes
from classhook.extensions.selection.program import read_program
from classhook.extensions.selection.record import record
from classhook.model.reading.files import data_files
from tools.compare.fetching import Failed, Fetcher
from tools.replay.building import Builder, Built
from tools.replay.changes import Change
from tools.replay.history import Commit, History, patch, short
from tools.replay.projects import Project

UNDO = {(): ("-R",), ("-R",): ()}  # options of `git apply`
UNFIT = "the tests do not compile with it, do not end, or do not fail as they should"


@dataclass(slots=True)
class Case:
    """A change that was replayed. `commit`: the number of a commit, or the name of a bug; `base`: whose tests were
    recorded; `failed`: tests that fail with it, but not before; `files`: those of the checkout that tests had opened
    and that it changes; `dropped`: why it does not count."""

    commit: str
    day: str
    title: str
    base: str = ""
    failed: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    dropped: str = ""

    @property
    def name(self) -> str:
        return short(self.commit)


@dataclass(slots=True)
class Base:
    """A commit of which the tests were recorded. `usual`: those that fail without any change."""

    commit: Commit
    folder: Path
    builder: Builder
    built: Built
    usual: set[str]


class Replay:
    """Makes changes of a project. `folder`: where all is kept."""

    def __init__(self, project: Project, history: History, fetcher: Fetcher, folder: Path) -> None:
        self.project, self.history, self.fetcher, self.folder = project, history, fetcher, folder
        os.environ["GIT_CEILING_DIRECTORIES"] = str(folder)  # the files of a commit are no checkout of this repository

    @property
    def driver(self) -> Path:
        return self.folder / "driver"

    def run(self, changes: Iterable[Change]) -> Iterator[Case]:
        """Makes these changes, without those that are kept."""
        base: Base | None = None
        for change in changes:
            case = self.kept(change)
            if case is None:
                base = base or self._base_before(change)
                case = self._run(change, base) if base else None
                if case is None and (base is None or base.commit != change.base):
                    try:
                        base = self.base(change.base)
                        case = self._run(change, base)
                    except Failed as failed:
                        print(f"{short(change.name)}: {failed}"[:500], file=sys.stderr)
                case = case or Case(change.name, change.day, change.title, dropped=UNFIT)
                self._keep(case)
            yield case

    def _base_before(self, change: Change) -> Base | None:
        """The newest recording that is kept and is an ancestor of the change's base."""
        for folder in sorted((self.folder / "bases").glob("*/commit.json"), key=lambda file: -file.stat().st_mtime):
            one = Commit(**json.loads(folder.read_text()))
            try:
                self.history.run("merge-base", "--is-ancestor", one.number, change.base.number)
            except Failed:
                continue
            return self.base(one)
        return None

    def base(self, commit: Commit) -> Base:
        """Records the tests of a commit, or takes what is kept. Raises Failed."""
        folder = self.folder / "bases" / commit.short
        builder = Builder(self.project, self.fetcher, folder / "tree")
        built = Built(folder / "classes", folder / "tests")
        kept = folder / "commit.json"
        if not kept.exists():
            shutil.rmtree(folder, ignore_errors=True)
            self.history.write(commit, builder.tree, self.project.inner)
            builder.disable()
            builder.compile(folder)
            builder.record(built, self.driver, folder / "data")
            usual = builder.run(built, self.driver).failed
            (folder / "usual.json").write_text(json.dumps(sorted(usual)))
            kept.write_text(json.dumps(asdict(commit)))
        return Base(commit, folder, builder, built, set(json.loads((folder / "usual.json").read_text())))

    def recorded(self, base: Base) -> recording.Recording:
        """The tests of a base, as the present code records them."""
        said: list[str] = []
        return record(
            data_files([base.folder / "data"]), read_program(base.built.roots), base.builder.module, said.append
        )

    def _run(self, change: Change, base: Base) -> Case | None:
        """None: the change does not fit."""
        case = Case(change.name, change.day, change.title, base.commit.number)
        if not patch(base.builder.tree, change.difference, *change.options):
            return None
        try:
            built = base.builder.compile(self.folder / "cases" / case.name)
            before, after = ({**read_program(one.roots).classes} for one in (base.built, built))
            if _same(before, after):
                case.dropped = "no class file differs"
                return case
            outcome = base.builder.run(built, self.driver)
            failed = outcome.failed - base.usual
            if failed:  # what fails now and then does not count
                failed &= base.builder.run(built, self.driver).failed
            if change.triggers and change.triggers.isdisjoint(failed):
                return None
            case.failed = sorted(failed)
            case.files = with_other_hashes(self.opened(base), base.builder.module)
        except Failed:
            return None
        finally:
            patch(base.builder.tree, change.difference, *UNDO[change.options])
        return case

    def opened(self, base: Base) -> dict[str, str]:
        """The names of files that the tests opened, with hashes."""
        file = base.folder / "opened.json"
        if not file.exists():
            file.write_text(json.dumps(self.recorded(base).opened))
        return dict(json.loads(file.read_text()))

    def classes(self, case: Case) -> Built:
        folder = self.folder / "cases" / case.name
        return Built(folder / "classes", folder / "tests")

    def _keep(self, case: Case) -> None:
        folder = self.folder / "cases" / case.name
        if case.dropped:
            shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "case.json").write_text(json.dumps(asdict(case), indent=1) + "\n")

    def kept(self, change: Change) -> Case | None:
        file = self.folder / "cases" / short(change.name) / "case.json"
        return Case(**json.loads(file.read_text())) if file.exists() else None

    def all_kept(self) -> list[Case]:
        """The oldest first."""
        files = (self.folder / "cases").glob("*/case.json")
        return sorted((Case(**json.loads(file.read_text())) for file in files), key=lambda one: (one.day, one.commit))


def _same(before: dict[str, ClassFacts], after: dict[str, ClassFacts]) -> bool:
    def said(classes: Iterable[ClassFacts]) -> dict[str, tuple[str, dict[str, tuple[str, str]]]]:
        return {
            one.name: (one.shape, {name: (method.signature, method.body) for name, method in one.methods.items()})
            for one in classes
        }

    return said(before.values()) == said(after.values())

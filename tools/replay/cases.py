"""Commits, each applied to a commit before it of which the tests were recorded, or taken back from a later one.

1. One recording serves neighbouring commits: what each of them changes is applied to the same files, as far as it
   fits and the tests still compile. Otherwise the tests are recorded again, on the commit's own parent.
2. One recording serves commits that are taken back, each without the others, as far as that fits and the tests still
   compile. Otherwise the tests are recorded again, with the commit.
3. What came of each commit is kept at once, with the classes, so that another way of selecting can be compared later.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path

from classhook.extensions.selection import recording
from classhook.extensions.selection.facts import ClassFacts
from classhook.extensions.selection.opened import with_other_hashes
from classhook.extensions.selection.program import read_program
from classhook.extensions.selection.record import record
from classhook.model.reading.files import data_files
from tools.compare.fetching import Failed, Fetcher
from tools.replay.building import Builder, Built
from tools.replay.history import Commit, History, patch
from tools.replay.projects import Project


@dataclass(slots=True)
class Case:
    """A commit that was replayed. `base`: whose tests were recorded; `failed`: tests that fail with it, but not before;
    `files`: those of the checkout that tests had opened and that it changes; `dropped`: why it does not count."""

    commit: str
    day: str
    title: str
    base: str = ""
    failed: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    dropped: str = ""


@dataclass(slots=True)
class Base:
    """A commit of which the tests were recorded. `usual`: those that fail without any change."""

    commit: Commit
    folder: Path
    builder: Builder
    built: Built
    usual: set[str]


class Replay:
    """Runs commits of a project. `folder`: where all is kept; `back`: they are taken back."""

    def __init__(self, project: Project, history: History, fetcher: Fetcher, folder: Path, back: bool = False) -> None:
        self.project, self.history, self.fetcher, self.folder, self.back = project, history, fetcher, folder, back
        os.environ["GIT_CEILING_DIRECTORIES"] = str(folder)  # the files of a commit are no checkout of this repository

    @property
    def driver(self) -> Path:
        return self.folder / "driver"

    def run(self, number: int) -> Iterator[Case]:
        """The newest commits that change the library's code, at most so many, from the oldest of them on; those that
        are taken back also change its tests, which may fail without them."""
        paths = [self.project.path(f"src/{one}/java") for one in ("main", *(["test"] if self.back else []))]
        wanted = [*islice(self.history.commits(*paths), number)]
        if self.back:
            yield from self._take_back(wanted)
            return
        base: Base | None = None
        for commit in reversed(wanted):
            if (known := self.kept(commit)) is not None:
                yield known
                continue
            if base is None:
                base = self._base_with(commit)
            case = self._run(commit, base)
            if case is None:
                base = self.base(self.history.parent(commit))
                case = self._run(commit, base) or Case(
                    commit.number,
                    commit.day,
                    commit.title,
                    dropped="the tests of its parent do not compile or end with it",
                )
            self._keep(case)
            yield case

    def _take_back(self, wanted: Sequence[Commit]) -> Iterator[Case]:
        base: Base | None = None
        for commit in wanted:
            case = self.kept(commit)
            if case is None and base is not None:
                case = self._run(commit, base)
            if case is None:
                try:
                    base = self.base(commit)
                    case = self._run(commit, base)
                except Failed as failed:
                    print(f"{commit.short}: {failed}"[:500], file=sys.stderr)
            case = case or Case(
                commit.number, commit.day, commit.title, dropped="its tests do not compile or end without it"
            )
            self._keep(case)
            yield case

    def _base_with(self, commit: Commit) -> Base:
        """The newest recording that is there and is an ancestor of the commit, or one of its parent."""
        for folder in sorted((self.folder / "bases").glob("*/commit.json"), key=lambda file: -file.stat().st_mtime):
            one = Commit(**json.loads(folder.read_text()))
            try:
                self.history.run("merge-base", "--is-ancestor", one.number, commit.number)
            except Failed:
                continue
            return self.base(one)
        return self.base(self.history.parent(commit))

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

    def _run(self, commit: Commit, base: Base) -> Case | None:
        """None: the commit does not fit."""
        case = Case(commit.number, commit.day, commit.title, base.commit.number)
        change = self.history.diff(commit, self.project.path("src/main"))
        apply, undo = (("-R",), ()) if self.back else ((), ("-R",))
        if not patch(base.builder.tree, change, *apply):
            return None
        try:
            built = base.builder.compile(self.folder / "cases" / commit.short)
            before, after = ({**read_program(one.roots).classes} for one in (base.built, built))
            if _same(before, after):
                case.dropped = "no class file differs"
                return case
            outcome = base.builder.run(built, self.driver)
            failed = outcome.failed - base.usual
            if failed:  # what fails now and then does not count
                failed &= base.builder.run(built, self.driver).failed
            case.failed = sorted(failed)
            case.files = with_other_hashes(self.opened(base), base.builder.module)
        except Failed:
            return None
        finally:
            patch(base.builder.tree, change, *undo)
        return case

    def opened(self, base: Base) -> dict[str, str]:
        """The names of files that the tests opened, with hashes."""
        file = base.folder / "opened.json"
        if not file.exists():
            file.write_text(json.dumps(self.recorded(base).opened))
        return dict(json.loads(file.read_text()))

    def classes(self, case: Case) -> Built:
        folder = self.folder / "cases" / case.commit[:10]
        return Built(folder / "classes", folder / "tests")

    def _keep(self, case: Case) -> None:
        folder = self.folder / "cases" / case.commit[:10]
        if case.dropped:
            shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "case.json").write_text(json.dumps(asdict(case), indent=1) + "\n")

    def kept(self, commit: Commit) -> Case | None:
        file = self.folder / "cases" / commit.short / "case.json"
        return Case(**json.loads(file.read_text())) if file.exists() else None

    def all_kept(self) -> list[Case]:
        """By base, the oldest commit first."""
        files = (self.folder / "cases").glob("*/case.json")
        return sorted((Case(**json.loads(file.read_text())) for file in files), key=lambda one: (one.day, one.commit))


def _same(before: dict[str, ClassFacts], after: dict[str, ClassFacts]) -> bool:
    def said(classes: Iterable[ClassFacts]) -> dict[str, tuple[str, dict[str, tuple[str, str]]]]:
        return {
            one.name: (one.shape, {name: (method.signature, method.body) for name, method in one.methods.items()})
            for one in classes
        }

    return said(before.values()) == said(after.values())

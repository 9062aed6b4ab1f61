"""The changes that are replayed: commits that are applied, commits that are taken back, and bugs of Defects4J.

1. A commit is applied to a commit before it, at the latest its parent: the oldest one first.
2. A commit is taken back from one after it, or from itself, the newest one first: what it changed in the library goes,
   what it changed in the tests stays.
3. For each bug, Defects4J (https://github.com/rjust/defects4j) has a patch that undoes the fix, and the names of the
   tests that fail without the fix.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from tools.compare.fetching import Failed
from tools.replay.history import Commit, History
from tools.replay.projects import Project

TRIGGER = re.compile(r"^--- ([\w.$]+)(?:::(\w+))?", re.M)  # a class, and a method
PROJECTS = "HEAD:framework/projects"
BACK, BUGS = "back", "bugs"  # kinds of changes, beside those that are applied


@dataclass(frozen=True, slots=True)
class Change:
    """`name`: of a bug, or a commit's number; `base`: the commit that it always fits; `difference`: as git prints it;
    `options`: of `git apply`; `triggers`: tests of which one must fail."""

    name: str
    day: str
    title: str
    base: Commit
    difference: bytes
    options: tuple[str, ...] = ()
    triggers: frozenset[str] = frozenset()


def applied(history: History, project: Project, number: int) -> Iterator[Change]:
    """The newest commits that change the library's code, the oldest of them first."""
    wanted = [*islice(history.commits(project.path("src/main/java")), number)]
    for one in reversed(wanted):
        change = history.diff(one, project.path("src/main"))
        yield Change(one.number, one.day, one.title, history.parent(one), change)


def taken_back(history: History, project: Project, number: int) -> Iterator[Change]:
    """The newest commits that change the library's code and its tests, the newest first."""
    for one in islice(history.commits(*map(project.path, ("src/main/java", "src/test/java"))), number):
        yield Change(one.number, one.day, one.title, one, history.diff(one, project.path("src/main")), ("-R",))


def bugs(history: History, project: Project, defects4j: History) -> list[Change]:
    """The bugs that Defects4J calls active and whose commits the clone has, the newest first. Raises Failed."""
    folder = f"{PROJECTS}/{project.defects4j}"
    table = defects4j.run("show", f"{folder}/active-bugs.csv").decode()
    found = []
    for number, _, fixed, report, *_ in (line.split(",") for line in table.splitlines()[1:]):
        try:
            commit = history.commit(fixed)
        except Failed:  # the clone lacks it
            continue
        patch = defects4j.run("show", f"{folder}/patches/{number}.src.patch")
        said = defects4j.run("show", f"{folder}/trigger_tests/{number}").decode(errors="replace")
        triggers = frozenset(f"{one[1]}#{one[2] or '*'}" for one in TRIGGER.finditer(said))
        title = report if report != "UNKNOWN" else commit.title
        found.append(Change(f"{project.defects4j}-{number}", commit.day, title, commit, patch, (), triggers))
    return sorted(found, key=lambda one: one.day, reverse=True)

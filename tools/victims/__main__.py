"""`python -m tools.victims REPOSITORIES`: tries `classhook blame` on order-dependent tests of real projects.

REPOSITORIES is a folder with git repositories, `owner+name/repo`, and that of the dataset iDFlakies, which lists the
tests and, for many, those that pollute them.

1. A victim is run alone: it passes. Then it is run after other tests of its project, in random orders,
   until it fails; if that takes long, a test that the dataset calls a polluter is moved to where nothing undoes it.
2. `classhook blame` names candidates from these two runs.
3. The truth: each of the first candidates runs with the victim, in a JVM of their own, without classhook. It is right if
   the victim then fails, or passes if it needs another test.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import random
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from classhook.extensions.selection.hierarchy import Hierarchy
from classhook.extensions.selection.program import read_program
from classhook.extensions.selection.test_classes import tests_of
from tests.conftest import ENVIRONMENT
from tests.coverage.conftest import PEERS
from tools.compare.fetching import Failed, Fetcher, tool
from tools.victims.projects import PROJECTS, Built, build

DATASET = "TestingResearchIllinois/idoft"
CLASSHOOK = (sys.executable, "-m", "classhook.cli")
PATIENCE = 900
SUITE = 150  # tests before the victim, at most
ORDERS = 4  # orders that are tried
FREE = 1  # of them, without help of the dataset
TRIED = 3  # candidates


@dataclass
class Victim:
    """`polluters`, `cleaners`: the tests that the dataset says pollute it, or undo that; of one that needs others,
    `polluters` are these."""

    project: str
    test: str
    is_brittle: bool = False
    polluters: set[str] = field(default_factory=set)
    cleaners: set[str] = field(default_factory=set)


def victims(repositories: Path) -> list[Victim]:
    """Reads the victims from the dataset: those whose polluters it has, then others."""
    idoft = repositories / DATASET.replace("/", "+") / "repo"
    names: dict[str, list[str]] = {}  # of projects, by commit; one lacks the tests of other modules
    for name, project in PROJECTS.items():
        names.setdefault(project.commit, []).append(name)
    found: dict[tuple[str, str], Victim] = {}
    for row in csv.reader(io.StringIO(tool("git", "-C", idoft, "show", "HEAD:odr-tests.csv"))):
        for name in names.get(row[1], ()):
            one = found.setdefault((name, row[3]), Victim(name, _sharp(row[3])))
            one.polluters.add(_sharp(row[4]))
            one.cleaners |= {_sharp(row[5])} - {""}
    for row in csv.reader(io.StringIO(tool("git", "-C", idoft, "show", "HEAD:pr-data.csv"))):
        for name in names.get(row[1], ()) if row[4].startswith("OD") else ():
            found.setdefault((name, row[3]), Victim(name, _sharp(row[3])))
    return [*found.values()]


def _sharp(test: str) -> str:
    return "#".join(test.rsplit(".", 1))


class Project:
    """A built project."""

    def __init__(self, built: Built, scratch: Path) -> None:
        self.built, self.scratch = built, scratch
        scratch.mkdir(parents=True, exist_ok=True)
        program = read_program(built.roots)
        self.tests = sorted(tests_of(program.classes, Hierarchy(program.classes)))

    def run(self, order: list[str], data: Path | None = None) -> set[str]:
        """The tests that failed, and containers."""
        (self.scratch / "order").write_text("\n".join(order))
        out = self.scratch / "failed"
        out.unlink(missing_ok=True)
        java = ["java", "-Xmx1g", "-cp", self.built.path, "Ordered", self.scratch / "order", out]
        rule = f"count {self.built.project.package}.**::*"
        line = [*CLASSHOOK, "run", "--quiet", "--tests", "-e", rule, "-o", data, "--", *java] if data else java
        done = subprocess.run(
            list(map(str, line)),
            cwd=self.built.folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            env=ENVIRONMENT,
            errors="replace",
        )
        if not out.exists():
            raise Failed(f"{order[-1]}: {done.stdout[-500:]}{done.stderr[-1000:]}")
        return {line.partition("\t")[0] for line in out.read_text().splitlines()}

    def fails(self, test: str, order: list[str], data: Path | None = None) -> bool:
        return any(_is(one, test) for one in self.run([*order, test], data))

    def shuffled(self, victim: Victim, seed: int) -> list[str]:
        """All other tests in a random order; after some failed tries, one that the dataset calls a polluter is moved
        behind all that it calls cleaners, to a random place."""
        chance = random.Random(seed)
        others = [one for one in self.tests if one != victim.test]
        chance.shuffle(others)
        del others[SUITE:]
        if seed >= FREE and (known := sorted(victim.polluters & {*self.tests})):
            polluter = chance.choice(known)
            others = [one for one in others if one != polluter]
            last = max((i + 1 for i, one in enumerate(others) if one in victim.cleaners), default=0)
            others.insert(chance.randint(last, len(others)), polluter)
        return others


def _is(unique: str, test: str) -> bool:
    owner, _, method = test.partition("#")
    return owner in unique and (f"[test:{method}(" in unique or f"[method:{method}(" in unique)


def recorded(project: Project, victim: Victim, folder: Path) -> tuple[Path, Path, str]:
    """Data of a run in which it failed, and of one in which it passed, and how the order was found. They are kept.
    Raises Failed."""
    alone, suite, kept = folder / "alone", folder / "suite", folder / "seed"
    if not kept.exists():
        _erase(alone)
        victim.is_brittle = project.fails(victim.test, [], alone)
        for seed in range(ORDERS):
            _erase(suite)
            if project.fails(victim.test, project.shuffled(victim, seed), suite) != victim.is_brittle:
                break
        else:
            raise Failed("not reproduced: it ends the same in the suite")
        how = "random order" if seed < FREE or not victim.polluters else "random order with a polluter moved"
        kept.write_text(f"{'fails' if victim.is_brittle else 'passes'} alone; {how} {seed}")
    victim.is_brittle = kept.read_text().startswith("fails")
    good, bad = (suite, alone) if victim.is_brittle else (alone, suite)
    return good, bad, kept.read_text()


def _erase(folder: Path) -> None:
    if folder.exists():
        tool("rm", "-r", folder)


def blamed(project: Project, victim: Victim, good: Path, bad: Path) -> dict[str, Any]:
    """Runs `classhook blame` for a victim, and returns what it says. Raises Failed."""
    roots = [word for root in project.built.roots for word in ("--classes", root)]
    line = [*CLASSHOOK, "blame", victim.test.replace("#", "::"), bad, "--since", good, "-f", "json", *roots]
    words = [*map(str, line)]
    done = subprocess.run(words, cwd=project.scratch, capture_output=True, text=True, env=ENVIRONMENT, errors="replace")
    if not done.stdout.startswith("{"):
        raise Failed(f"blame: {done.stderr[-1500:]}")
    (one,) = json.loads(done.stdout)["tests"]
    return dict(one)


def judged(project: Project, victim: Victim, names: list[str], folder: Path) -> dict[str, bool]:
    """Returns whether each of these tests, alone before the victim, changes how the victim ends."""
    file = folder / "pairs.json"
    known: dict[str, bool] = json.loads(file.read_text()) if file.exists() else {}
    for name in names:
        if name not in known:
            known[name] = project.fails(victim.test, [name]) != victim.is_brittle
            file.write_text(json.dumps(known))
    return known


def tried(project: Project, victim: Victim) -> dict[str, Any]:
    folder = project.scratch / victim.test.replace("#", ".")
    row: dict[str, Any] = {"project": victim.project, "test": victim.test}
    good, bad, how = recorded(project, victim, folder)
    one = blamed(project, victim, good, bad)
    order = one["order"] or {"before": 0, "candidates": []}
    names = [_sharp_of(candidate["test"]) for candidate in order["candidates"]]
    right = judged(project, victim, names[:TRIED], folder)
    first = [
        {"test": name, "right": right[name], "state": candidate["state"], "score": candidate["score"]}
        for name, candidate in zip(names[:TRIED], order["candidates"], strict=False)
    ]
    return row | {
        "order": how,
        "exception": one["exception"],
        "before": order["before"],
        "candidates": len(names),
        "first": first,
        "right": next((i for i, found in enumerate(first, 1) if found["right"]), None),
        "rank in dataset": next((i for i, name in enumerate(names, 1) if name in victim.polluters), None),
    }


def _sharp_of(context: str) -> str:
    return context.replace("::", "#").partition(" [")[0].partition("(")[0]


def main() -> None:
    parser = argparse.ArgumentParser(
        "python -m tools.victims", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("repositories", type=Path)
    parser.add_argument("projects", nargs="*")
    parser.add_argument("--most", type=int, default=4, help="victims of a project")
    parser.add_argument("--test", default="")
    args = parser.parse_args()
    every = victims(args.repositories)
    for name in args.projects or PROJECTS:
        try:
            project = Project(build(name, args.repositories, Fetcher(PEERS)), PEERS / "victims" / name / "runs")
        except Failed as failed:
            print(json.dumps({"project": name, "result": str(failed)[-1500:]}), flush=True)
            continue
        for one in [
            one for one in every if one.project == name and args.test in one.test and one.test in project.tests
        ][: args.most]:
            try:
                print(json.dumps(tried(project, one)), flush=True)
            except (Failed, subprocess.TimeoutExpired) as failed:
                print(json.dumps({"project": name, "test": one.test, "result": str(failed)[:1500]}), flush=True)


if __name__ == "__main__":
    main()

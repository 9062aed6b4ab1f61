"""`python -m tools.mutants LIBRARY`: changes methods of a library, runs all of its tests for each change, and
compares those that fail with those that `classhook select` selects.

1. The library and its tests are built, and the tests are run once with `classhook run --tests`, which is what is
   recorded.
2. Mutants are chosen at random, always the same ones. What came of each is kept at once: a run that was interrupted
   goes on where it was.
3. What fails without a mutant as well does not count. A mutant that does not end, and one with a missed test, runs once
   more in a JVM of its own, with more time; what fails both times counts.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from classhook.extensions.selection import recording
from classhook.extensions.selection.program import read_program
from classhook.extensions.selection.reach import Reach
from classhook.extensions.selection.record import record
from classhook.model.reading.files import data_files
from tests.conftest import ENVIRONMENT, run_line
from tests.coverage.conftest import PEERS
from tools.compare.fetching import Failed, Fetcher
from tools.compare.libraries import Workshop
from tools.mutants import proof
from tools.mutants.libraries import LIBRARIES, Subject, build
from tools.mutants.points import Point, points
from tools.mutants.worker import Outcome, Worker

SEED = 17
PATIENCE = 3600.0  # seconds of CPU time, for the first run
SLOWER, STARTING = (
    5,
    10.0,
)  # a mutant hangs if it takes this many times as long as the tests take, and so many seconds more


def chosen(subject: Subject, number: int) -> list[Point]:
    """Mutants at random."""
    every = [point for file in sorted(subject.classes.rglob("*.class")) for point in points(file.read_bytes())]
    random.Random(SEED).shuffle(every)
    return every[:number]


def kept(file: Path) -> dict[str, dict[str, Any]]:
    """Reads the results of mutants in earlier runs."""
    lines = file.read_text().splitlines() if file.exists() else []
    return {one["mutant"]: one for one in map(json.loads, lines)}


def run_mutants(subject: Subject, mutants: list[Point], file: Path) -> None:
    """Runs those of which nothing is known yet."""
    known = kept(file)
    scratch = file.with_suffix(".class")
    worker = Worker([*subject.line], subject.folder, PATIENCE)
    with open(file, "a") as out:

        def keep(mutant: str, outcome: Outcome) -> None:
            content = {
                "mutant": mutant,
                "failed": sorted(outcome.failed),
                "hung": outcome.hung or outcome.died,
                "seconds": round(outcome.seconds, 2),
            }
            out.write(json.dumps(content) + "\n")
            out.flush()

        first = worker.run()
        again = worker.run()
        worker.most = SLOWER * again.seconds + STARTING
        if "-" not in known:
            first.failed |= again.failed
            keep("-", first)
        for number, point in enumerate(mutants, 1):
            if str(point) in known:
                continue
            scratch.write_bytes(mutant(subject, point))
            outcome = worker.run(point.class_name.replace("/", "."), scratch)
            if outcome.hung or outcome.died:
                outcome = alone(subject, scratch, point, worker.most)
            keep(str(point), outcome)
            print(
                f"[{number}/{len(mutants)}] {point}: {len(outcome.failed)}"
                f" failed{', does not end' if outcome.hung else ''}",
                flush=True,
            )
    worker.stop()


def mutant(subject: Subject, point: Point) -> bytes:
    return point.mutate((subject.classes / f"{point.class_name}.class").read_bytes())


def alone(subject: Subject, file: Path, point: Point, most: float) -> Outcome:
    """A mutant's run in a JVM of its own."""
    worker = Worker([*subject.line], subject.folder, most)
    try:
        return worker.run(point.class_name.replace("/", "."), file)
    finally:
        worker.stop()


def recorded(subject: Subject, folder: Path) -> recording.Recording:
    """The tests, as `classhook run --tests` recorded them; kept. Raises UsageError."""
    data = folder / "data"
    if not data.exists():
        line = run_line([f"count {subject.package}.**::*", "tests"], data, subject.line)
        subprocess.run(
            list(map(str, line)),
            input=b"-\t-\n",
            stdout=subprocess.DEVNULL,
            check=True,
            cwd=subject.folder,
            env=ENVIRONMENT,
        )
    return record(data_files([data]), read_program([subject.classes, subject.tests]), subject.classes, print)


def compared(
    subject: Subject, known: recording.Recording, mutants: list[Point], results: dict[str, dict[str, Any]]
) -> proof.Proof:
    program, found = read_program([subject.classes, subject.tests]), proof.Proof()
    usual = set(results["-"]["failed"])
    for point in mutants:
        if str(point) in results:
            one = results[str(point)]
            proof.add(found, known, program, point, mutant(subject, point), set(one["failed"]) - usual, one["hung"])
    return found


def confirmed(subject: Subject, found: proof.Proof, file: Path) -> Iterator[tuple[Point, str]]:
    """Finds the missed tests that fail again, each with its mutant."""
    for point in dict.fromkeys(point for point, _ in found.missed):
        file.write_bytes(mutant(subject, point))
        outcome = alone(subject, file, point, PATIENCE)
        yield from [one for one in found.missed if one[0] == point and one[1] in outcome.failed]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("library", choices=LIBRARIES)
    parser.add_argument("-n", "--mutants", type=int, default=500)
    parser.add_argument(
        "--cache", type=Path, default=PEERS.parent / "mutants", help="where what was fetched and found is kept"
    )
    parser.add_argument(
        "--without-state",
        action="store_true",
        help="as if tests depended only on what ran in them, to see what that would miss",
    )
    parser.add_argument("--compare", action="store_true", help="run no further mutants; compare those that ran")
    arguments = parser.parse_args()
    cache = arguments.cache.resolve()
    try:
        subject = build(arguments.library, Workshop(Fetcher(cache), cache / "built"))
    except Failed as failed:
        print(f"mutants: {failed}", file=sys.stderr)
        return 2
    folder = cache / arguments.library
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "results.jsonl"
    mutants = chosen(subject, arguments.mutants)
    if arguments.without_state:
        Reach.state_of = lambda self, number: []  # type: ignore[method-assign]
    known = recorded(subject, folder)
    if not arguments.compare:
        run_mutants(subject, mutants, file)
    found = compared(subject, known, mutants, kept(file))
    if not arguments.without_state:
        found.missed = list(confirmed(subject, found, folder / "again.class"))
    for point, name in found.missed:
        print(f"missed: {name}\n    {point}")
    print(f"{arguments.library}: {len(known.tests):,} tests; {found}")
    return 1 if found.missed else 0


if __name__ == "__main__":
    sys.exit(main())

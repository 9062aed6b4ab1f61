"""`python -m tools.compare.by_test`: compares the coverage of single tests in a run of all with that of each test
alone, under JaCoCo's agent.

1. All tests of a library run once, with a rule `context` for its tests. Some of them, evenly spread, run alone with
   JaCoCo's agent.
2. A test that covers other lines in the run of all runs alone with `cover`, too: if that is what JaCoCo's agent says,
   the lines depend on what ran before, and not on who counted. Else it is a difference.
3. Lines are told by what they are: of static initialisers, which run once; of set-up and tear-down, which run outside
   of the test's method; others, which depend on what earlier tests left, such as caches.

Prints the tests whose lines differ, and a row for the table in docs/explained/coverage-compared.md.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from classhook.api.reading import read_data
from classhook.coverage.analysis import analyze
from classhook.coverage.class_id import class_id
from classhook.coverage.execfile import read
from classhook.reports.coverage import Wishes
from classhook.reports.coverage.by_test import ByTest, Files
from classhook.reports.coverage.context_coverage import numbers
from classhook.reports.coverage.recorded import Request, recorded_coverage
from tests import peers
from tests.conftest import run_line
from tests.coverage.conftest import PEERS, class_files
from tools.compare.fetching import Failed, Fetcher
from tools.compare.libraries import LIBRARIES, Built, Workshop
from tools.compare.running import execute

TESTS = "context **::@Test *"
METHOD = re.compile(r"([\w.$]+)\.(\w+)")
INITIALISER, SET_UP, STATE, MORE = (
    "static initialisers",
    "set-up and tear-down",
    "what earlier tests left",
    "only in the run of all",
)
Lines = set[tuple[str, int]]


@dataclass
class Compared:
    """The numbers of tests that were compared, of tests that are the same, of lines, and of lines that differ, by
    reason; `differ`: the differences of tests that run alone."""

    tests: int = 0
    same: int = 0
    lines: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    differ: list[str] = field(default_factory=list)


def lines_of(files: Iterable[Files]) -> Lines:
    return {(source, line) for some in files for source, one in some.items() for line in numbers(one.lines)}


def of_jacoco(file: Path, classes: dict[int, bytes]) -> Lines:
    """The lines that ran, by a data file of JaCoCo's, whose analysis ours equals (running.py)."""
    found: Lines = set()
    for id_, executed in read(file.read_bytes()).classes.items():
        if id_ in classes:
            one = analyze(classes[id_], executed.probes)
            source = f"{one.package}/{one.source}".lstrip("/") if one.source else one.name
            found |= {(source, line) for line, four in one.lines.items() if four[1]}
    return found


def initialisers(classes: Iterable[bytes]) -> Lines:
    """The lines of static initialisers."""
    found: Lines = set()
    for data in classes:
        one = analyze(data)
        source = f"{one.package}/{one.source}".lstrip("/") if one.source else one.name
        found |= {(source, line) for method in one.methods if method.name == "<clinit>" for line in method.lines}
    return found


def ours(built: Built, data: Path, words: Iterable[str | Path]) -> ByTest:
    """A run with `cover`, by test."""
    shutil.rmtree(data, ignore_errors=True)
    rules = [TESTS, *(f"cover {name}.**" for name in built.packages)]
    execute(run_line(rules, data, [Workshop.jdk(built.release) / "java", *words]), built.folder)
    recorded = read_data([data])
    request = Request("json", Wishes(by="context"), classes=[("", built.classes)], only=True)
    found = recorded_coverage(request, recorded.files, recorded.snapshot, []).by_test
    assert found is not None
    return found


def compare(built: Built, agent: Path, scratch: Path, most: int) -> Compared:
    scratch.mkdir(parents=True, exist_ok=True)
    found = Compared()
    contents = list(class_files(built.classes))
    classes = {class_id(data): data for data in contents}
    once = initialisers(contents)
    every = {one.name: one for one in ours(built, scratch / "all", built.words).tests}
    names = sorted(name for name in every if METHOD.fullmatch(name))
    chosen = names[:: max(1, len(names) // most)][:most]
    launch = list(built.words)
    at = launch.index("--scan-classpath")
    java = Workshop.jdk(built.release) / "java"
    includes = ":".join(f"{name}.*" for name in built.packages)
    for number, name in enumerate(chosen, 1):
        matched = METHOD.fullmatch(name)
        assert matched
        words = [*launch[:at], f"--select-method={matched[1]}#{matched[2]}"]
        file = scratch / "alone.exec"
        file.unlink(missing_ok=True)
        try:
            execute([java, f"-javaagent:{agent}=destfile={file},includes={includes}", *words], built.folder)
        except Failed:
            continue  # it is inherited, or another test of the class has the same name
        together, alone = lines_of([every[name].files]), of_jacoco(file, classes)
        found.tests += 1
        found.lines += len(alone)
        if together == alone:
            found.same += 1
            continue
        by_us = ours(built, scratch / "alone", words)
        own = lines_of(one.files for one in by_us.tests if one.name == name)
        if (whole := own | lines_of([by_us.outside, *(one.files for one in by_us.tests)])) != alone:
            found.differ.append(f"{name}: alone, {sorted(whole ^ alone)[:5]} differ")
        why = Counter(
            INITIALISER if line in once else SET_UP if line not in own else STATE for line in alone - together
        )
        why[MORE] += len(together - alone)
        found.reasons += why
        states = sorted(line for line in alone - together if line not in once and line in own)
        print(f"[{number}/{len(chosen)}] {name}: {dict(+why)} {states[:4]} {sorted(together - alone)[:4]}", flush=True)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.compare.by_test", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("-l", "--library", choices=("lang", "collections", "jsoup", "gson"), default="jsoup")
    parser.add_argument("-n", "--tests", type=int, default=50, help="how many of its tests run alone (default: 50)")
    parser.add_argument("--cache", type=Path, default=PEERS.parent / "compare", help="where what was fetched is kept")
    chosen = parser.parse_args()
    cache = chosen.cache.resolve()
    shop = Workshop(Fetcher(cache), cache / "built").inner(f"{chosen.library}-by-test")
    try:
        built = LIBRARIES[chosen.library].build(shop, "javac17")
        found = compare(built, shop.fetcher.jar(peers.JACOCO), shop.scratch / "runs", chosen.tests)
    except Failed as failed:
        print(f"compare: {failed}", file=sys.stderr)
        return 2
    for text in found.differ:
        print(text)
    reasons = " | ".join(f"{found.reasons[why]:,}" for why in (INITIALISER, SET_UP, STATE, MORE))
    print(
        f"| {LIBRARIES[chosen.library].title} | {found.tests} | {found.lines:,} | {found.same} | {reasons} |"
        f" {len(found.differ)} |"
    )
    return 1 if found.differ else 0


if __name__ == "__main__":
    sys.exit(main())

"""HotSpot's own tests of JVMTI, JDI, java.lang.instrument, the verifier and the class file parser, and the tests of
java.util.concurrent.

1. The source is Debian's package of a JDK; the JVM is this machine's, which may be older: tests that fail without
   classhook, too, have the same verdict.
2. `count jdk` weaves the classes of the tests and of the JDK, so everything that the tests ask JVMTI, reflection or the
   verifier about is woven code.
3. The verdict that a test should have is `Passed`. One that has another with classhook runs without it, too, and if
   that differs, and nothing explains it, is repeated alone, both ways.
4. Tests that need a newer JDK run in the root folder of `make next-jdks` (`--root`), where this suite calls itself.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable, Iterator
from functools import partial

from tools.compare.fetching import Failed
from tools.strangers.outcome import Outcome, Row, compared
from tools.strangers.suite import RULES, Place, Suite
from tools.strangers.suites.hotspot import inside
from tools.strangers.suites.hotspot.differences import EXPLAINED
from tools.strangers.suites.hotspot.jtreg import Jtreg
from tools.strangers.suites.hotspot.parts import NOTES, PACKAGES, PARTS, Part, chosen

PASSED = "Passed"
SHOWN = 10  # tests that fail both ways


def run(place: Place) -> Outcome:
    """All parts whose JVM is there. Raises Failed if that is none, or jtreg is missing."""
    outcome, versions = Outcome("", notes=list(NOTES)), []
    for part, release in chosen(place, place.jvms):
        package = PACKAGES[part.source]
        try:
            source = place.fetcher.debian(package, "test/")
        except Failed:  # the newest sources come and go: no reason to lose the other rows
            outcome.notes.append(f"{part.name}, JDK {release}: not run, Debian's source of {package} was not to be had")
            continue
        versions.append(source.name.removeprefix(f"{package}-"))
        jtreg = Jtreg.found(source / "test", place.jvms[release], place.folder / str(part.source))
        jtreg.build(part.suite, part.tests)
        found = list(rows(place, jtreg, part))
        outcome.rows += [row for row, _ in found]
        if not place.short:
            outcome.notes.append(share(jtreg, part, found[0][0].tests, {name for _, names in found for name in names}))
    if place.root and not place.short:
        newer = inside.run(place)
        versions.append(newer.version)
        outcome.rows += newer.rows
        outcome.notes += [note for note in newer.notes if note not in outcome.notes]
    if not outcome.rows:
        needed = sorted({release for part in PARTS for release in part.releases})
        raise Failed(f"nothing ran: the tests need sources of the JDK, and a JVM among {needed}")
    outcome.version = ", ".join(dict.fromkeys(versions))
    return outcome


def share(jtreg: Jtreg, part: Part, compared_tests: int, failing: Collection[str]) -> str:
    """Says how many of a folder's tests ran, why not all, and which fail without classhook, too, so that the comparison
    says little of them."""
    all_tests = jtreg.count(part.suite, part.whole or part.tests)
    why = "; the others would take hours, `--more` runs them" if part.whole else ""
    more = f" and {len(failing) - SHOWN} more" if len(failing) > SHOWN else ""
    broken = f"; fail without classhook, too: {', '.join(sorted(failing)[:SHOWN])}{more}" if failing else ""
    return f"{part.name}, JDK {jtreg.jvm.release}: {compared_tests:,} of {all_tests:,} tests{why}{broken}"


def rows(place: Place, jtreg: Jtreg, part: Part) -> Iterator[tuple[Row, list[str]]]:
    """A part's comparisons, each with the tests that fail both with and without classhook."""
    for rules in part.rules:
        data = place.folder / "data"
        option = place.agent(RULES[rules], data)
        ours = jtreg.verdicts(part.suite, part.tests, option)
        others = [name for name, verdict in ours.items() if verdict != PASSED]
        bare = _again(jtreg, part.suite, option, others, with_classhook=False)
        repeated = partial(_again, jtreg, part.suite, option, but=tuple(EXPLAINED))
        differences = compared(dict.fromkeys(ours, PASSED) | bare, ours, EXPLAINED, repeated)
        failing = [name for name, verdict in bare.items() if verdict != PASSED]
        yield Row(part.name, jtreg.jvm.version(), rules, len(ours), differences), failing
        shutil.rmtree(data, ignore_errors=True)


def _again(
    jtreg: Jtreg, suite: str, option: str, tests: Iterable[str], with_classhook: bool, but: tuple[str, ...] = ()
) -> dict[str, str]:
    """The verdicts of these tests, without those whose names begin so."""
    names = [one.removeprefix(f"{suite}/") for one in tests if not one.startswith(but)]
    return jtreg.verdicts(suite, names, option if with_classhook else None) if names else {}


SUITE = Suite(
    "HotSpot's tests",
    "Debian's source packages of the JDK, run by Debian's jtreg",
    "what the JDK's developers test of JVMTI, JDI, java.lang.instrument, verifier, class file parser and"
    " java.util.concurrent",
    run,
)

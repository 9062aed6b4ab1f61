"""Tests of the Java memory model: no outcome is forbidden with probes in the actors that is allowed without them.

1. Maven builds the harness and its tests from the clone, for Maven Central has neither the tests nor the samples.
2. A test runs in JVMs that the harness starts, in a few seconds: with the interpreter and C2 in turn, so that most
   samples are of compiled probes. How the outcomes are spread changes with probes; which ones are allowed does not.
3. The verdict is the harness's own: OK, FAILED (a forbidden outcome was seen), ERROR, SKIPPED.
4. A test whose methods were not counted has another verdict.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from tests.conftest import ENVIRONMENT, report_of
from tools.compare.fetching import Failed, tool
from tools.strangers.outcome import Outcome, Row, compared
from tools.strangers.suite import RULES, Place, Suite

EXPLAINED = {
    "org.openjdk.jcstress.samples.jmm.basic.BasicJMM_04_Progress": (
        "the test spins until its JVM ends, so the harness calls it 9 times, less than our check wants"
    )
}
BUILDING, PATIENCE, LONGER = 3600, 7200, 43_200  # seconds; the last with --more
CALLED = 100  # times that a test's methods must have been called: the actors were woven
#: The tests of each module that run, by a regular expression for their names; those of more than two actors need more
#: than two processors.
TESTS = {
    "jcstress-samples": r"jmm\.basic\.BasicJMM_0[5-8]|primitives\.mutex|Singleton_0[56]",
    "tests-custom": r"tests\.(dekker|fences|volatiles)\.",
}
MORE = dict.fromkeys(TESTS, r"\.")
SHORT = {"jcstress-samples": r"BasicJMM_06_Causality"}
MEASURES = ("count", "time")
OPTIONS = ("-v", "-sc", "false", "-tb", "60s")  # one way to compile for all actors; a minute if the processors allow it
COMPILING = "-XX:-TieredCompilation"
#: In the summary at the end; before it are results of single JVMs.
SUMMARY, VERDICT = "RUN RESULTS:", re.compile(r"\[([A-Z ]+)\] (\S+)\s+Results across all configurations:")
SHORTENED = ("o.o.j.t.", "org.openjdk.jcstress.tests.")  # by the harness, and what it stands for


def built(files: Path, module: str) -> Path:
    """The module's tests with all that they need. Raises Failed."""
    jar = files / module / "target" / "jcstress.jar"
    if not jar.exists():
        tool("mvn", "-q", "-B", "-pl", module, "-am", "package", "-DskipTests", cwd=files, patience=BUILDING)
    return jar


def verdicts(place: Place, jar: Path, release: int, rules: str, chosen: str, with_classhook: bool) -> dict[str, str]:
    """Runs the tests that a regular expression chooses; returns the harness's verdict on each. Raises Failed."""
    folder = place.folder / "run"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    options = [COMPILING, *([place.agent(RULES[rules], folder / "data")] if with_classhook else [])]
    line = [
        place.jvms[release].java,
        "-jar",
        jar,
        *OPTIONS,
        "-t",
        chosen,
        "-r",
        "results",
        "-jvmArgs",
        " ".join(options),
    ]
    patience = LONGER if place.more else PATIENCE
    try:
        done = subprocess.run(
            line, cwd=folder, capture_output=True, text=True, errors="replace", env=ENVIRONMENT, timeout=patience
        )
    except subprocess.TimeoutExpired:
        raise Failed(f"jcstress took longer than {patience} s") from None
    found = {name.replace(*SHORTENED): verdict for verdict, name in VERDICT.findall(done.stdout.partition(SUMMARY)[2])}
    if not found:
        raise Failed(f"jcstress: status {done.returncode}\n{(done.stdout + done.stderr)[-2000:]}")
    if with_classhook:
        calls = called(folder / "data")
        found = {name: verdict + ("" if calls[name] >= CALLED else ", not woven") for name, verdict in found.items()}
    return found


def called(data: Path) -> Counter[str]:
    """Counts the calls of the methods of each class, by the class's name as the harness writes it."""
    calls = Counter[str]()
    for method in report_of(data)["methods"]:
        calls[method["class"].replace("$", ".")] += method["calls"]
    return calls


def run(place: Place) -> Outcome:
    files, version = place.clone("openjdk", "jcstress")
    outcome = Outcome(version)
    for module, chosen in (SHORT if place.short else MORE if place.more else TESTS).items():
        jar = built(files, module)
        for release in place.jvms:
            bare = verdicts(place, jar, release, "", chosen, False)
            for rules in MEASURES:
                ours = verdicts(place, jar, release, rules, chosen, True)
                again = partial(repeated, place, jar, release, rules)
                outcome.rows.append(Row(module, str(release), rules, len(bare), compared(bare, ours, EXPLAINED, again)))
    if not place.more:
        outcome.notes.append(
            f"only tests that match {' or '.join(f'`{chosen}`' for chosen in TESTS.values())}, of at most two actors, for"
            " more need more processors"
        )
    return outcome


def repeated(
    place: Place, jar: Path, release: int, rules: str, tests: Iterable[str], with_classhook: bool
) -> dict[str, str]:
    chosen = "|".join(f"{re.escape(test)}$" for test in tests)
    return verdicts(place, jar, release, rules, chosen, with_classhook)


SUITE = Suite("jcstress", "github.com/openjdk/jcstress", "tests of the memory model", run)

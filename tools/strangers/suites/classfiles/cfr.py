"""The classes that cfr, a decompiler, is tested with: of javac 6 to 16, of ecj, obfuscated ones, and made by hand."""

from __future__ import annotations

from tools.strangers.outcome import Outcome
from tools.strangers.suite import Place, Suite
from tools.strangers.suites.classfiles import checked

EXPLAINED: dict[str, str] = {}


def run(place: Place) -> Outcome:
    clone, version = place.clone("leibnitz27", "cfr_tests")
    outcome, classes = Outcome(version), checked.Classes()
    for folder in [clone / "hardcoded", *sorted((clone / "precompiled_tests").iterdir(), reverse=True)]:
        classes.add_all(folder.name, folder)
    checked.run(place, "precompiled classes", classes, EXPLAINED, outcome)
    return outcome


SUITE = Suite(
    "cfr",
    "the repository leibnitz27/cfr_tests",
    "classes of nine compilers and by hand that a decompiler is tested with",
    run,
)

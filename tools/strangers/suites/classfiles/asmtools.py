"""asmtools' own tests: what the assembler of the JDK's tests of its class-file parser and verifier can express."""

from __future__ import annotations

from tools.strangers.outcome import Outcome
from tools.strangers.suite import Place, Suite
from tools.strangers.suites.classfiles import assembling, checked

EXPLAINED: dict[str, str] = {}


def run(place: Place) -> Outcome:
    java = place.jvms[max(place.jvms)]
    class_path, clone, version = assembling.built(place, java)
    sources = [*(clone / "test").rglob("*.jcod"), *(clone / "test").rglob("*.jasm")]
    folders = assembling.assembled(place, java, class_path, sorted(sources))
    outcome, classes = Outcome(version), checked.Classes()
    for source, folder in folders.items():
        group = str(source.relative_to(clone / "test").parent).replace("/", ".").rpartition("asmtools.")[2]
        classes.add_all(group, folder)
    checked.run(place, "assembled tests", classes, EXPLAINED, outcome)
    outcome.notes.append(f"asmtools assembles {len(folders)} of the {len(sources)} sources")
    return outcome


SUITE = Suite(
    "asmtools",
    "the repository openjdk/asmtools, folder test",
    "class files, valid and not, that its assembler makes",
    run,
)

"""Checks odd class files: woven without a JVM, and linked in each JVM, unwoven and woven.

1. The classes lie in jars of one folder; each jar gets a class loader of its own. A class lies at its own name; a
   second one of that name in a further jar.
2. Classes that differ at most in a version number from 52 on, for which the JVM has the same verifier, are checked once.
3. Without a JVM, by all checks of tools/corpus/check.py. A class that the weaver refuses as malformed must be one that
   no JVM links.
4. In each JVM, under -Xverify:all: bare, with each of the weavings of tools/corpus/check.py by the agent, and as woven
   by rules that name each class. A class must load and link, or fail with the same error as it does bare. What the
   weaver could weave must have been woven, or the agent must say why not, by a reason that the report knows.
"""

from __future__ import annotations

import shutil
import zipfile
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from classhook.classfile.errors import ClassFormatError, Refused
from classhook.classfile.reader import ClassFile
from classhook.probes import reasons
from tools.compare.fetching import Failed
from tools.corpus import machines
from tools.corpus.__main__ import described
from tools.corpus.check import NAMED, WEAVINGS, Checked, Skip
from tools.corpus.corpora import OneClass
from tools.corpus.machines import Linked, Machine
from tools.corpus.workers import checked_all
from tools.strangers.outcome import Difference, Outcome, Row, compared
from tools.strangers.suite import Place

SAME_VERIFIER = 52  # class files of this version and later: without jsr, and without the old verifier
#: Beginnings of the problem that tools/corpus/check.py reports for a class that the weaver refuses.
REFUSED = tuple(f"{kind.__name__}: " for kind in (ClassFormatError, Refused))
ALL = f"{', '.join(WEAVINGS)}, {NAMED}"
SHORT = 100  # classes
#: Reasons that would be a defect of classhook here.
DEFECTS = {reasons.INTERNAL, reasons.TIMEOUT, reasons.CLASS_TOO_LARGE}


@dataclass(slots=True)
class Classes:
    """Class files: by the jar that they go into, then by their path in it. `chosen`: those that are checked."""

    jars: dict[str, dict[str, bytes]] = field(default_factory=dict)
    chosen: list[tuple[str, str]] = field(default_factory=list)
    seen: set[bytes] = field(default_factory=set)
    given: int = 0  # how many classes could have been chosen

    def add(self, group: str, path: str, data: bytes, chosen: bool = True) -> None:
        """Adds a class; `path` is used if its own name cannot be read; `chosen`: it is checked."""
        with suppress(ClassFormatError):
            path = f"{ClassFile.parse(data).name}.class"
        number = 1
        while path in self.jars.setdefault(jar := f"{group}{'' if number == 1 else f'~{number}'}.jar", {}):
            number += 1
        self.jars[jar][path] = data
        version = int.from_bytes(data[6:8], "big")
        alike = data[:4] + min(version, SAME_VERIFIER).to_bytes(2, "big") + data[8:]
        self.given += chosen
        if chosen and alike not in self.seen:
            self.seen.add(alike)
            self.chosen.append((jar, path))

    def add_all(self, group: str, folder: Path) -> None:
        """Adds the class files of a folder, and those in its jars."""
        for file in sorted(folder.rglob("*.class")):
            self.add(group, str(file.relative_to(folder)), file.read_bytes())
        for file in sorted(folder.rglob("*.jar")):
            self.add_jar(f"{group}-{file.stem}", file)

    def add_jar(self, group: str, file: Path, chosen: bool = True) -> None:
        """Adds the class files of a jar."""
        with zipfile.ZipFile(file) as jar:
            for entry in sorted(jar.namelist()):
                if entry.endswith(".class"):
                    self.add(group, entry, jar.read(entry), chosen)

    def write(self, folder: Path, instead: Mapping[tuple[str, str], bytes]) -> None:
        """Writes the jars to a folder."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name, files in self.jars.items():
            with zipfile.ZipFile(folder / name, "w") as jar:
                for path, data in files.items():
                    jar.writestr(path, instead.get((name, path), data))


def run(place: Place, part: str, found: Classes, explained: Mapping[str, str], outcome: Outcome) -> None:
    """Does all checks; adds rows and notes to the outcome. Raises Failed."""
    if not found.chosen:
        raise Failed(f"no classes of {part}")
    if place.short:
        found.chosen = found.chosen[:: max(1, len(found.chosen) // SHORT)]
    tried = checked_all(OneClass(path, found.jars[jar][path], _as_jdk(path)) for jar, path in found.chosen)
    checked = {at: done for at, (_, done) in zip(found.chosen, tried, strict=True)}
    results = {"/".join(at): done for at, done in checked.items()}
    plain, named, chosen = place.folder / "plain", place.folder / NAMED, place.folder / "chosen.txt"
    found.write(plain, {})
    woven = {at: done.woven[NAMED] for at, done in checked.items() if done.woven.get(NAMED)}
    found.write(named, {at: data for at, data in woven.items() if data})
    chosen.write_text("\n".join(results))
    without = [
        Difference(path, problem, _why(path, explained))
        for path, done in results.items()
        for problem in done.problems
        if not problem.startswith(REFUSED)
    ]
    outcome.rows.append(Row(part, "none", ALL, len(results), without))
    accepted: set[str] = set()
    java25 = place.jvms[max(place.jvms)]
    class_path = machines.compiled(java25.java.parent / "javac", place.folder)
    for release, java in place.jvms.items():
        differences = _in_jvm(java, class_path, place.folder, (plain, named, chosen), results, explained, accepted)
        outcome.rows.append(Row(part, str(release), ALL, len(results), differences))
    outcome.rows[-1].differences += [
        Difference(path, f"a JVM links it, the weaver refuses it: {problem}", _why(path, explained))
        for path, done in results.items()
        for problem in done.problems
        if problem.startswith(REFUSED) and path in accepted
    ]
    outcome.notes += _notes(found, results)


def _in_jvm(
    java: Machine,
    class_path: Path,
    scratch: Path,
    given: tuple[Path, Path, Path],
    results: Mapping[str, Checked],
    explained: Mapping[str, str],
    accepted: set[str],
) -> list[Difference]:
    """The differences in one JVM, which adds the classes that it links bare to `accepted`."""
    plain, named, chosen = given
    bare = machines.link(java, class_path, scratch, plain, [], chosen)
    accepted |= {path for path, result in bare.results.items() if result == "ok"}
    found = [
        _of(one, NAMED)
        for one in compared(
            _verdicts(bare), _verdicts(machines.link(java, class_path, scratch, named, [], chosen)), explained
        )
    ]
    for weaving, rules in WEAVINGS.items():
        rules = [rule for rule in rules if weaving != "statements" or "jdk:" not in rule]
        ours = machines.link(java, class_path, scratch, plain, rules, chosen)
        found += [_of(one, weaving) for one in compared(_verdicts(bare), _verdicts(ours), explained)]
        said = {name: (reason, detail) for name, _, _, reason, detail in ours.skipped}
        for path, done in results.items():
            name = path.partition("/")[2].removesuffix(".class").replace("/", ".")
            unseen = not described(name, ours.woven) and name not in said
            matched = not _as_jdk(path.partition("/")[2]) or any("jdk:" in rule for rule in rules)
            if unseen and matched and bare.results.get(path) == "ok" and done.woven.get(weaving):
                found.append(_of(Difference(path, "not woven, nothing said", _why(path, explained)), weaving))
        found += [
            _of(Difference(name, f"{reason}: {detail}", _why(name, explained)), weaving)
            for name, (reason, detail) in said.items()
            if reason not in reasons.MEANING or reason in DEFECTS
        ]
    return found


def _as_jdk(path: str) -> bool:
    """Returns whether the agent takes a class for one of the JDK's own, by its name alone (native/classes/filter.c)."""
    return path.startswith(("java/", "jdk/internal/"))


def _of(one: Difference, weaving: str) -> Difference:
    return Difference(one.test, f"{weaving}: {one.what}", one.why)


def _why(name: str, explained: Mapping[str, str]) -> str:
    return next((text for begin, text in explained.items() if name.startswith(begin)), "")


def _verdicts(linked: Linked) -> dict[str, str]:
    """`ok` or the error's class, by path; messages name places in the code, which weaving moves."""
    return {path: result.partition("\t")[0] for path, result in linked.results.items()}


def _notes(found: Classes, results: Mapping[str, Checked]) -> list[str]:
    """Says which classes were left out, and which methods were not woven."""
    total = found.given
    malformed = sum(any(problem.startswith(REFUSED) for problem in done.problems) for done in results.values())
    skips: set[Skip] = {skip for done in results.values() for skip in done.skipped.get("time", [])}
    counted = Counter(skip[3] for skip in skips)
    notes = []
    if total > len(results):
        notes.append(f"of {total:,} class files, {total - len(results):,} are the same as others but for their version")
    if malformed:
        notes.append(f"{malformed} are refused as {reasons.MALFORMED}, which no JVM links")
    if counted:
        text = ", ".join(f"{number} {reason}" for reason, number in sorted(counted.items()))
        notes.append(f"methods not woven by `time`: {text}")
    return ["; ".join(notes)] if notes else []

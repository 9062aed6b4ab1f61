"""`make corpus`: weaves every class of three JVMs and four jars, verifies them as they load, and writes
docs/explained/verification.md.

1. Each JVM's own classes are extracted from it; a jar's are read directly.
2. Without a JVM, on all processors: the checks of tools/corpus/check.py. The woven classes are kept in files for
   javap.
3. In each JVM the classes are linked under -Xverify:all: unwoven, woven by `time` and `alloc *` as they load, by
   `count`, by `cover`, by all measures at once; a jar's also by statements about keys and values, and as they were
   woven by rules that name each class, its lines and fields. A class may fail only if it fails unwoven with the same
   error, and each class that the weaver can weave must have been woven.
4. `javap -v -p` shows every tenth class woven by `time` (it takes longer than everything else), and may complain only
   if it complains about the unwoven one.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
import time
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests import jars
from tests.conftest import INSTEAD, VERSIONS
from tools.corpus import machines
from tools.corpus.check import NAMED, WEAVINGS, Skip
from tools.corpus.corpora import NAMES, OneClass, classes
from tools.corpus.machines import Machine
from tools.corpus.workers import checked_all
from tools.sections import with_sections_of

RELEASES = VERSIONS  # with CLASSHOOK_TEST_RELEASE=28 only that
JAVAP_EVERY = 10
MOST = 1_000_000  # classes of a module
PAGE = Path(__file__).parents[2] / "docs" / "explained" / "verification.md"


@dataclass(slots=True)
class Part:
    """One corpus. `linked`: by release, how many classes were verified; `unwoven`: how many of them fail without
    weaving."""

    name: str
    classes: int = 0
    with_code: int = 0
    methods: int = 0
    reencoded: int = 0
    unread: int = 0
    woven_classes: int = 0
    woven_methods: Counter[str] = field(default_factory=Counter)
    skipped: dict[str, set[Skip]] = field(default_factory=lambda: {weaving: set() for weaving in WEAVINGS})
    linked: dict[int, int] = field(default_factory=dict)
    unwoven: dict[int, Counter[str]] = field(default_factory=dict)
    by_jvm: set[Skip] = field(default_factory=set)  # reported by the agent only
    javap_classes: int = 0
    problems: list[str] = field(default_factory=list)


# ---- without a JVM


def check_all(part: Part, source: Path, modules: bool, keep: Path, named: zipfile.ZipFile) -> dict[str, set[str]]:
    """Checks the classes without a JVM and writes those for javap to `keep`, and those woven by name, or as they were,
    to `named`; returns the paths of classes to be woven, by weaving."""
    expected: dict[str, set[str]] = {weaving: set() for weaving in WEAVINGS}
    for one, checked in checked_all(classes(source, modules)):
        if not modules:
            named.writestr(one.path, checked.woven.get(NAMED) or one.data)
        part.classes += 1
        part.with_code += checked.methods > 0
        part.methods += checked.methods
        part.reencoded += checked.reencoded
        part.unread += checked.unread
        part.woven_methods += checked.woven_methods
        part.problems += [f"{one.path}: {problem}" for problem in checked.problems]
        for weaving, skips in checked.skipped.items():
            part.skipped[weaving].update(skips)
        for weaving in WEAVINGS:
            if checked.woven.get(weaving) is not None:
                expected[weaving].add(one.path)
        woven = checked.woven.get("time")
        if woven is not None:
            part.woven_classes += 1
            if part.woven_classes % JAVAP_EVERY == 1:
                path = keep / one.path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(woven)
    return expected


# ---- in JVMs


def link_all(
    part: Part,
    java: Machine,
    class_path: Path,
    scratch: Path,
    source: Path | None,
    expected: dict[str, set[str]],
    named: Path,
    chosen: Path | None = None,
) -> None:
    """Links the corpus on one JVM, bare and with each weaving. `named`: a jar's classes, woven by name; `chosen`: lists
    some of the JVM's own."""
    bare = machines.link(java, class_path, scratch, source, [], chosen)
    part.unwoven[java.release] = machines.errors(bare)
    if source is not None:
        woven = machines.link(java, class_path, scratch, named, [])
        part.problems += [f"{path} on {java.release}, {NAMED}: {error}" for path, error in machines.worse(bare, woven)]
    for weaving in WEAVINGS:
        if weaving == "statements" and source is None:
            continue  # with keys in all of its own methods, a JVM hardly gets on
        rules = [rule for rule in WEAVINGS[weaving] if weaving != "statements" or "jdk:" not in rule]
        woven = machines.link(java, class_path, scratch, source, rules, chosen)
        part.problems += [
            f"{path} on {java.release}, {weaving}: {error}" for path, error in machines.worse(bare, woven)
        ]
        # each linked class must have been woven, or the agent must say why not
        said = {skip[0] for skip in woven.skipped}
        failed = {path for path, result in bare.results.items() if result != "ok"}  # perhaps before its bytes were read
        unseen = {
            path
            for path in woven.results
            if path in expected[weaving] - failed and not described(binary_name(path, source), woven.woven)
        }
        for path in sorted(unseen):
            if binary_name(path, source) not in said:
                part.problems.append(f"{path} on {java.release}, {weaving}: not woven, and nothing said about it")
        if source is None:  # with a jar, the agent also reports the loader's own class
            part.by_jvm.update(skip for skip in woven.skipped if skip not in part.skipped[weaving])
        if weaving == "time":
            verified = sum(
                result == "ok"
                for path, result in woven.results.items()
                if path in expected[weaving] and path not in unseen
            )
            part.linked[java.release] = verified


def described(name: str, woven: set[str]) -> bool:
    """Returns whether the agent has described the class as woven: by its name, or with many others that are alike, as
    `dgm$*`."""
    return name in woven or name.rstrip("0123456789") + "*" in woven


def binary_name(path: str, source: Path | None) -> str:
    """The name of the class at this path, which begins with the module's name for a JVM's own class."""
    return OneClass(path if source else path.partition("/")[2], b"", False).name


def show_all(
    part: Part, java: Machine, class_path: Path, scratch: Path, woven: Path, source: Path, modules: bool
) -> None:
    """Runs javap on each woven class; if it complains, also on the unwoven one."""
    complaints = {}
    for path, (lines, said) in machines.javap(java, class_path, scratch, woven).items():
        part.javap_classes += 1
        if said:
            complaints[path] = said
        elif lines < 10:
            part.problems.append(f"{path}: javap shows {lines} lines")
    if not complaints:
        return
    folder = scratch / "unwoven"
    for one in classes(source, modules):
        if one.path in complaints:
            (folder / one.path).parent.mkdir(parents=True, exist_ok=True)
            (folder / one.path).write_bytes(one.data)
    before = machines.javap(java, class_path, scratch, folder)
    for path, said in complaints.items():
        if kinds(before[path][1]) != kinds(said):
            part.problems.append(f"{path}: javap: {said} (unwoven: {before[path][1] or 'nothing'})")
    shutil.rmtree(folder)


def kinds(complaints: str) -> set[str]:
    """javap's complaints without numbers, since constants move."""
    return set(re.sub(r"\d+", "#", complaints).split(" | "))


# ---- all


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.corpus", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "parts", nargs="*", help="some of: " + " ".join(names()) + "; the page is written only when all run"
    )
    parser.add_argument("-m", "--module", help="of a JVM's own classes only those of this module")
    parser.add_argument("-o", "--output", type=Path, default=PAGE)
    chosen = parser.parse_args()
    if unknown := set(chosen.parts) - set(names()):
        parser.error(f"no corpus {', '.join(sorted(unknown))}; there are {', '.join(names())}")
    found = {release: machines.machine(release) for release in RELEASES}
    absent = [
        f"no Java {release}: name one in CLASSHOOK_TEST_JAVA_{release}"
        for release, java in found.items()
        if java is None
    ]
    absent += [jars.missing(f"{name}.jar") for name in NAMES if not jars.find(f"{name}.jar")]
    for text in absent:
        print(f"corpus: {text}", file=sys.stderr)
    jvms = [java for java in found.values() if java is not None]
    tools = [java for java in jvms if (java.java.parent / "javac").exists()]
    if not tools:
        print("corpus: no JDK with javac", file=sys.stderr)
        return 2
    start = time.monotonic()
    parts = []
    scratch = Path(tempfile.mkdtemp(prefix="classhook-corpus-"))
    try:
        class_path = machines.compiled(tools[0].java.parent / "javac", scratch)
        for name in chosen.parts or names():
            part = run_part(name, jvms, tools, class_path, scratch, chosen.module)
            if part is not None:
                parts.append(part)
                say(part, time.monotonic() - start)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    problems = [f"{part.name}: {problem}" for part in parts for problem in part.problems]
    for problem in problems[:200]:
        print(problem)
    if not chosen.parts and not chosen.module and not absent and not INSTEAD:
        from tools.corpus.page import page

        before = chosen.output.read_text() if chosen.output.exists() else ""
        new = page(parts, [(java.release, java.version()) for java in jvms])
        chosen.output.write_text(with_sections_of(before, new))
    return 1 if problems or absent else 0


def names() -> list[str]:
    return [f"jdk{release}" for release in RELEASES] + NAMES


def run_part(
    name: str, jvms: list[Machine], tools: list[Machine], class_path: Path, scratch: Path, module: str | None
) -> Part | None:
    """Does everything for one corpus; None if it is missing. `module`: of a JVM's own classes, only those."""
    part = Part(name)
    modules, chosen = name not in NAMES, None
    if modules:
        on = [java for java in jvms if f"jdk{java.release}" == name]
        if not on:
            return None
        source = scratch / f"{name}.jar"
        words = [str(MOST), module] if module else []
        machines.corpus(
            on[0],
            class_path,
            "extract",
            source,
            *words,
            options=["--add-modules", "ALL-SYSTEM", *machines.preview(on[0])],
        )
        if module:
            chosen = scratch / "chosen"
            chosen.write_text("\n".join(one.path for one in classes(source, modules)))
    else:
        on = [java for java in jvms if java in tools]  # without javap, as for the JRE of 21
        found = jars.find(f"{name}.jar")
        if found is None:
            return None
        source = found
    keep = scratch / "woven"
    keep.mkdir()
    named = scratch / "named.jar"
    with zipfile.ZipFile(named, "w") as jar:
        expected = check_all(part, source, modules, keep, jar)
    for java in on:
        link_all(part, java, class_path, scratch, None if modules else source, expected, named, chosen)
    show_all(part, on[0] if on[0] in tools else tools[-1], class_path, scratch, keep, source, modules)
    shutil.rmtree(keep)
    if modules:
        source.unlink()
    return part


def say(part: Part, seconds: float) -> None:
    verified = ", ".join(f"{count:,} on {release}" for release, count in part.linked.items())
    print(
        f"{seconds:5.0f} s  {part.name:16} {part.classes:6,} classes, {part.woven_classes:6,} woven; verified"
        f" {verified}; {len(part.problems)} problems",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())

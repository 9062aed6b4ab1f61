"""The part of the corpus run in JVMs: Corpus.java, compiled once, run with and without the agent."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from classhook.base.launch import agent_option
from classhook.model.reading.files import data_files
from classhook.native._layout import lib
from classhook.probes import probe_table
from classhook.probes.records import ClassRecord, SkipRecord
from classhook.rules.compiled import dumps
from classhook.rules.parse import load
from classhook.store import tmpfs
from classhook.store.reading import read_file
from tests.conftest import ENVIRONMENT, from_pypi, installed, release_of
from tools.corpus.check import Skip

SOURCE = Path(__file__).parent / "Corpus.java"
JDK_CACHE = Path(__file__).parents[2] / ".pytest_cache" / "d"  # the tests also keep JVMs from PyPI there
# verify all classes, including the JVM's own (so without archives), and resolve all modules
OPTIONS = ["-Xverify:all", "-XX:-PrintWarnings", "-Xshare:off", "--add-modules", "ALL-SYSTEM"]
#: The first release of which the classes of preview features are taken, as far as it has any: value classes (JEP 401).
PREVIEW_FROM = 28


@dataclass(frozen=True, slots=True)
class Machine:
    """A JVM of a feature release."""

    release: int
    java: Path

    def version(self) -> str:
        """Its own version text, such as `17.0.15+6-Debian-1deb12u1`."""
        out = subprocess.run([self.java, "-version"], capture_output=True, text=True, env=ENVIRONMENT).stderr
        return out.partition("(build ")[2].partition(")")[0]


@dataclass(slots=True)
class Linked:
    """Results of linking: path -> "ok" or the error's class and message; with the agent, also what the data file
    contains."""

    results: dict[str, str]
    stderr: str
    woven: set[str] = field(default_factory=set)  # binary names
    skipped: list[Skip] = field(default_factory=list)


def machine(release: int) -> Machine | None:
    """The JVM of this release, from CLASSHOOK_TEST_JAVA_<release>, this machine, or PyPI; None if there is none."""
    named = os.environ.get(f"CLASSHOOK_TEST_JAVA_{release}")
    for java in [Path(named)] if named else installed():
        if release_of(java) == release:
            return Machine(release, java)
    java21 = None if named else from_pypi(release, JDK_CACHE / f"jdk{release}")
    return Machine(release, java21) if java21 and release_of(java21) == release else None


def preview(java: Machine) -> list[str]:
    """The option by which a JVM has the classes of its preview features."""
    return ["--enable-preview"] if java.release >= PREVIEW_FROM else []


def compiled(javac: Path, scratch: Path) -> Path:
    """The class path with Corpus on it."""
    out = scratch / "classes"
    subprocess.run([javac, "--release", "17", "-d", out, SOURCE], check=True, env=ENVIRONMENT)
    return out


def corpus(java: Machine, class_path: Path, *words: str | Path, options: list[str] | None = None) -> str:
    """Runs Corpus with these arguments; returns its stderr. Raises CalledProcessError."""
    line = [java.java, *(options or []), "-cp", class_path, "Corpus", *words]
    done = subprocess.run(line, capture_output=True, text=True, env=ENVIRONMENT)
    if done.returncode:
        raise RuntimeError(
            f"{' '.join(map(str, line))}\nended with {done.returncode}:\n{(done.stdout + done.stderr)[-3000:]}"
        )
    return done.stderr


def link(
    java: Machine, class_path: Path, scratch: Path, jar: Path | None, rules: Sequence[str], chosen: Path | None = None
) -> Linked:
    """Links the JVM's own classes, a jar's, or those of all jars in a folder, or those of them that `chosen` lists;
    woven as they load if there are rules."""
    out = scratch / "linked.txt"
    options = [*OPTIONS, *preview(java)]
    data = scratch / "data"
    if rules:
        compiled = scratch / "compiled.rules"
        compiled.write_text(dumps(load([], rules)))
        data.mkdir(exist_ok=True)
        options.insert(0, agent_option(compiled, data, timeout="600000"))
    words: list[str | Path] = ["link", out, jar or "-", *([chosen] if chosen else [])]
    stderr = corpus(java, class_path, *words, options=options)
    lines = out.read_text().splitlines()
    linked = Linked(dict([line.split("\t", 1) for line in lines]), stderr)
    if rules:
        _read_data(data, linked)
    return linked


def _read_data(folder: Path, linked: Linked) -> None:
    """Reads what the agent recorded about classes, and removes the data."""
    for path in data_files([folder]):
        for kind, _, _, text in read_file(path).descriptions():
            if kind not in (lib.CH_META_CLASS, lib.CH_META_SKIP):
                continue
            name = ""
            for record in probe_table.decode(text):
                if isinstance(record, ClassRecord):
                    name = record.name.replace("/", ".")
                    if kind == lib.CH_META_CLASS:
                        linked.woven.add(name)
                elif isinstance(record, SkipRecord):
                    linked.skipped.append((name, record.method, record.descriptor, record.reason, record.detail))
        tmpfs.remove(path)


def javap(java: Machine, class_path: Path, scratch: Path, folder: Path) -> dict[str, tuple[int, str]]:
    """Runs `javap -v -p` on all class files of a folder: path -> number of lines, and complaints."""
    out = scratch / "javap.txt"
    corpus(java, class_path, "javap", out, folder)
    found = {}
    for line in out.read_text().splitlines():
        path, lines, complaints = line.split("\t")
        found[path] = (int(lines), complaints)
    return found


def worse(bare: Linked, woven: Linked) -> list[tuple[str, str]]:
    """Classes that fail woven, but not unwoven or with another error: path and error."""
    found = []
    for path, result in bare.results.items():
        now = woven.results.get(path, "not tried")
        if now != "ok" and now.partition("\t")[0] != result.partition("\t")[0]:
            found.append((path, f"{now} (unwoven: {result})".replace("\t", ": ")))
    return found


def errors(linked: Linked) -> Counter[str]:
    """The number of classes that fail, by error."""
    return Counter(result.partition("\t")[0] for result in linked.results.values() if result != "ok")

"""The sources that Vineflower, a decompiler, is tested with, and its classes.

1. A compiler compiles a folder at once; files with errors are left out, until the others compile.
2. asmtools assembles the `.jasm` files, if there is a clone of it.
3. Libraries that the classes of a language need lie beside them, and are not checked.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from tests import peers
from tools.compare.fetching import Failed
from tools.strangers.outcome import Outcome
from tools.strangers.suite import Place, Suite
from tools.strangers.suites.classfiles import assembling, checked

#: Options of javac 25, by folder. Some previews of 16 and 17 became features of 17 and 21.
FOLDERS = {
    "java8": ["--release", "8", "-g"],
    "java8nodebug": ["--release", "8", "-g:none"],
    "java9": ["--release", "9", "-g"],
    "java11": ["--release", "11", "-g"],
    "java16": ["--release", "16", "-g"],
    "java16nodebug": ["--release", "16", "-g:none"],
    "java16preview": ["--release", "17", "-g"],
    "java17": ["--release", "17", "-g"],
    "java17preview": ["--release", "21", "-g"],
    "java21": ["--release", "21", "-g"],
    "java21preview": ["--release", "25", "-g", "--enable-preview"],
    "java25": ["--release", "25", "-g"],
}
#: Other languages, by how their sources end: the compiler, its main class and options, and the libraries.
LANGUAGES = {
    "kt": (
        peers.KOTLIN_COMPILER,
        ["org.jetbrains.kotlin.cli.jvm.K2JVMCompiler", "-no-stdlib", "-no-reflect", "-nowarn"],
        peers.KOTLIN_COMPILER[1:2],
    ),
    "scala": (
        peers.SCALA_3_COMPILER,
        ["dotty.tools.dotc.Main"],
        (peers.SCALA_3_COMPILER[1], peers.SCALA_3_COMPILER[4]),
    ),
    "groovy": (peers.SPOCK[1:2], ["org.codehaus.groovy.tools.FileSystemCompiler"], peers.SPOCK[1:2]),
}
ROUNDS = 8  # of compiling what is left
PATIENCE = 900  # seconds
ERROR = re.compile(r"[Ee]rror: ")
EXPLAINED = {
    "kt.jar/pkg/TestNamedSuspendFun2Kt.class": (
        "a suspend function that waits has a probe more, before the jump by which it goes on; only the comparison of the"
        " dumps, which knows no such probe, complains"
    ),
}


def run(place: Place) -> Outcome:
    clone, version = place.clone("Vineflower", "vineflower")
    data, java = clone / "testData", place.jvms[max(place.jvms)]
    outcome, classes, left = Outcome(version), checked.Classes(), dict[str, int]()
    javac = [java.java.parent / "javac", "-nowarn", "-proc:none", "-Xmaxerrs", "10000"]
    for name, options in FOLDERS.items():
        to = place.folder / "compiled" / name
        left[name] = len(compiled([*javac, *options], sorted((data / "src" / name).rglob("*.java")), to))
        classes.add_all(name, to)
    for name, (compiler, words, libraries) in LANGUAGES.items():
        to, files = place.folder / "compiled" / name, sorted(clone.rglob(f"testData/src/{name}/**/*.{name}"))
        path = os.pathsep.join(str(place.fetcher.jar(one)) for one in compiler)
        left[name] = len(compiled([java.java, "-cp", path, *words, "-classpath", path], files, to))
        classes.add_all(name, to)
        for one in libraries:
            classes.add_jar(name, place.fetcher.jar(one), chosen=False)
    try:
        tool, _, _ = assembling.built(place, java)
    except Failed as failed:
        outcome.notes.append(f"its .jasm files are left out: {failed}")
    else:
        for folder in assembling.assembled(place, java, tool, sorted((data / "src" / "jasm").glob("*.jasm"))).values():
            classes.add_all("jasm", folder)
    for folder in sorted((data / "classes").iterdir()):
        classes.add_all(folder.name, folder)
    for file in sorted(data.glob("*.jar")):
        classes.add_jar(file.stem, file)
    if any(left.values()):
        text = ", ".join(f"{number} of {name}" for name, number in left.items() if number)
        outcome.notes.append(f"files that do not compile with the newest compilers, or lie there twice: {text}")
    checked.run(place, "test data", classes, EXPLAINED, outcome)
    return outcome


def compiled(line: list[str | Path], files: list[Path], to: Path) -> list[Path]:
    """Compiles some files; returns those that had to be left out. Raises Failed."""
    left: list[Path] = []
    for _ in range(ROUNDS):
        shutil.rmtree(to, ignore_errors=True)
        to.mkdir(parents=True)
        if not files:
            return left
        words = [*line, "-d", to, *files]
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, errors="replace")
        if not done.returncode:
            return left
        errors = [text for text in (done.stdout + done.stderr).splitlines() if ERROR.search(text)]
        bad = [file for file in files if any(str(file) in text for text in errors)]
        if not bad:
            raise Failed(f"{line[0]}: {(done.stdout + done.stderr)[-1000:]}")
        left += bad
        files = [file for file in files if file not in bad]
    raise Failed(f"{line[0]} does not compile all for {to} after {ROUNDS} rounds")


SUITE = Suite(
    "Vineflower",
    "the repository Vineflower/vineflower, folders testData",
    "Java, Kotlin, Scala, Groovy, jasm and class files that a decompiler is tested with",
    run,
)

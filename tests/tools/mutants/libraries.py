"""The libraries whose methods are changed, and the command that runs their tests."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from tests import peers
from tests.tools.compare import libraries as built
from tests.tools.compare.fetching import tool

JAVA = Path(__file__).parent / "java" / "Mutants.java"
QUICK = ("-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")  # each class is compiled anew for each mutant


@dataclass(frozen=True)
class Library:
    """`artifact`: on Maven Central, with the sources of its tests; `without`: part of the path of sources to leave out."""

    artifact: peers.Artifact
    package: str
    without: tuple[str, ...] = ()


LIBRARIES = {
    "cli": Library(peers.Artifact("commons-cli", "commons-cli", "1.9.0"), "org.apache.commons.cli"),
    "csv": Library(peers.Artifact("org.apache.commons", "commons-csv", "1.14.0"), "org.apache.commons.csv", ("Benchmark", "PerformanceTest")),
    "codec": Library(peers.Artifact("commons-codec", "commons-codec", "1.18.0"), "org.apache.commons.codec"),
}


@dataclass(frozen=True)
class Subject:
    """A library that is built: the folders of its classes and its tests', the command that runs them as java/Mutants.java says, and where."""

    library: Library
    classes: Path
    tests: Path
    line: tuple[str | Path, ...]
    folder: Path


def build(name: str, shop: built.Workshop) -> Subject:
    """Builds a library once; it is kept. Raises Failed."""
    library = LIBRARIES[name]
    top = shop.scratch / name
    label = f"{library.artifact.name}-javac17"
    classes, tests, driver = top / label, top / f"{label}-tests", top / "driver"
    needs = [*shop.fetcher.needs(shop.fetcher.pom(library.artifact)), shop.fetcher.jar(built.CONSOLE)]
    needs = [path for path in needs if not built.JUNIT_JAR.match(path.name) or path.name.startswith("junit-platform-console-standalone")]
    if not (driver / "Mutants.class").exists():
        shutil.rmtree(top, ignore_errors=True)
        top.mkdir(parents=True)
        built.of_maven(built.Workshop(shop.fetcher, top), "javac17", library.artifact, library.package, without=library.without)
        tool(shop.jdk(17) / "javac", "-d", driver, "-cp", os.pathsep.join(map(str, needs)), JAVA)
    before, _ = shop.console(17)
    path = os.pathsep.join(map(str, [driver, *needs]))
    return Subject(library, classes, tests, (shop.jdk(17) / "java", *QUICK, *before, path, "Mutants", classes, tests), top)

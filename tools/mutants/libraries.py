"""The libraries whose methods are changed, and the command that runs their tests."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests import peers
from tools.compare import libraries as built
from tools.compare.fetching import tool

JAVA = Path(__file__).parent / "java" / "Mutants.java"
QUICK = ("-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")  # each class is compiled anew for each mutant


@dataclass(frozen=True)
class Subject:
    """A library that is built: the folders of its classes and its tests', the command that runs them as
    java/Mutants.java says, and where."""

    package: str
    classes: Path
    tests: Path
    line: tuple[str | Path, ...]
    folder: Path


Build = Callable[[built.Workshop], built.Built]


def of_maven(group: str, name: str, version: str, package: str, *without: str) -> Build:
    """A library whose sources and tests are on Maven Central; `without`: parts of the paths of tests to leave out."""
    return lambda shop: built.of_maven(shop, "javac17", peers.Artifact(group, name, version), package, without=without)


LIBRARIES: dict[str, Build] = {
    "cli": of_maven("commons-cli", "commons-cli", "1.9.0", "org.apache.commons.cli"),
    "csv": of_maven(
        "org.apache.commons", "commons-csv", "1.14.0", "org.apache.commons.csv", "Benchmark", "PerformanceTest"
    ),
    "codec": of_maven("commons-codec", "commons-codec", "1.18.0", "org.apache.commons.codec"),
    "gson": lambda shop: built.gson(shop, "javac17"),
    "jsoup": lambda shop: built.jsoup(shop, "javac17"),
}


def build(name: str, shop: built.Workshop) -> Subject:
    """Builds a library once; it is kept. Raises Failed."""
    top = shop.scratch / name
    kept, driver = top / "built.json", top / "driver"
    if not kept.exists():
        shutil.rmtree(top, ignore_errors=True)
        top.mkdir(parents=True)
        made = LIBRARIES[name](built.Workshop(shop.fetcher, top))
        path = str(made.words[made.words.index("-cp") + 1])
        tool(shop.jdk(17) / "javac", "-d", driver, "-cp", path, JAVA)
        kept.write_text(json.dumps([made.packages[0], str(made.folder or top), *path.split(os.pathsep)]))
    package, folder, classes, tests, *needs = json.loads(kept.read_text())
    before, _ = shop.console(17)
    line = (shop.jdk(17) / "java", *QUICK, *before, os.pathsep.join([str(driver), *needs]), "Mutants", classes, tests)
    return Subject(package, Path(classes), Path(tests), line, Path(folder))

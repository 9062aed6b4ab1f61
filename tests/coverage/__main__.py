"""Compares coverage with JaCoCo's own analysis: ``python -m tests.coverage [--exec FILE | --random SEED]
JAR|FOLDER...``.

Says for each how many classes, methods and source files there are and how many differ, and shows the first differences.
Exit status 1 if any do.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests import peers
from tests.coverage.conftest import PEERS, SOURCES, class_files, ours, random_data, theirs

SHOWN = 5


def oracle(classes: Path, data: bytes | None, java: Path) -> str:
    """The output of Oracle.java. `java`: the home of a JDK."""
    jars = [peers.fetch(artifact, PEERS) for artifact in (peers.JACOCO_CORE, *peers.JACOCO_NEEDS)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = os.pathsep.join(map(str, [folder, *jars]))
        subprocess.run(
            [java / "bin" / "javac", "-d", folder, "-cp", path, SOURCES / "oracle" / "Oracle.java"], check=True
        )
        file = folder / "data.exec"
        if data is not None:
            file.write_bytes(data)
        line = [java / "bin" / "java", "-Xmx4g", "-cp", path, "Oracle", classes, "-" if data is None else file]
        return subprocess.run(line, check=True, capture_output=True, text=True).stdout


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares coverage with JaCoCo's own analysis.")
    parser.add_argument("--exec", type=Path, help="a data file of JaCoCo's agent")
    parser.add_argument("--random", type=int, help="random data, from this seed")
    parser.add_argument(
        "--jdk",
        type=Path,
        default=Path(os.environ.get("JAVA_HOME", "/usr/lib/jvm/default-java")),
        help="the home of a JDK",
    )
    parser.add_argument("classes", type=Path, nargs="+", help="jars and folders")
    options = parser.parse_args()
    worst = 0
    for path in options.classes:
        data = options.exec.read_bytes() if options.exec else None
        if options.random is not None:
            data = random_data(class_files(path), options.random)
        mine, (jacoco,) = ours(path, data), theirs(oracle(path, data, options.jdk))
        different = [key for key in sorted(mine.keys() | jacoco.keys()) if mine.get(key) != jacoco.get(key)]
        print(
            f"{path.name}: {sum(kind == 'class' for kind, _ in jacoco)} classes, {len(jacoco)} nodes, {len(different)}"
            " differ"
        )
        for key in different[:SHOWN]:
            print(f"  {' '.join(key)}\n    ours   {mine.get(key)}\n    JaCoCo {jacoco.get(key)}")
        worst = max(worst, len(different))
    return 1 if worst else 0


if __name__ == "__main__":
    sys.exit(main())

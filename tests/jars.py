"""Finds the jars of programs that the tests and benchmarks run, on this machine or in Debian's packages.

``python -m tests.jars FOLDER``. Jars that cannot be found are listed; the tests that need them are skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

#: Debian package -> the jar in it.
PACKAGES = {
    "libh2-java": "h2.jar",
    "libeclipse-jdt-core-java": "eclipse-jdt-core.jar",
    "groovy": "groovy-all.jar",
    "libfastutil-java": "fastutil.jar",
}
#: jar -> the package and the jar that have its main class since Debian 13.
MOVED = {"eclipse-jdt-core.jar": ("libeclipse-jdt-core-compiler-batch-java", "eclipse-jdt-core-compiler-batch.jar")}
INSTALLED = Path("/usr/share/java")
BROUGHT = Path(__file__).resolve().parent.parent / ".venv" / "jars"  # by `make test`


def find(jar: str) -> Path | None:
    """The jar of this name, from CLASSHOOK_TEST_JARS, .venv/jars or /usr/share/java."""
    moved = [INSTALLED / MOVED[jar][1]] if jar in MOVED else []
    places = [Path(os.environ.get("CLASSHOOK_TEST_JARS", BROUGHT)) / jar, BROUGHT / jar, *moved, INSTALLED / jar]
    return next((place for place in places if place.exists()), None)


def missing(jar: str) -> str:
    """Tells what to do if a jar is missing."""
    package = next(package for package, file in PACKAGES.items() if file == jar)
    return f"{jar} is missing: `apt-get install {package}`, or name its folder in CLASSHOOK_TEST_JARS"


def fetch(package: str, jar: str, folder: Path, name: str = "") -> bool:
    """Downloads a package and extracts its jar, without root; False if that fails. `name`: what the jar is called
    then."""
    with tempfile.TemporaryDirectory() as scratch:
        try:
            subprocess.run(["apt-get", "download", package], cwd=scratch, check=True, capture_output=True, timeout=300)
            (archive,) = Path(scratch).glob("*.deb")
            subprocess.run(["dpkg", "-x", str(archive), scratch], check=True, capture_output=True, timeout=300)
            shutil.copy(
                Path(scratch) / "usr" / "share" / "java" / jar, folder / (name or jar)
            )  # a symbolic link in the package; copies its target
        except (OSError, ValueError, subprocess.SubprocessError):
            return False
    return True


def brought(package: str, jar: str, to: Path) -> bool:
    """Makes the jar, installed or fetched, a file; False if it is not to be had."""
    if (INSTALLED / jar).exists():
        to.symlink_to(INSTALLED / jar)
        return True
    return fetch(package, jar, to.parent, to.name)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for package, jar in PACKAGES.items():
        if not (folder / jar).exists() and not any(
            brought(*source, folder / jar) for source in (MOVED.get(jar), (package, jar)) if source
        ):
            print(f"{jar} is not to be had (Debian's {package}); tests that need it are skipped", file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

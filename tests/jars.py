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
INSTALLED = Path("/usr/share/java")
BROUGHT = Path(__file__).resolve().parent.parent / ".venv" / "jars"  # by `make test`


def find(jar: str) -> Path | None:
    """The jar of this name, from CLASSHOOK_TEST_JARS, .venv/jars or /usr/share/java."""
    folders = [Path(os.environ.get("CLASSHOOK_TEST_JARS", BROUGHT)), BROUGHT, INSTALLED]
    return next((folder / jar for folder in folders if (folder / jar).exists()), None)


def missing(jar: str) -> str:
    """What to do if a jar is missing."""
    package = next(package for package, file in PACKAGES.items() if file == jar)
    return f"{jar} is missing: `apt-get install {package}`, or name its folder in CLASSHOOK_TEST_JARS"


def fetch(package: str, jar: str, folder: Path) -> bool:
    """Downloads a package and extracts its jar, without root; False if that fails."""
    with tempfile.TemporaryDirectory() as name:
        try:
            subprocess.run(["apt-get", "download", package], cwd=name, check=True, capture_output=True, timeout=300)
            (archive,) = Path(name).glob("*.deb")
            subprocess.run(["dpkg", "-x", str(archive), name], check=True, capture_output=True, timeout=300)
            shutil.copy(Path(name) / "usr" / "share" / "java" / jar, folder / jar)  # a symbolic link in the package; copies its target
        except (OSError, ValueError, subprocess.SubprocessError):
            return False
    return True


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for package, jar in PACKAGES.items():
        if (folder / jar).exists():
            continue
        if (INSTALLED / jar).exists():
            (folder / jar).symlink_to(INSTALLED / jar)
        elif not fetch(package, jar, folder):
            print(f"{jar} is not to be had (Debian's {package}); tests that need it are skipped", file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

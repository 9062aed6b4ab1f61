"""Finds what a build needs: Python, a JDK, a C compiler, a shared libpython.

Uses the standard library only; ``python native/building/prerequisites.py`` lists what is missing, one line each, with what to do.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path


class Missing(Exception):
    """A tool that the build needs is missing; the text says which, and what to do."""


def jdk_home() -> Path:
    """The JDK whose headers the agent is compiled with: JAVA_HOME, or the one that ``javac`` in PATH belongs to."""
    candidates = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    if javac := shutil.which("javac"):
        candidates.append(Path(javac).resolve().parent.parent)
    for home in candidates:
        if (home / "include" / "jvmti.h").is_file():
            return home
    raise Missing("no JDK found: set JAVA_HOME to a JDK 17 or later (its include/jvmti.h is needed), or put its bin/ into PATH")


def compiler() -> str:
    """The C compiler: CC, or gcc or cc in PATH."""
    for name in filter(None, [os.environ.get("CC"), "gcc", "cc"]):
        if found := shutil.which(name):
            return found
    raise Missing("no C compiler found: install gcc, or set CC")


def python() -> str:
    """The running Python's version, if it can run inside a JVM."""
    version = sys.version.split()[0]
    if sys.version_info < (3, 11):  # noqa: UP036 - this is the check itself
        raise Missing(f"{sys.executable} is Python {version}, 3.11 is the oldest that works: make PYTHON=python3.11")
    if (3, 14) <= sys.version_info < (3, 14, 2):
        raise Missing(f"{sys.executable} is Python {version}, which takes the agent's own stack for an overflow: 3.14.2 and later don't")
    return version


def libpython() -> Path:
    """The shared library of the running Python."""
    name, folder = sysconfig.get_config_var("INSTSONAME"), sysconfig.get_config_var("LIBDIR")
    if sysconfig.get_config_var("Py_ENABLE_SHARED") and name and folder:
        places: tuple[Path, Path] = (Path(folder) / name, Path(folder) / (sysconfig.get_config_var("MULTIARCH") or "") / name)
        for path in places:
            if path.is_file():
                return path
    raise Missing(
        f"{sys.executable} has no shared libpython, which the agent embeds: use a Python built with --enable-shared "
        "(a distribution's python3 with its libpython3 package is one), for example: make PYTHON=/usr/bin/python3.11"
    )


def main() -> int:
    """Prints everything that is missing; returns the exit status."""
    missing = []
    for look in (python, jdk_home, compiler, libpython):
        try:
            look()
        except Missing as absent:
            missing.append(str(absent))
    for text in missing:
        print(f"classhook: {text}", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())

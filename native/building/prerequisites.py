"""Finds what a build needs: Python, a JDK, a C compiler, a shared libpython.

Uses the standard library only; ``python native/building/prerequisites.py`` lists what is missing, one line each, with
what to do.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path

#: The command that installs a distribution's package with the shared libpython, by its ID or ID_LIKE in os-release(5);
#: {} is Python's version.
PACKAGES = {
    "debian": "apt install libpython{}",
    "fedora": "dnf install python3-libs (python{}-libs, if this is not the default Python)",
    "suse": "zypper install libpython{}-1_0",
    "arch": "pacman -S python",
    "alpine": "apk add python3",
}
RELEASES = (Path("/etc/os-release"), Path("/usr/lib/os-release"))


class Missing(Exception):
    """A tool that the build needs is missing; the text says which, and what to do."""


def jdk_home() -> Path:
    """The JDK with which the agent is built: JAVA_HOME, or the one that ``javac`` in PATH belongs to."""
    candidates = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    if javac := shutil.which("javac"):
        candidates.append(Path(javac).resolve().parent.parent)
    for home in candidates:
        if (home / "include" / "jvmti.h").is_file():
            return home
    raise Missing(
        "no JDK found: set JAVA_HOME to a JDK 17 or later (its include/jvmti.h and bin/javac are needed), or put its"
        " bin/ into PATH"
    )


def javac() -> Path:
    """The Java compiler of that JDK."""
    path = jdk_home() / "bin" / "javac"
    if not path.is_file():
        raise Missing(f"{path} is missing, which compiles the tracker class: set JAVA_HOME to a whole JDK 17 or later")
    return path


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
        raise Missing(
            f"{sys.executable} is Python {version}, which takes the agent's own stack for an overflow: 3.14.2 and later"
            " don't"
        )
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        raise Missing(f"{sys.executable} is Python {version} without a GIL, on which the agent relies: use another")
    return version


def libpython() -> Path:
    """The shared library of the running Python."""
    name, folder = sysconfig.get_config_var("INSTSONAME"), sysconfig.get_config_var("LIBDIR")
    if sysconfig.get_config_var("Py_ENABLE_SHARED") and name and folder:
        places: tuple[Path, Path] = (
            Path(folder) / name,
            Path(folder) / (sysconfig.get_config_var("MULTIARCH") or "") / name,
        )
        for path in places:
            if path.is_file():
                return path
        install = package(name)
        raise Missing(
            f"{name}, the shared library of {sys.executable}, which the agent embeds, is not in {folder}"
            + f": {install}" * bool(install)
        )
    beside = Path(folder or "") / f"libpython{sys.version_info[0]}.{sys.version_info[1]}.so.1.0"
    if beside.is_file():  # conda's program does not use it, but has it
        return beside
    version = sys.version.split()[0]
    if (Path(sys.base_prefix) / "conda-meta").is_dir():
        raise Missing(f"{beside}, which the agent embeds, is missing: conda install --force-reinstall python={version}")
    install = package()
    raise Missing(
        f"{sys.executable} was built without a shared libpython, which the agent embeds: use the distribution's Python,"
        " as in make PYTHON=/usr/bin/python3"
        + f" ({install})"
        * bool(install)
        + ", or build Python with --enable-shared (pyenv: PYTHON_CONFIGURE_OPTS=--enable-shared pyenv install"
        f" {version})"
    )


def package(name: str = "") -> str:
    """The command to install the package with the shared libpython on this distribution; empty if that is unknown.
    `name`: of the library, as `libpython3.13.so.1.0`; else the running Python's."""
    for path in RELEASES:
        if path.is_file():
            lines = (line.partition("=") for line in path.read_text(errors="replace").splitlines())
            fields = {key: value.strip("\"'") for key, _, value in lines}
            likes = [fields.get("ID", ""), *fields.get("ID_LIKE", "").split()]
            found = next((like.partition("-")[0] for like in likes if like.partition("-")[0] in PACKAGES), "")
            if found:
                version = (
                    name.removeprefix("libpython").partition(".so")[0] or f"{sys.version_info[0]}.{sys.version_info[1]}"
                )
                return PACKAGES[found].format(version.replace(".", "_") if found == "suse" else version)
            break
    return ""


def main() -> int:
    """Prints everything that is missing; returns the exit status."""
    missing = []
    for look in (python, javac, compiler, libpython):
        try:
            look()
        except Missing as absent:
            missing.append(str(absent))
    for text in missing:
        print(f"classhook: {text}", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())

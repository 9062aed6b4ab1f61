"""The package `classhook` as a folder: the checkout has its rooms at the top level, and installed, they lie under one
name.

`build/tree/classhook` consists of links: to what is in instrument/, which is the package itself, and to classfile/,
native/ and rules/, which are subpackages of it. setuptools, mypy, mypyc and editors take it for the folder of the
sources; an editable install puts build/tree into Python's path. This module imports nothing of the project: it runs
before there is a package.
"""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / "build" / "tree"
PACKAGE = "classhook"
TOP = "instrument"  # the folder whose contents are the package's own
BESIDE = ("classfile", "native", "rules")
NOT_LINKED = ("__pycache__",)


def wanted() -> dict[str, Path]:
    """The names in the package's folder, and what each is a link to."""
    inside = {path.name: path for path in sorted((ROOT / TOP).iterdir()) if path.name not in NOT_LINKED}
    return inside | {name: ROOT / name for name in BESIDE}


def make() -> Path:
    """Makes the links that are missing and removes those that are no longer wanted; returns the folder for Python's
    path."""
    package = TREE / PACKAGE
    package.mkdir(parents=True, exist_ok=True)
    links = {name: Path(os.path.relpath(target, package)) for name, target in wanted().items()}
    for path in package.iterdir():
        if path.is_symlink() and (path.name not in links or path.readlink() != links[path.name]):
            path.unlink()
    for name, target in links.items():
        if not (package / name).is_symlink():
            (package / name).symlink_to(target)
    return TREE


if __name__ == "__main__":
    print(make())

"""Runs tests in a copy of the checkout from which an extension is removed, with those that need it:

    python -m tools.without hprof tests/unit -q

All but the name is pytest's. The copy is built without mypyc in build/without/NAME.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from classhook.extensions import ALL

ROOT = Path(__file__).parents[1]
#: Folders in which an extension has a folder of its name.
FOLDERS = ("instrument/extensions", "native/extensions", "tests/extensions")
#: Tools that measure or make something of an extension.
TOOLS = {
    "fleet": ("tools/fleet/",),
    "heap": ("tools/strangers/suites/heaps/",),
    "jvmpi": ("tools/stress/jvmpi_script.py",),
    "selection": ("tools/mutants/", "tools/replay/", "tools/victims/"),
}


def removed(name: str) -> set[str]:
    """The extension, and those that need it."""
    found = {name}
    while more := {one.name for one in ALL if found & {*one.needs}} - found:
        found |= more
    return found


def copied(name: str, to: Path) -> Path:
    """The files of the checkout without the extension's, in a new folder."""
    shutil.rmtree(to, ignore_errors=True)
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    gone = tuple(
        path for one in removed(name) for path in (*(f"{folder}/{one}/" for folder in FOLDERS), *TOOLS.get(one, ()))
    )
    for file in done.stdout.split("\0"):
        if file and not file.startswith(gone) and (ROOT / file).exists():
            (to / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / file, to / file, follow_symlinks=False)
    return to


def environment(copy: Path) -> dict[str, str]:
    """In which Python imports the copy."""
    return {
        **os.environ,
        "PYTHONPATH": f"{copy / 'build' / 'tree'}:{copy}",
        "CLASSHOOK_PURE": "1",
        "GIT_CEILING_DIRECTORIES": str(copy.parent),  # the copy is no part of the checkout that it lies in
    }


def built(copy: Path) -> Path:
    """The copy, with what is compiled."""
    subprocess.run([sys.executable, "native/building/tree.py"], cwd=copy, check=True, stdout=subprocess.DEVNULL)
    line = [sys.executable, "-m", "classhook.native.building"]
    subprocess.run(line, cwd=copy, env=environment(copy), check=True)
    return copy


def main() -> int:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m tools.without", description=__doc__, formatter_class=form)
    parser.add_argument("extension", choices=sorted(one.name for one in ALL))
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="pytest's arguments")
    chosen = parser.parse_args()
    copy = built(copied(chosen.extension, ROOT / "build" / "without" / chosen.extension))
    line = [sys.executable, "-m", "pytest", *chosen.arguments]
    return subprocess.run(line, cwd=copy, env=environment(copy)).returncode


if __name__ == "__main__":
    sys.exit(main())

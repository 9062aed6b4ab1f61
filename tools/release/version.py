"""The version: pyproject.toml has it, and the changelog a section of it. What else names it is compared."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
EXTENSION = TOP / "docs" / "examples" / "editors" / "vscode"
#: Files that are released under names with a version: wheels, the source distribution, the extension for editors.
NAMED = re.compile(r"classhook(?:-rules|/docs/examples/ci/action)?(?:-|==|@v?)(\d+\.\d+\.\d+)")
PLACES = ("README.md", "docs/**/*.md", "docs/examples/ci/**/*")


def version() -> str:
    """The version in pyproject.toml."""
    return str(tomllib.loads((TOP / "pyproject.toml").read_text())["project"]["version"])


def differences() -> Iterator[str]:
    """Finds files that have another version, a sentence for each."""
    wanted = version()
    section = re.search(r"^## \[([^\]]+)\]", (TOP / "CHANGELOG.md").read_text(), re.MULTILINE)
    if section is None or section[1] != wanted:
        yield f"CHANGELOG.md does not begin with a section [{wanted}]"
    for name in ("package.json", "package-lock.json"):
        other = json.loads((EXTENSION / name).read_text())["version"]
        if other != wanted:
            yield f"{EXTENSION.relative_to(TOP)}/{name} has {other}, not {wanted}"
    for file in sorted(path for place in PLACES for path in TOP.glob(place) if path.is_file()):
        for other in {*NAMED.findall(file.read_text(errors="replace"))} - {wanted}:
            yield f"{file.relative_to(TOP)} names files of {other}, not of {wanted}"

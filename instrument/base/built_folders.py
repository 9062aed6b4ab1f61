"""The folders into which Maven, Gradle and IDEs compile."""

from __future__ import annotations

import os
from pathlib import Path

#: The folders where build tools put classes and resources; an asterisk stands for one folder.
BUILT = (
    "target/classes",
    "target/test-classes",
    "build/classes/*/*",
    "build/resources/*",
    "out/production/*",
    "out/test/*",
    "target/scala-*/classes",
    "target/scala-*/test-classes",
)
TOPS = frozenset(pattern.partition("/")[0] for pattern in BUILT)
NOT_ENTERED = frozenset({"node_modules", "src", "__pycache__", *TOPS})


def find(folder: Path) -> list[Path]:
    """The folders below this one into which build tools compile."""
    found: list[Path] = []
    for path, folders, _ in os.walk(folder):
        here = Path(path)
        if not TOPS.isdisjoint(folders):
            found += [one for pattern in BUILT for one in sorted(here.glob(pattern)) if one.is_dir()]
        folders[:] = sorted(name for name in folders if name not in NOT_ENTERED and not name.startswith("."))
    return found

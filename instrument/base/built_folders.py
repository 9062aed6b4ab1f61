"""The folders into which Maven, Gradle and IDEs compile."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
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
    return [one for one in matching(folder, BUILT) if one.is_dir()]


def matching(folder: Path, patterns: Sequence[str]) -> Iterator[Path]:
    """Yields the paths in this folder, and in those below it, that match one of these patterns. Each pattern begins
    with a folder of TOPS."""
    for path, folders, _ in os.walk(folder):
        if not TOPS.isdisjoint(folders):
            for pattern in patterns:
                yield from sorted(Path(path).glob(pattern))
        folders[:] = sorted(name for name in folders if name not in NOT_ENTERED and not name.startswith("."))

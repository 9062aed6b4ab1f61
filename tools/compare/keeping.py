"""Keeps the results of earlier comparisons, so that one that was interrupted goes on where it ended.

1. A row's result is kept with a digest of all code that it depends on, ours and the comparison's, which names the
   libraries' versions: if that has changed, the row is compared again.
2. The data of JaCoCo's runs is kept with a digest of what ran: the class files, the jars' names and the command. Our
   own changes leave it valid, so that only our runs and the comparison are repeated.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from tools.compare.libraries import Built
from tools.compare.running import Compared

ROOT = Path(__file__).parents[2]
CODE = (
    "classfile",
    "instrument",
    "native",
    "rules",
    "tools/compare",
    "tests/coverage/conftest.py",
    "tests/coverage/java/oracle",
    "tests/peers.py",
)
#: Without the page's own form.
SUFFIXES = (".py", ".c", ".h", ".java", ".kt", ".scala", ".lark")
UNRELATED = ("tools/compare/__main__.py", "tools/compare/page.py", "tools/compare/keeping.py")


def files(path: Path) -> Iterator[Path]:
    """This file, or all files of this folder."""
    yield from (file for file in sorted(path.rglob("*")) if file.is_file()) if path.is_dir() else [path]


@cache
def code() -> str:
    """The digest of our code."""
    digest = hashlib.sha256()
    for part in CODE:
        for file in files(ROOT / part):
            name = str(file.relative_to(ROOT))
            if file.suffix in SUFFIXES and name not in UNRELATED and not file.name.startswith("_"):
                digest.update(f"{name}\n".encode() + file.read_bytes())
    return digest.hexdigest()


def what_runs(built: Built, words: Iterable[str | Path]) -> str:
    """The digest of a command, and of the class files and jars that it names."""
    digest = hashlib.sha256()
    for word in map(str, [*words, built.classes, *built.packages, *built.words]):
        digest.update(f"{word}\n".encode())
        for path in map(Path, word.split(os.pathsep)):
            for file in files(path) if path.is_absolute() and path.exists() else ():
                digest.update(
                    file.read_bytes() if file.suffix == ".class" else f"{file}\t{file.stat().st_size}\n".encode()
                )
    return digest.hexdigest()


@dataclass(frozen=True)
class Kept:
    """Results and runs in a folder."""

    folder: Path

    def result(self, row: str) -> Compared | None:
        """A row's result, unless our code has changed since."""
        try:
            content = json.loads((self.folder / f"{row}.json").read_text())
        except (OSError, ValueError):
            return None
        return Compared(**content["found"]) if content["code"] == code() else None

    def keep(self, row: str, found: Compared) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._write(self.folder / f"{row}.json", json.dumps({"code": code(), "found": asdict(found)}, indent=1))

    def run(self, built: Built, words: list[str | Path], number: int, run: Callable[[Path], str]) -> tuple[Path, str]:
        """The data file of the n-th such run, and what it printed. `run` writes the file if there is none."""
        folder = self.folder / "jacoco" / what_runs(built, words)[:32]
        file, text = folder / f"{number}.exec", folder / f"{number}.txt"
        if not text.exists():
            folder.mkdir(parents=True, exist_ok=True)
            file.unlink(missing_ok=True)  # JaCoCo would append to it
            self._write(text, run(file))
        return file, text.read_text()

    @staticmethod
    def _write(file: Path, text: str) -> None:
        """All or nothing."""
        part = file.with_suffix(f".{os.getpid()}")
        part.write_text(text)
        part.rename(file)

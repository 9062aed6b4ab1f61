"""asmtools, built from its sources, which assembles `.jasm` and `.jcod` files."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from tools.compare.fetching import Failed, tool
from tools.corpus.machines import Machine
from tools.strangers.suite import Place

JAVA = Path(__file__).parents[2] / "java" / "Assemble.java"


def built(place: Place, java: Machine) -> tuple[Path, Path, str]:
    """The class path with asmtools on it, its repository, and the version. Raises Failed."""
    clone, version = place.clone("openjdk", "asmtools")
    to = place.folder / "tool"
    if not to.exists():
        part = to.with_suffix(".part")
        shutil.copytree(clone / "src", part, ignore=shutil.ignore_patterns("*.java"), dirs_exist_ok=True)
        tool(java.java.parent / "javac", "-nowarn", "-d", part, JAVA, *(clone / "src").rglob("*.java"))
        part.rename(to)
    return to, clone, version


def assembled(place: Place, java: Machine, class_path: Path, sources: Iterable[Path]) -> dict[Path, Path]:
    """The folder with the classes of each source; those of which asmtools makes none are missing. Raises Failed."""
    out = place.folder / "assembled"
    shutil.rmtree(out, ignore_errors=True)
    folders = {source: out / str(number) for number, source in enumerate(sources)}
    lines = place.folder / "sources.txt"
    lines.write_text("".join(f"{folder}\t{source}\n" for source, folder in folders.items()))
    tool(java.java, "-cp", class_path, "Assemble", lines)
    found = {source: folder for source, folder in folders.items() if any(folder.rglob("*.class"))}
    if not found:
        raise Failed("asmtools assembled nothing")
    return found

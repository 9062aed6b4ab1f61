"""The order of the pages: that of docs/index.md and of the indexes of folders, as trees for Sphinx."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
TO_PAGE = re.compile(r"\]\(([\w/.-]+)\.md\)")
#: Folders whose pages are listed under their own index, in the order of their names.
WITH_INDEX = ("commands", "decisions")
FIRST = "Start"


def add_trees(folder: Path, pages: Sequence[Path]) -> None:
    """Appends the trees to the indexes of the site's sources."""
    index = folder / "index.md"
    text, seen = index.read_text(), {"index"}
    trees = []
    for caption, part in _sections(text):
        names = [name for name in dict.fromkeys(TO_PAGE.findall(part)) if name not in seen and ".." not in name]
        seen.update(names)
        trees.append(_tree(names, caption))
    for inner in WITH_INDEX:
        inner_names = sorted(
            f"{inner}/{page.stem}" for page in pages if page.parent == Path(inner) and page.stem != "index"
        )
        seen.update(inner_names)
        with (folder / inner / "index.md").open("a") as file:
            file.write(_tree(inner_names))
    rest = [page.with_suffix("").as_posix() for page in pages if page.with_suffix("").as_posix() not in seen]
    index.write_text(text + "".join(trees) + _tree(rest, "More"))


def _sections(text: str) -> list[tuple[str, str]]:
    """The parts of the index, each with its heading."""
    first, *parts = HEADING.split(text)
    return [(FIRST, first), *zip(parts[::2], parts[1::2], strict=True)]


def _tree(names: Sequence[str], caption: str = "") -> str:
    if not names:
        return ""
    head = [f":caption: {caption}"] if caption else []
    return "\n" + "\n".join(["```{toctree}", ":hidden:", *head, "", *(f"/{name}" for name in names), "```", ""])

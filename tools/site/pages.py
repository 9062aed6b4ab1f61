"""The pages of the site: those of docs/, and what they link to elsewhere in the repository.

Links keep their meaning: those from docs/ to pages above it, and those of these to docs/, become links within the site;
other files that a page links to are part of the site, as they are.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from classhook.base.errors import Failure

TOP = Path(__file__).resolve().parents[2]
DOCS = TOP / "docs"
#: Pages above docs/ that belong to the site.
ABOVE = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE")
FILES = "files"  # the folder of the site for files from elsewhere in the repository
LINK = re.compile(r"(?P<before>!?\[[^\]]*\]\()(?P<to>[^)\s#]*)(?P<rest>[^)]*\))")
FENCE = re.compile(r"^( *```.*?^ *```)", re.MULTILINE | re.DOTALL)


def write(folder: Path) -> list[Path]:
    """Writes the sources of the site; returns the pages, relative to the folder. Raises Failure for a link to nothing."""
    shutil.rmtree(folder, ignore_errors=True)
    pages = {path: path.relative_to(DOCS) for path in sorted(DOCS.rglob("*")) if path.is_file() and _counts(path)}
    pages |= {TOP / name: Path(name) for name in ABOVE}
    for source, to in pages.items():
        (folder / to).parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            text = _with_links(source, to, pages, folder)
            (folder / to).write_text(text)
        else:
            shutil.copyfile(source, folder / to)
    return sorted(
        path.relative_to(folder) for path in folder.rglob("*.md") if FILES not in path.relative_to(folder).parts
    )


def _listing(target: Path, folder: Path) -> Path:
    """A page that lists the files of a folder of docs/."""
    place = target.relative_to(DOCS) / "index.md"
    (folder / place).parent.mkdir(parents=True, exist_ok=True)
    files = "".join(f"- [{file.name}]({file.name})\n" for file in sorted(target.iterdir()) if file.is_file())
    (folder / place).write_text(f"# {target.relative_to(DOCS)}\n\n{files}")
    return place


def _counts(path: Path) -> bool:
    return not any(part.startswith((".", "__")) for part in path.relative_to(DOCS).parts)


def _with_links(source: Path, page: Path, pages: dict[Path, Path], folder: Path) -> str:
    """The text of a page, with links as they are in the site."""

    def changed(link: re.Match[str]) -> str:
        to = link["to"]
        if not to or "://" in to or to.startswith("mailto:"):
            return link[0]
        target = (source.parent / to).resolve()
        if not target.exists():
            raise Failure(f"{source.relative_to(TOP)}: a link to {to}, which does not exist")
        if target.is_dir() and not target.is_relative_to(DOCS):
            raise Failure(f"{source.relative_to(TOP)}: a link to the folder {to}: link to a file of it")
        place = pages.get(target / "index.md" if target.is_dir() else target)
        if place is None and target.is_dir():
            place = _listing(target, folder)
        if place is None:
            place = Path(FILES) / target.relative_to(TOP)
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(target, folder / place)
        return f"{link['before']}{_relative(place, page)}{link['rest']}"

    parts = FENCE.split(source.read_text())
    return "".join(part if FENCE.match(part) else LINK.sub(changed, part) for part in parts)


def _relative(to: Path, page: Path) -> str:
    return "../" * len(page.parent.parts) + to.as_posix()

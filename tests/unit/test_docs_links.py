"""Links between the project's pages lead somewhere, and all pages under docs/ can be reached from docs/index.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    [*DOCS.rglob("*.md"), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"))]
)
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)|\b(?:src|srcset|href)=\"([^\"]+)\"")


def links(page: Path) -> list[tuple[Path, str]]:
    """The files that a page links to, with their anchors."""
    found = []
    for one in LINK.finditer(CODE.sub("", page.read_text())):
        target = one[1] or one[2]
        if not re.match(r"[a-z]+:", target):
            path, _, anchor = target.partition("#")
            found.append(((page.parent / path).resolve() if path else page, anchor))
    return found


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub names them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    missing = [str(path) for path, _ in links(page) if not path.exists()]
    assert missing == []
    unknown = [
        f"{path.name}#{anchor}"
        for path, anchor in links(page)
        if anchor and path.suffix == ".md" and anchor not in anchors(path)
    ]
    assert unknown == []


def test_all_pages_can_be_reached_from_the_index() -> None:
    seen, new = set(), {DOCS / "index.md"}
    while new:
        seen |= new
        new = {path for page in new for path, _ in links(page) if path.suffix == ".md" and DOCS in path.parents} - seen
    assert sorted(str(page.relative_to(DOCS)) for page in set(DOCS.rglob("*.md")) - seen) == []


def test_tables_have_a_head() -> None:
    """A row of a table stands in a table: a blank line within one breaks it."""
    for page in PAGES:
        rows = re.findall(
            r"(?<!\|)\n\n(\|[^\n]*)\n(?!\|[ :|-]+\|?\n)",
            CODE.sub(lambda one: one[0].replace("|", ""), page.read_text()),
        )
        assert rows == [], page

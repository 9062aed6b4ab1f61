"""The documentation as a site: no link leads nowhere, and a browser shows each page as wide as its window."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import Look

for needed in ("sphinx", "myst_parser", "furo"):
    pytest.importorskip(needed, reason=f"{needed} is not installed: pip install -e '.[site]'")

from tools.site.__main__ import build  # noqa: E402

pytestmark = pytest.mark.slow
SHOWN = ("index.html", "questions/cookbook.html", "explained/performance.html", "commands/run.html", "CHANGELOG.html")
FOUND = """
  for (let i = 0; i < 100 && !document.querySelector("ul.search li"); i++) await pause(100);
  return [...document.querySelectorAll("ul.search li a")].map(link => link.textContent);
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    build(folder / "site")
    return folder / "site"


def addresses(site: Path) -> Iterator[tuple[Path, str]]:
    """Finds the addresses of the links, images, styles and scripts of all pages, each with its page."""
    for page in site.rglob("*.html"):
        yield from ((page, found) for found in re.findall(r'(?:href|src)="([^"]*)"', page.read_text()))


def test_all_is_there_and_nothing_comes_from_elsewhere(site: Path) -> None:
    anchors: dict[Path, set[str]] = {}
    for page, address in addresses(site):
        path, _, anchor = address.partition("#")
        path = path.partition("?")[0]
        if "://" in path:
            assert path.startswith("https://"), (page, path)
            continue
        target = page if not path else page.parent / path
        assert target.is_file(), (page, address)
        if anchor and target.suffix == ".html":
            known = anchors.setdefault(target, set(re.findall(r'id="([^"]*)"', target.read_text())))
            assert anchor in known, (page, address)
    fetched = [
        line
        for page in site.rglob("*.html")
        for line in re.findall(r"<(?:script|link)[^>]*https?://[^>]*>", page.read_text())
    ]
    assert fetched == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [480, 1400])
def test_in_a_browser(site: Path, look: Look, width: int, dark: bool) -> None:
    colours = set()
    for name in SHOWN:
        wide, colour = look(
            site / name,
            "return [document.documentElement.scrollWidth, getComputedStyle(document.body).backgroundColor];",
            width=width,
            dark=dark,
        )
        assert wide <= width, name
        colours.add(colour)
    assert len(colours) == 1
    assert sum(map(int, re.findall(r"\d+", colours.pop())[:3])) < 200 if dark else 600


def test_search(site: Path, look: Look) -> None:
    assert "What do threads wait for?" in look(site / "search.html", FOUND, at="?q=deadlocks")

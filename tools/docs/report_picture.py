"""Draws the pictures of the report's page from a real run: `python -m tools.docs.report_picture` writes
docs/images/report.png and docs/images/report-dark.png. It needs Chromium.

The program is the example's tests, in a folder that the pictures call /home/me/shop.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from tests.browser import BROWSERS, MISSING, Browser
from tools.docs.sessions import ROOT, Session, prepare, run

IMAGES = ROOT / "docs" / "images"
COMMANDS = (
    "classhook run --quiet -e 'profile shop.**::*' -- java -cp classes shop.ShopTests",
    "classhook report -f html -o report.html",
)
WIDTH, HEIGHT, SCALE = 1000, 420, 1.5  # CSS pixels, and pixels of the picture for each
NAMES = {False: "report.png", True: "report-dark.png"}  # by whether it is dark


def page_in(folder: Path) -> Path:
    """The report's page, with a neutral name for the folder."""
    environment = prepare(folder)
    for command in COMMANDS:
        run(Session(command), folder, environment)
    page = folder / "report.html"
    page.write_text(page.read_text().replace(str(folder), "/home/me/shop"))
    return page


def draw(program: str, folder: Path) -> None:
    """Both pictures."""
    page, profile = page_in(folder), folder / ".browser"
    profile.mkdir()
    browser = Browser(program, profile)
    try:
        for dark, name in NAMES.items():
            browser.open(f"file://{page}", WIDTH, HEIGHT, dark)
            browser.call(
                "Emulation.setDeviceMetricsOverride",
                width=WIDTH,
                height=HEIGHT,
                deviceScaleFactor=SCALE,
                mobile=False,
            )
            browser.screenshot(IMAGES / name)
            print((IMAGES / name).relative_to(ROOT))
    finally:
        browser.close()


def main() -> int:
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        print(MISSING, file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="classhook-docs-", ignore_cleanup_errors=True) as name:
        folder = Path(name) / "shop"
        folder.mkdir()
        draw(program, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())

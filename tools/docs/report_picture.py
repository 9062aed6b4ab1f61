"""Draws the pictures of the report's page from a real run: `python -m tools.docs.report_picture` writes
docs/images/report.png and docs/images/report-dark.png. It needs Chromium.

The program is the example's tests, in a folder that the pictures call /home/me/shop.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tools.docs.pictures import draw
from tools.docs.sessions import Session, prepare, run

COMMANDS = (
    "classhook run --quiet -e 'profile shop.**::*' -- java -cp classes shop.ShopTests",
    "classhook report -f html -o report.html",
)
WIDTH, HEIGHT = 1200, 420


def page_in(folder: Path) -> Path:
    """The report's page, with a neutral name for the folder."""
    environment = prepare(folder)
    for command in COMMANDS:
        run(Session(command), folder, environment)
    page = folder / "report.html"
    page.write_text(page.read_text().replace(str(folder), "/home/me/shop"))
    return page


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="classhook-docs-", ignore_cleanup_errors=True) as name:
        folder = Path(name) / "shop"
        folder.mkdir()
        draw(page_in(folder).as_uri(), folder, "report", WIDTH, HEIGHT)
    return 0


if __name__ == "__main__":
    sys.exit(main())

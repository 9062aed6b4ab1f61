"""Pictures of a page in a browser, light and dark: shared by those that are in the docs."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.browser import BROWSERS, MISSING, Browser
from tools.docs.sessions import ROOT

IMAGES = ROOT / "docs" / "images"
SCALE = 1.5  # pixels of the picture for each of the page


def browser_program() -> str:
    """Exits with a message if there is none."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        raise SystemExit(MISSING)
    return program


def draw(address: str, folder: Path, name: str, width: int, height: int, actions: str = "") -> None:
    """Writes NAME.png and NAME-dark.png. `folder`: for the browser's files; `width`, `height`: of the page, in its
    pixels; `actions`: what is done there first, as Browser.do takes it."""
    profile = folder / ".browser"
    profile.mkdir()
    browser = Browser(browser_program(), profile)
    try:
        for dark in (False, True):
            browser.open(address, width, height, dark)
            if actions:
                browser.do(actions)
            browser.call(
                "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=SCALE, mobile=False
            )
            picture = IMAGES / f"{name}{'-dark' * dark}.png"
            browser.screenshot(picture)
            print(picture.relative_to(ROOT))
    finally:
        browser.close()

"""Pages of HTML that need nothing else: a template, with the styles and scripts that pages share, and the data.

`/*INCLUDE page.css*/` in a template stands for a file of this folder, or of the template's own.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from classhook.reports.titles import titled

SHARED = Path(__file__).parent
INCLUDED = re.compile(r"/\*INCLUDE ([\w.]+)\*/")
DATA = "/*DATA*/null"


def template(path: Path) -> str:
    """The text of a template, with what it includes."""

    return INCLUDED.sub(lambda found: included(found[1], path.parent), path.read_text(encoding="utf-8"))


def included(name: str, folder: Path = SHARED) -> str:
    """The text of a file of this folder, or of another one if that has it."""
    own = folder / name
    return (own if own.exists() else SHARED / name).read_text(encoding="utf-8").rstrip("\n")


def style() -> str:
    """The style of pages without panels, which are read from the top to the bottom."""
    return f"{included('page.css')}\n{included('document.css')}\n"


def page(path: Path, data: Any, title: str) -> str:
    """The page of a template, with its data and title."""
    return titled(template(path).replace(DATA, script_of(data)), title)


def script_of(data: Any) -> str:
    """Data as a part of a script."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")  # nothing in it ends the script

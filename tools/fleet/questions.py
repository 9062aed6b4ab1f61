"""The questions of docs/questions/fleet.md: titles and SQL."""

from __future__ import annotations

import re

from tools.docs.sessions import ROOT

PAGE = ROOT / "docs" / "questions" / "fleet.md"
QUESTION = re.compile(r"^### (.+?)\n.*?<<'END'\n(.+?)\nEND\n", re.MULTILINE | re.DOTALL)


def questions() -> list[tuple[str, str]]:
    return QUESTION.findall(PAGE.read_text())

"""Docstrings begin with a verb or a noun, so that a reader sees what a thing does or is."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("classfile", "instrument", "native", "rules", "tests", "tools")
AVOIDED = ("As", "How", "Of", "Those", "What", "Where", "Whether", "Which", "Whose")
BEGIN = re.compile(rf'^\s*(?:"""|#: )(?:{"|".join(AVOIDED)})\b.*', re.MULTILINE)


def test_docstrings_begin_with_a_verb_or_a_noun() -> None:
    found = []
    for path in (path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))):
        text = path.read_text()
        for one in BEGIN.finditer(text):
            found.append(f"{path.relative_to(ROOT)}:{text[: one.end()].count(chr(10)) + 1}: {one[0].strip()}")
    assert found == []

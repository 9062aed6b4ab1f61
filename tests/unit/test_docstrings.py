"""Docstrings begin with a verb or a noun: a reader sees what a thing does or is, not a clause without its sentence."""

from __future__ import annotations

import re
import subprocess

from tests import ROOT

AVOIDED = ("As", "How", "Of", "Those", "What", "Where", "Whether", "Which", "Whose")
BEGIN = re.compile(rf'^\s*(?:"""|#: )(?:{"|".join(AVOIDED)})\b', re.MULTILINE)


def test_docstrings_begin_with_a_verb_or_a_noun() -> None:
    done = subprocess.run(["git", "ls-files", "-z", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True)
    found = []
    for name in (name for name in done.stdout.split("\0") if name and (ROOT / name).exists()):
        text = (ROOT / name).read_text()
        found += [f"{name}:{text[: one.end()].count(chr(10)) + 1}: {one[0].strip()}" for one in BEGIN.finditer(text)]
    assert found == []

"""docs/explained/architecture.md names every folder, and no file that does not exist."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explained" / "architecture.md").read_text()
NOT_FOLDERS_OF_OURS = {"java", "asm", "kotlin", "scala", "spring", "builds", "languages"}  # programs under test


def tracked() -> list[str]:
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("no checkout")
    return done.stdout.splitlines()


def test_every_folder_is_on_the_map() -> None:
    folders = {str(Path(file).parent) for file in tracked() if "/" in file and not file.startswith(".")}
    ours = {folder for folder in folders if not NOT_FOLDERS_OF_OURS & set(folder.split("/"))}
    named = {name.rstrip("/") for name in re.findall(r"`([\w/]+/)`", PAGE)}
    assert ours - named - {"rules/stock"} == set()


def test_every_file_that_is_named_is_there() -> None:
    files = set(tracked())
    named = {name for name in re.findall(r"`([\w/]+/[\w.]+\.(?:py|c|h|lark))`", PAGE)}
    assert named
    assert named - files == set()

"""docs/explained/architecture.md names every folder, and no file that does not exist."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.unit.test_imports import ROOMS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explained" / "architecture.md").read_text()
NOT_FOLDERS_OF_OURS = {"java", "asm", "kotlin", "scala", "spring", "builds", "languages"}  # programs under test

#: Folders of which the page describes all together: those that each extension may have, and those beside others that are
#: alike.
ALIKE = (
    r"instrument/extensions/\w+/commands$|tests/extensions/\w+/\w+$"
    r"|(instrument/measures|tests/unit|docs/examples|tools)/.+"
)


def tracked() -> list[str]:
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("no checkout")
    return done.stdout.splitlines()


def test_every_folder_is_on_the_map() -> None:
    folders = {str(Path(file).parent) for file in tracked() if "/" in file and not file.startswith(".")}
    ours = {folder for folder in folders if not NOT_FOLDERS_OF_OURS & set(folder.split("/"))}
    named = {name.rstrip("/") for name in re.findall(r"`([\w/]+/)`", PAGE)}
    within = {folder for folder in ours if re.match(ALIKE, folder)}
    assert ours - named - within - {"rules/stock"} == set()


def test_rooms_are_in_the_order_in_which_they_may_import_each_other() -> None:
    table = PAGE.partition("\n| folder | holds |\n")[2].partition("\n\n")[0]
    found = dict.fromkeys(re.findall(r"`instrument/(\w+)/`", table))
    of_measures = ("readers", "shown")  # modules of these
    assert [*found] == [room for room in ROOMS if "." not in room and room not in of_measures] + ["extensions"]


def test_every_file_that_is_named_is_there() -> None:
    files = set(tracked())
    named = {name for name in re.findall(r"`([\w/]+/[\w.]+\.(?:py|c|h|lark))`", PAGE)}
    assert named
    assert named - files == set()

"""Promises of docs/reference/stability.md: names that stay, and data files of older versions."""

from __future__ import annotations

import re
from pathlib import Path

from classhook.extensions import ALL, EXTENSIONS
from tools.release.version import differences
from tools.surface import PAGE, surface

CHANGELOG = Path(__file__).parents[2] / "CHANGELOG.md"
MOST_LINES = 40  # of the changelog, for a version


def test_no_name_is_gone_and_each_new_one_is_listed() -> None:
    listed, there = PAGE.read_text().splitlines(), surface()
    if len(EXTENSIONS) < len(ALL):  # the copies of tools.without
        assert set(there) - set(listed) == set()
        return
    assert set(listed) - set(there) == set(), "versions 1.x keep these names"
    assert there == listed, "new names: write them by `python -m tools.generated`"


def test_all_that_names_the_version_agrees() -> None:
    assert [*differences()] == []


def test_a_version_has_few_lines_in_the_changelog() -> None:
    _, *sections = re.split(r"^## ", CHANGELOG.read_text(), flags=re.MULTILINE)
    assert len(sections) >= 2
    assert {
        section.split()[0]: len(section.splitlines()) for section in sections if section.count("\n") > MOST_LINES
    } == {}

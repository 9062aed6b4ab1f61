"""Data of older versions, packed with the report as JSON that they had then: each key is still there, with its value.

A file is made when a version is released, with what that version measures, and stays as it is. (Until 1.0 is released,
its file may be made again: docs/examples/shop, with one rule of each kind.)
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tests.conftest import classhook_command, execute

FOLDER = Path(__file__).parent


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.zip")), ids=lambda file: file.stem)
def test_older_data_says_the_same(file: Path, tmp_path: Path) -> None:
    with ZipFile(file) as packed:
        packed.extractall(tmp_path)
    done = execute([*classhook_command(), "report", tmp_path, "-f", "json"])
    assert done.status == 0, done.stderr
    expected = json.loads((tmp_path / "report.json").read_text())
    assert sum(bool(rows) for rows in expected.values()) > 10, "a report with little in it proves little"
    compare(expected, json.loads(done.stdout), "")


def compare(expected: Any, found: Any, at: str) -> None:
    """Asserts that all that is expected is found; more may be."""
    if isinstance(expected, dict):
        for key, value in expected.items():
            assert key in found, f"{at}.{key}"
            compare(value, found[key], f"{at}.{key}")
    elif isinstance(expected, list):
        assert len(expected) == len(found), at
        for i, (one, other) in enumerate(zip(expected, found, strict=True)):
            compare(one, other, f"{at}[{i}]")
    elif at != ".processes[0].end":  # whether a process ends later is not in its file
        assert expected == found, at

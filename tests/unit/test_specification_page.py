"""docs/reference/specification.md: each test that it names is there, and it leaves nothing out."""

from __future__ import annotations

import re
from pathlib import Path

from classhook.extensions.hprof.options import OPTIONS
from classhook.extensions.jvmpi.events import EVENTS
from classhook.extensions.jvmpi.functions import FUNCTIONS, MORE

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "reference" / "specification.md").read_text()
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in TEXT.splitlines()
    if line.startswith("| ") and not line.startswith("| row")
]


def test_each_row_says_how_it_is_and_names_tests_that_are_there() -> None:
    assert len(ROWS) > 80
    for row in ROWS:
        assert len(row) == 4, row
        assert row[1] in ("yes", "differs", "no"), row
        assert row[1] == "yes" or row[2], row
        tests = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", row[3])
        assert tests, row
        for file, name in tests:
            assert re.search(rf"^def {name}\(", (ROOT / file).read_text(), re.MULTILINE), (file, name)


def test_nothing_is_left_out() -> None:
    named = {word for row in ROWS for word in re.findall(r"[A-Za-z_]\w+", row[0])}
    events, functions = (
        {kind.name for kind in EVENTS},
        {one.name for one in FUNCTIONS + MORE if one.name not in ("LostEvents", "GetMethodName")},
    )
    options = {option.name for option in OPTIONS} - {"jdk", "exact"}
    assert events | functions | options <= named, (events | functions | options) - named

"""Every command of the pages runs, and prints what the page says, but for numbers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.sessions import MORE, PAGES, ROOT, Session, blocks, parse, prepare, run, written
from tests.docs.setups import SETUPS

#: As C writes a time.
TIME = re.compile(r"\b[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}\b")
#: What differs from run to run: numbers with their units, dates, versions; what is aligned by them; JSON's marks on figures.
VARIES = re.compile(r"≤?~?[\d][\d.,:+~\-/A-Za-z]*( ?(ns|µs|ms|s|B|KiB|MiB)\b)?|\b(ns|µs|ms|s)\b|±|%|\?|[-+]|\b(True|False)\b")
#: How many rows changed: of many, chance lets one do so now and then.
COUNTED = re.compile(r"(\d+ (changed|same)(, )?)+")


def shape(line: str) -> str:
    return re.sub(r"[\s─-╿]+", " ", VARIES.sub("", COUNTED.sub("", TIME.sub("", line)))).strip()


def name_of(line: str) -> str:
    """The last column: what a row is about."""
    return re.split(r"\s{2,}", line.strip())[-1]


def check(one: Session, lines: list[str]) -> None:
    shapes, text = {shape(line) for line in lines}, "\n".join(lines)
    for line in one.said:
        if line == MORE or shape(line) in shapes:
            continue
        # which rows are among the first few differs, if they take about the same
        assert re.search(r"\d", line), f"{line!r} is not in\n{text}"
        known = name_of(line) in text or re.search(r"\.\.|\)$|^\W*\d|more", name_of(line))
        assert known, f"{name_of(line)!r} is not in\n{text}"


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_what_happens(page: str, tmp_path: Path) -> None:
    environment = prepare(tmp_path)
    sessions = [one for block in blocks((ROOT / page).read_text()) for one in block]
    assert any("classhook" in one.command for one in sessions)
    for one in sessions:
        if one.setup:
            SETUPS[one.setup](tmp_path, environment)
            continue
        lines = [line.replace(str(tmp_path), "/home/me/shop") for line in run(one, tmp_path, environment)]
        assert "Traceback" not in "\n".join(lines), lines
        assert not [line for line in lines if line.startswith("usage:")], lines
        check(one, lines)


def test_blocks_are_read_as_they_are_written() -> None:
    text = "$ one \\\n    two\nsaid\n$ python3 - <<'END'\nprint(1)\nEND\n1\n"
    sessions = parse(text)
    assert [one.command for one in sessions] == ["one \\\n    two", "python3 - <<'END'\nprint(1)\nEND"]
    assert [one.said for one in sessions] == [["said"], ["1"]]
    assert written(sessions) == f"```console\n{text}```"


def test_every_page_of_a_question_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    assert [page for page in PAGES[1:] if f"({page})" not in readme] == []

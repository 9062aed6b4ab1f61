"""Every command of the pages runs, and prints what the page says, but for numbers."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import classhook.measures.every  # noqa: F401  # registers the words of rules
from classhook.commands.groups import COMMANDS, GROUPS, WITHIN
from classhook.extensions import ALL, EXTENSIONS
from classhook.rules.parse import parse_text
from classhook.rules.words import WORDS as STATEMENTS
from tools.docs.sessions import MORE, PAGES, ROOT, Session, blocks, parse, prepare, run, written
from tools.docs.setups import SETUPS, finish

#: Commands of extensions that are not there.
GONE = {command for extension in ALL for command in extension.commands} - COMMANDS.keys()
#: Setup -> the command that its script runs.
ASKED = {"assistant": "mcp"}
#: Other words of theirs that help may say.
UNSAID = {
    *(word for one in ALL if one not in EXTENSIONS for word in one.controls),
    *(name for one in ALL if one not in EXTENSIONS for name, *_ in one.forms),
}
#: A time as C writes it.
TIME = re.compile(r"\b[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}\b")
#: Text that differs from run to run: identity hashes, numbers with their units, dates, versions; what is aligned by
#: them; JSON's marks on figures.
VARIES = re.compile(
    r"@[0-9a-f]{4,8}\b|≤?~?[\d][\d.,:+~\-/A-Za-z]*("
    r" ?(ns|µs|ms|s|B|KiB|MiB)\b)?|\b(ns|µs|ms|s)\b|±|%|\?|[-+]|\b(True|False)\b"
)
#: Numbers of changed and unchanged rows: among many, one changes by chance now and then.
COUNTED = re.compile(r"(\d+ (changed|unchanged)(, )?)+")
#: Pages whose commands run for half a minute and more: `make test-rest` has them.
LONG = {f"docs/questions/{name}.md" for name in ("assistants", "compare", "dead-code", "fleet")}
WORDS = re.compile(r"[\w-]+")
#: Words that a busy machine, or chance, adds to a line about samples.
BUSY = re.compile(
    r", instead of every \S+ .?s(?=:)|; \S+ .?s in probes, not counted for any method|; CPU time that was not sampled: .*"
)


def shape(line: str) -> str:
    return re.sub(r"[\s─-╿]+", " ", VARIES.sub("", BUSY.sub("", COUNTED.sub("", TIME.sub("", line))))).strip()


def name_of(line: str) -> str:
    """The last column: what a row is about."""
    return re.split(r"\s{2,}", line.strip())[-1]


def check_help(one: Session, lines: list[str]) -> None:
    """Python's releases lay the text out in different ways."""
    if UNSAID & set(WORDS.findall("\n".join(one.said))):
        return
    said, printed = "\n".join(one.said), "\n".join(lines)
    if sys.version_info < (3, 13):
        assert said.split() == printed.split(), f"python -m tools.docs writes it anew: {one.command}"
    assert set(re.findall(r"--[\w-]+", said)) == set(re.findall(r"--[\w-]+", printed))


def check(one: Session, lines: list[str]) -> None:
    if one.command.endswith("--help"):
        return check_help(one, lines)
    shapes, text = {shape(line) for line in lines}, "\n".join(lines)
    for line in one.said:
        if line == MORE or shape(line) in shapes:
            continue
        # which columns have room depends on the digits of the others
        if "not shown: " in text and set(WORDS.findall(line)) <= set(WORDS.findall(text)):
            continue
        # which rows are among the first few differs, if they take about the same
        assert re.search(r"\d", line), f"{line!r} is not in\n{text}"
        known = name_of(line) in text or re.search(r"\.\.|\)$|^\W*\d|more", name_of(line))
        assert known, f"{name_of(line)!r} is not in\n{text}"


@pytest.fixture(autouse=True)
def nothing_left_running() -> Iterator[None]:
    yield
    finish()


@pytest.mark.measured
@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=pytest.mark.rest) if page in LONG else page for page in PAGES]
)
def test_a_page_says_what_happens(page: str, tmp_path: Path) -> None:
    environment = prepare(tmp_path)
    sessions = [one for block in blocks((ROOT / page).read_text()) for one in block]
    assert any("classhook" in one.command for one in sessions)
    used = {name for name in GONE if any(f"classhook {name}" in one.command for one in sessions)}
    used |= GONE & {ASKED.get(one.setup) for one in sessions}
    if used:
        pytest.skip(f"there is no command {', '.join(sorted(used))}")
    for one in sessions:
        if one.setup:
            SETUPS[one.setup](tmp_path, environment)
            continue
        lines = [line.replace(str(tmp_path), "/home/me/shop") for line in run(one, tmp_path, environment)]
        assert "Traceback" not in "\n".join(lines), lines
        assert one.command.endswith("--help") or not [line for line in lines if line.startswith("usage:")], lines
        check(one, lines)


def test_blocks_are_read_as_they_are_written() -> None:
    text = "$ one \\\n    two\nsaid\n$ python3 - <<'END'\nprint(1)\nEND\n1\n"
    sessions = parse(text)
    assert [one.command for one in sessions] == ["one \\\n    two", "python3 - <<'END'\nprint(1)\nEND"]
    assert [one.said for one in sessions] == [["said"], ["1"]]
    assert written(sessions) == f"```console\n{text}```"


def test_the_cookbook_has_thirty_answers_and_all_statements() -> None:
    page = (ROOT / "docs" / "questions" / "cookbook.md").read_text()
    answers = re.split(r"^### ", page, flags=re.MULTILINE)[1:]
    rules = re.findall(r"-e '(.+?)'(?= )", page)
    assert len(answers) == 30
    assert all(
        "classhook run " in one and " -e '" in one and len(one.rpartition("```")[2].strip()) > 20 for one in answers
    )
    assert len({name for name in re.findall(r" -o (\w+) ", page)}) == 30, "each has data of its own"
    words = {one.kind for rule in rules for one in parse_text(rule, "the page")}
    assert words >= {text for text, word in STATEMENTS.items() if word.about} - {
        "tests",
        "count writes",
        "count throws",
        "time from",
    }
    assert all(re.search(rf" {clause} ", page) for clause in ("by", "below", "slowest", "tree", "live", "first"))


def test_each_command_has_a_page_with_its_help() -> None:
    for command in COMMANDS:
        page = (ROOT / "docs" / "commands" / f"{command}.md").read_text()
        for words in (command, *(f"{command} {name}" for name in WITHIN.get(command, ()))):
            assert f"$ classhook {words} --help\n" in page


def test_the_index_of_the_commands_has_their_groups() -> None:
    page = (ROOT / "docs" / "commands" / "index.md").read_text()
    sections = re.findall(r"^## (.*)\n\n\| command .*\n.*\n((?:\| .*\n)+)", page, re.MULTILINE)
    found = {title.lower(): re.findall(r"^\| \[`(\w+)`\]\(\1\.md\)", rows, re.MULTILINE) for title, rows in sections}
    found = {title: [name for name in names if name not in GONE] for title, names in found.items()}
    assert found == {title.lower(): list(commands) for title, commands in GROUPS.items()}

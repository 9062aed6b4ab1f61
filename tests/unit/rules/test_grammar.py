"""The tables of the parser: kept ones read rules as fresh ones do; those of another grammar, and damaged ones, are not
used."""

from __future__ import annotations

from pathlib import Path

import pytest

import classhook.measures.every  # noqa: F401  # registers the words
from classhook.rules import grammar
from classhook.rules.words import WORDS

RULES = [
    'time com.acme.**::* except com.acme.Gen::* as "all"',
    "alloc byte[], java.util.* in com.acme.**",
    "cover com.acme.** hits",
    "cpu every 10ms",
]
EVERY = tuple(WORDS.values())


def trees(tables: Path) -> list[object]:
    return [grammar.parser(EVERY, tables).parse(rule) for rule in RULES]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The grammars that were compiled since."""
    found: list[str] = []
    make = grammar._made

    def noted(text: str) -> object:
        found.append(text)
        return make(text)

    monkeypatch.setattr(grammar, "_made", noted)
    return found


def test_kept_tables_are_used(tmp_path: Path, made: list[str]) -> None:
    fresh = trees(tmp_path / "none")
    assert len(made) == len(RULES)
    grammar.keep(EVERY, tmp_path / "tables")
    made.clear()
    assert trees(tmp_path / "tables") == fresh
    assert made == []


@pytest.mark.core("cut")
@pytest.mark.parametrize("harm", ["other", "cut", "text", "empty"])
def test_tables_that_do_not_fit_are_not_used(harm: str, tmp_path: Path, made: list[str]) -> None:
    tables = tmp_path / "tables"
    grammar.keep(EVERY[:2] if harm == "other" else EVERY, tables)
    data = {"other": tables.read_bytes(), "cut": tables.read_bytes()[:5000], "text": b"no tables\n", "empty": b""}[harm]
    tables.write_bytes(data)
    made.clear()
    assert trees(tables) == trees(tmp_path / "none")
    assert made


def test_the_installed_ones_fit(made: list[str]) -> None:
    assert grammar.parser(EVERY).parse(RULES[0])
    assert made == []

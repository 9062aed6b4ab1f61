"""The words that choose columns are the headings of the tables."""

from __future__ import annotations

import pytest

from classhook.base.errors import UsageError
from classhook.measures.tables import tables
from classhook.reports import Options
from classhook.reports.column_words import no_column, words
from classhook.reports.comparison import thresholds
from classhook.reports.fail_if import parse
from classhook.reports.section_view import check
from classhook.rules.errors import RuleError


def test_each_heading_chooses_its_own_column_and_each_name_one() -> None:
    for section in (section for table in tables() for section in table.sections):
        for column in section.by_name.values():
            for word in (
                column.head,
                column.head.upper(),
                column.head.replace(" ", "_"),
                column.head.replace(" ", "-"),
                column.word,
            ):
                assert not word or section.chosen(word) is column, (section.kind, word)
            assert section.chosen(column.name) is not None
            assert column.word in words()


WORDS = (
    "thrown",
    "wall total",
    "Wall_Total",
    "wall",
    "not hit",
    "not-hit",
    "live objects",
    "live-objects",
    "held by",
    "still",
)


@pytest.mark.parametrize("word", WORDS)
def test_all_options_take_the_same_words(word: str) -> None:
    check(Options(sort=word, columns=(word, "method")))
    assert parse(f"{word} of com.acme.** > 2").column == word
    assert thresholds.parse(f"{word} > +10%")[0].column == word


def test_near_misses_are_answered_with_the_heading() -> None:
    assert "did you mean 'thrown'? The columns are " in no_column("exceptoins")
    assert "did you mean 'wall-total'? The columns are " in no_column("wall_totals")
    assert no_column("xyz").startswith("there is no column 'xyz'; the columns are ")
    with pytest.raises(UsageError, match="there is no column 'wal total'; did you mean 'wall-total'"):
        parse("wal total of com.acme.** > 2s")
    with pytest.raises(RuleError, match="there is no column `trown`; did you mean 'thrown'"):
        thresholds.parse("trown > +1")

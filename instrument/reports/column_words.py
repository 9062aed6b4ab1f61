"""The words that choose columns: one table of columns (instrument/tables/) says what headings are, and what options
accept."""

from __future__ import annotations

from classhook.measures.tables import tables
from classhook.tables.columns import Column, spelled


def columns(word: str) -> list[Column]:
    """The columns that a user's word means: a heading, or a column's name. Each section may have one."""
    found = (section.chosen(word) for table in tables() for section in table.sections)
    return [column for column in found if column is not None]


def words() -> list[str]:
    """The words that choose columns: the headings, with hyphens, and the names of columns without one."""
    return list(
        dict.fromkeys(
            column.word for table in tables() for section in table.sections for column in section.by_name.values()
        )
    )


def accepted() -> set[str]:
    """All words, columns' names that differ from their headings too."""
    return {word for table in tables() for section in table.sections for word in section.by_word}


def suggested(word: str, known: list[str] | None = None) -> str:
    """`; did you mean 'self'?` for a word that is nearly one of these; else nothing."""
    from difflib import get_close_matches

    close = get_close_matches(spelled(word), accepted() if known is None else known, n=1)
    if not close:
        return ""
    meant = columns(close[0])[0].word if known is None else close[0]
    return f"; did you mean '{meant}'?"


def no_column(word: str, known: list[str] | None = None) -> str:
    """The message about a word that chooses no column: a suggestion, and the existing columns. `known`: if
    not all tables'."""
    near = suggested(word, known) if word else ""
    there = f"{' The' if near else '; the'} columns are {', '.join(words() if known is None else known)}"
    return (f"there is no column '{word}'{near}" if word else "no column is named") + there

"""The probe table: what was written is read back, whatever the class's name."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from instrument.weaving.probe_table import decode, encode
from rules.escapes import escape, unescape

#: Includes characters that end a field or line, backslashes, NUL, and lone surrogates, which modified UTF-8 may contain.
names = st.text(st.one_of(st.sampled_from("\t\n\r\\tnr\0\x1b\u2028\udc00\ud800é"), st.characters()), max_size=20)
tables = st.lists(st.lists(names, min_size=1, max_size=6), min_size=1, max_size=6)


@given(tables)
def test_a_table_is_read_as_it_was_written(table: list[list[str]]) -> None:
    assert list(decode(encode([tuple(line) for line in table]))) == table


@given(names)
def test_escape_leaves_nothing_that_ends_a_field(name: str) -> None:
    escaped = escape(name)
    assert not {"\t", "\n", "\r"} & set(escaped)
    assert unescape(escaped) == name


def test_numbers_become_text() -> None:
    assert encode([("P", 3, "t", 0, "a\tb", "()V"), ("S", "", "", "why", "x\\y")]) == b"P\t3\tt\t0\ta\\tb\t()V\nS\t\t\twhy\tx\\\\y"


def test_a_stray_backslash_stays() -> None:
    assert unescape("a\\b\\") == "a\\b\\"
    assert unescape("\\\\t") == "\\t"

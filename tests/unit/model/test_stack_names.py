"""The names of frames in data files."""

from __future__ import annotations

from mutf8 import encode_modified_utf8

from classhook.measures.profile.reader import kept_methods
from classhook.model.stacks import Frame, Names
from classhook.native._layout import lib


def test_names_are_read_as_the_jvm_writes_them() -> None:
    """In modified UTF-8, which has two surrogates for each character beyond U+FFFF."""
    names = Names()
    parts = ("La/Gr\u00fc\u00dfe\U0001f600;", "`\U0001f600`", "()V", "A.kt")
    names.add(lib.CH_META_METHOD, 7, 3, b"\0".join(map(encode_modified_utf8, parts)))
    assert names.sampled == {7: Frame("a.Gr\u00fc\u00dfe\U0001f600", "`\U0001f600`", "()V", "A.kt", 3)}
    assert names.methods == {7: ("a.Gr\u00fc\u00dfe\U0001f600", "`\U0001f600`", "()V")}


def test_damaged_names_are_shown_as_far_as_they_can_be_read() -> None:
    names = Names()
    names.add(lib.CH_META_METHOD, 7, 0, b"La/B;\0m\xe0\0()V\0")
    assert names.methods == {7: ("a.B", "m\ufffd", "()V")}


def test_samples_of_classes_with_common_rows_belong_to_these() -> None:
    sampled = {
        1: ("a.Made_12", "x", "(La/Made_12;)V"),
        2: ("a.Made_3", "other", "()V"),
        3: ("b.C", "z", "()V"),
        4: ("b.D", "z", "()V"),
    }
    rows = {("a.Made_*", "x", "(La/Made_*;)V"), ("b.C", "z", "()V")}
    found = dict(kept_methods(sampled, rows, ["a.Made_*"]))
    assert found == {1: ("a.Made_*", "x", "(La/Made_*;)V"), 3: ("b.C", "z", "()V")}

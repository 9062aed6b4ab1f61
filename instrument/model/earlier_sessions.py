"""Leaves out the parts of a data file that belong only to earlier sessions of the JVM, whose counters stay in use.

1. Reports subtract what was counted before (baseline.py), so the numbers of an earlier session are zero. Its rules, the
   tables of its classes, its samples and trees remain in the file, and would be rows of zeros.
2. A table of a class belongs to the rules that precede it. A later session that has the same rules uses the same table
   and says only which rules these are.
3. Classes woven ahead of time have rules of their own, in each session.
"""

from __future__ import annotations

from collections.abc import Iterable

from classhook.model.reader import AskedFor
from classhook.rules.syntax import Rule
from classhook.store.data_file import DataFile


def leave_out_earlier(
    file: DataFile, regions: dict[int, AskedFor], rules: Iterable[Rule], ahead: Iterable[str]
) -> None:
    """Leaves out the regions of a later session's file that none of its rules asked for. `regions`: those that only
    some rules fill; `ahead`: the texts of the rules of classes woven ahead of time."""
    if not file.header.session_meta:
        return
    own, words = list(rules), {text.partition(" ")[0] for text in ahead}
    for kind, (of_words, asks) in regions.items():
        if not words.intersection(of_words) and not any(rule.kind in of_words and asks(rule) for rule in own):
            file.regions.pop((kind, 0), None)

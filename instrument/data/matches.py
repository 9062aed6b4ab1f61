"""Which rules matched something in a run, without adding up what was counted: `run` says at its end which did not."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from instrument.data.file import DataError, read_file
from native._layout import ffi

lib = ffi.dlopen(None)  # the header's constants

#: Lines of a class's table (instrument/weaving/probe_table.py): a rule that matches methods, and an allocation that supertypes decide.
MATCHED = re.compile(rb"^R\t(\d+)\t[1-9]", re.MULTILINE)
UNDECIDED = re.compile(rb"^P\t\d+\t[oa]\t-?\d+\t[^\t\n]*\t[^\t\n]*\t\d+\t\d+\t([\d ]+)\t", re.MULTILINE)


def matched_rules(files: Iterable[Path]) -> set[int] | None:
    """The indices of the rules that matched a method, or may have; None if a file does not tell."""
    found: set[int] = set()
    for path in files:
        try:
            file = read_file(path)
            for kind, _, _, text in file.descriptions():
                if kind in (lib.CH_META_CLASS, lib.CH_META_SKIP) and b"\nU\t" not in text:  # a class woven ahead of time has rules of its own
                    found.update(map(int, MATCHED.findall(text)))
                    found.update(int(index) for indices in UNDECIDED.findall(text) for index in indices.split())
        except DataError:
            return None
        if not file.all_described:
            return None
    return found

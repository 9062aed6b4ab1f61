"""What `classhook report` reads: which of its words are data and which are patterns, and the data."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from instrument.data.rows import Snapshot
from instrument.errors import UsageError
from instrument.reports.filters import is_pattern, matcher
from instrument.reports.selection import Selection

MORE = "`classhook run` writes data to the directory given by its -o"
#: `place`, `Orders.place`, `com.acme.Orders#place(int)`: of a method or class, if no file has this name.
NAME = re.compile(r"(?:([\w$]+(?:\.[\w$]+)*)[.#])?([\w$]+)(\(.*\))?")
DATA = (".classhook", ".exec")


class Asked(NamedTuple):
    """Where the data is, and which patterns it is asked for."""

    paths: list[Path]
    patterns: list[str]


def split_arguments(words: Iterable[str], default: str) -> Asked:
    """An existing path is data, whatever its name; any other argument that looks like a pattern is a filter. Raises UsageError for the rest."""
    asked = Asked([], [])
    for word in words:
        if os.path.lexists(word):
            asked.paths.append(Path(word))
        elif is_pattern(word):
            asked.patterns.append(word)
        else:
            raise UsageError(f"{word}: no such file or directory; {MORE}{_meant(word)}")
    return asked if asked.paths else Asked([Path(default)], asked.patterns)


def _meant(word: str) -> str:
    """The pattern of methods that the user may have meant by a word that does not look like a pattern."""
    name = NAME.fullmatch(word) if not word.endswith(DATA) else None
    if name is None:
        return ""
    before, last, parameters = name.groups()
    pattern = f"{before or '**'}::{last}{parameters or ''}" if parameters or not last[0].isupper() else f"{before or '**'}.{last}::*"
    return f"; as a pattern of methods it would be '{pattern}'"


def selection(patterns: Sequence[str], by: str) -> Selection:
    """The rows that are asked for. Raises UsageError, RuleError."""
    return Selection(matcher(patterns) if patterns else None, by)


def read_data(paths: Sequence[Path]) -> tuple[Snapshot, list[Path], list[str]]:
    """What is in data directories and files, which files these are, and complaints of files that could not be moved. Raises UsageError if there is
    no data; some that is missing or cannot be read is noted."""
    from instrument.data.snapshot import read

    files, missing = found(paths)
    from instrument.data.tmpfs import bring_home

    complaints = bring_home(files)
    snapshot = read(files)
    if not snapshot.processes:
        raise UsageError("nothing to report:\n" + "\n".join([*missing, *snapshot.notes]))
    snapshot.notes[:0] = missing
    return snapshot, files, complaints


def found(paths: Sequence[Path]) -> tuple[list[Path], list[str]]:
    """The data files, and what is to be said of paths that do not exist. Raises UsageError if there are no files."""
    from instrument.data.snapshot import data_files

    missing = [f"{path}: no such file or directory" for path in paths if not os.path.lexists(path)]
    files = data_files(path for path in paths if os.path.lexists(path))
    if not files:
        said = "; ".join([*missing, *(f"{path}: no data files" for path in paths if os.path.lexists(path))])
        raise UsageError(f"{said}; {MORE}")
    return files, missing

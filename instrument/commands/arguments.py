"""Arguments of `report`, `coverage` and `diff`: data and patterns.

1. An argument with `::` or `*` is a pattern of methods, whatever files exist. `./` before a name makes it data in any
   case.
2. An argument that exists is data.
3. Behind data, or where the default directory is the data, a word is a name to look up, unless it has a slash or ends
   like a data file: reports also show `<init>`, `lambda in shop.Cart.add`, `+=`, `place-order!`.
4. Anything else is data that is missing.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from classhook.api.reading import HINT
from classhook.api.recording import DEFAULT_DATA
from classhook.base.errors import UsageError
from classhook.commands.near_data import default_data
from classhook.reports.filters import is_pattern, matcher
from classhook.reports.selection import Selection

#: `place`, `Orders.place`, `com.acme.Orders#place(int)`: the name of a method or class, perhaps meant as a pattern.
NAME = re.compile(r"(?:([\w$]+(?:\.[\w$]+)*)[.#])?([\w$]+)(\(.*\))?")
DATA = (".classhook", ".exec")


class Arguments(NamedTuple):
    """Data directories and files; patterns and names of methods."""

    paths: list[Path]
    patterns: list[str]


def split_arguments(words: Iterable[str]) -> Arguments:
    """Data and patterns; if no data is given, the default directory, or that of a folder above or below. Raises
    UsageError for data that does not exist."""
    found = Arguments([], [])
    words = list(words)
    given = any(os.path.lexists(word) for word in words if not is_pattern(word))
    default = Path(DEFAULT_DATA) if given else default_data()
    by_default = not given and os.path.lexists(default)
    for word in words:
        if is_pattern(word) or (is_name(word) and (found.paths or by_default) and not os.path.lexists(word)):
            found.patterns.append(word)
        else:
            found.paths.append(_existing(word, _meant))
    return found if found.paths else Arguments([default], found.patterns)


def is_name(word: str) -> bool:
    """True if a word can be the name of a method or class in some language, and does not look like one of a file."""
    return bool(word.strip()) and "/" not in word and not word.endswith(DATA)


def data_paths(words: Iterable[str]) -> list[Path]:
    """Data; the default directory if none is given. Raises UsageError for patterns, and for data that does not
    exist."""
    for word in words:
        if is_pattern(word):
            raise UsageError(f"{word}: a pattern, where only data is expected; to choose methods: --filter '{word}'")
    return [_existing(word) for word in words] or [Path(DEFAULT_DATA)]


def _existing(word: str, hint: Callable[[str], str] = lambda word: "") -> Path:
    if not os.path.lexists(word):
        raise UsageError(f"{word}: no such file or directory. {HINT}{hint(word)}")
    return Path(word)


def _meant(word: str) -> str:
    """The pattern of methods that the user may have meant by a word that does not look like a pattern."""
    name = NAME.fullmatch(word) if not word.endswith(DATA) else None
    if name is None:
        return ""
    before, last, parameters = name.groups()
    pattern = (
        f"{before or '**'}::{last}{parameters or ''}"
        if parameters or not last[0].isupper()
        else f"{before or '**'}.{last}::*"
    )
    return f". To select methods of this name, write '{pattern}'"


def selection(patterns: Sequence[str], by: str = "") -> Selection:
    """The rows that the patterns match, added up by group. Raises UsageError, RuleError."""
    return Selection(matcher(patterns) if patterns else None, by)


def add_built_classes(parser: argparse.ArgumentParser) -> None:
    """The option for classes that else are found where builds put them."""
    parser.add_argument(
        "--classes",
        metavar="PATH",
        action="append",
        default=[],
        help=(
            "a directory or jar of the program's or the tests' classes; may be repeated (default: target/classes,"
            " build/classes/*/* and the like, in all folders)"
        ),
    )

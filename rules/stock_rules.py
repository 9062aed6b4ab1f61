"""The rule files that come with classhook, in `rules/stock/`, found by name."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from os import PathLike, fspath
from pathlib import Path

from classhook.rules.syntax import Rule

FOLDER = Path(__file__).with_name("stock")
SUFFIX = ".rules"
#: The prefix of the name in `Rule.origin`.
ORIGIN = "stock rules "


def names() -> list[str]:
    """`allocations`, `h2`, ..."""
    return sorted(path.name.removesuffix(SUFFIX) for path in FOLDER.glob(f"*{SUFFIX}"))


def known(name: str) -> str:
    """One of `names()`, for that name, or with the ending; empty: there is none."""
    name = name.removesuffix(SUFFIX)
    return name if name in names() else ""


def beside(rules: Sequence[Rule], matched: Callable[[int], bool]) -> set[int]:
    """The stock rules that did not match, while others of their file did: they are about libraries
    that the program lacks."""
    files = [of_origin(rule.origin) for rule in rules]
    some = {name for index, name in enumerate(files) if name and matched(index)}
    return {index for index, name in enumerate(files) if name in some and not matched(index)}


def is_open(rule: Rule) -> bool:
    """True if it names no class of a library, but patterns or supertypes, so that classes without such methods say
    nothing."""
    patterns = [target.class_pattern for target in rule.targets]
    return all(pattern.subtypes or "*" in pattern.glob for pattern in patterns)


def text(name: str) -> str:
    """The file of this name, one of `names()`."""
    return (FOLDER / (name + SUFFIX)).read_text(encoding="utf-8")


def summary(name: str) -> str:
    """The summary of the rules: the first line of the file, a comment, without its `#`."""
    return text(name).partition("\n")[0].removeprefix("#").strip()


def find(file: str | PathLike[str]) -> str | PathLike[str]:
    """The file to read for `-r FILE`: the file itself if it exists, else the stock rules of that name."""
    name = fspath(file)
    if os.path.lexists(name) and not os.path.isdir(name):
        return file
    stock = known(name)
    return FOLDER / (stock + SUFFIX) if stock else file


def real(path: str | PathLike[str]) -> Path:
    """The path without links, by which a file is known."""
    if Path(path).parent == FOLDER:
        return Path(path)
    try:
        return Path(os.path.realpath(path))
    except ValueError:  # it is no path
        return Path(path)


def origin(found: str | PathLike[str]) -> str:
    """The origin of the rules in a file that `find` returned."""
    path = Path(found)
    return ORIGIN + path.stem if path.parent == FOLDER else fspath(found)


def of_origin(origin: str) -> str:
    """The name of the stock rules that an origin names; empty: it is another file."""
    return origin.removeprefix(ORIGIN) if origin.startswith(ORIGIN) else ""

"""The rule files that come with classhook, in `rules/stock/`, found by name."""

from __future__ import annotations

import os
from os import PathLike, fspath
from pathlib import Path

FOLDER = Path(__file__).with_name("stock")
SUFFIX = ".rules"


def names() -> list[str]:
    """`allocations`, `h2`, ..."""
    return sorted(path.name.removesuffix(SUFFIX) for path in FOLDER.glob(f"*{SUFFIX}"))


def text(name: str) -> str:
    """The file of this name, one of `names()`."""
    return (FOLDER / (name + SUFFIX)).read_text(encoding="utf-8")


def summary(name: str) -> str:
    """What the rules measure: the first line of the file, a comment, without its `#`."""
    return text(name).partition("\n")[0].removeprefix("#").strip()


def find(file: str | PathLike[str]) -> str | PathLike[str]:
    """The file to read for `-r FILE`: the file itself if it exists, else the stock rules of that name, with or without the ending."""
    name = fspath(file)
    if os.path.lexists(name) and not os.path.isdir(name):
        return file
    stock = name.removesuffix(SUFFIX)
    return FOLDER / (stock + SUFFIX) if stock in names() else file

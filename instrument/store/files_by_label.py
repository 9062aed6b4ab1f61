"""The labels of data files, and files chosen by them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from classhook.base import run_labels
from classhook.base.errors import UsageError
from classhook.native._layout import lib
from classhook.store.opening import DataError
from classhook.store.reading import read_file

SHOWN = 8  # values


def labels_of(path: Path) -> dict[str, str]:
    """The labels of the file's run; none if it cannot be read."""
    found: dict[str, str] = {}
    try:
        for kind, _, _, text in read_file(path).descriptions():
            if kind == lib.CH_META_LABELS:
                found |= run_labels.read(text.decode("utf-8", "replace"))
    except DataError:
        pass  # whoever reads it says so
    return found


def having(files: Sequence[Path], wanted: Mapping[str, str]) -> list[Path]:
    """The files whose labels have these values, in which `*` is a wildcard. Raises UsageError if there is none."""
    if not wanted:
        return list(files)
    labels = [labels_of(path) for path in files]
    patterns = {
        name: re.compile(".*".join(map(re.escape, value.split("*"))), re.DOTALL) for name, value in wanted.items()
    }
    kept = [
        path
        for path, own in zip(files, labels, strict=True)
        if all(name in own and pattern.fullmatch(own[name]) for name, pattern in patterns.items())
    ]
    if not kept:
        there = sorted({f"{name}={own[name]}" for own in labels for name in wanted if name in own})
        known = ", ".join(there[:SHOWN]) + (f" and {len(there) - SHOWN} more" if len(there) > SHOWN else "")
        asked = ", ".join(f"{name}={value}" for name, value in wanted.items())
        names = ", ".join(sorted({name for own in labels for name in own}))
        raise UsageError(
            f"no data has the label {asked}; there is"
            f" {known or f'none of this name, only {names}' if names else 'no label at all'}"
        )
    return kept


def grouped(files: Sequence[Path], name: str) -> dict[str, list[Path]]:
    """The files by their values of a label, in the order in which the first run of each value began; under "" those
    without the label."""
    found: dict[str, list[Path]] = {}
    begins: dict[str, int] = {}
    for path in files:
        try:
            header = read_file(path).header
        except DataError:
            continue  # whoever reads it says so
        value, begin = labels_of(path).get(name, ""), header.session_unix_ns or header.start_unix_ns
        found.setdefault(value, []).append(path)
        begins[value] = min(begins.get(value, begin), begin)
    return {value: found[value] for value in sorted(found, key=lambda value: begins[value])}

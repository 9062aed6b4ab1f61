"""Finds the sources of methods in the folders that the user names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from classhook.extensions.fleet.dead.verdicts import Verdicts
from classhook.reports.coverage.sources import Sources


def add_paths(found: Verdicts, folders: Sequence[Path]) -> None:
    """Adds them to the verdicts. Raises UsageError if a folder cannot be read."""
    sources, known = Sources(folders), dict[str, str]()
    for at, one in enumerate(found.found):
        if one.file and one.about.source:
            if one.file not in known:
                source = sources.read(one.file.rpartition("/")[0], one.about.source, {})
                known[one.file] = source.path if source is not None else ""
            found.found[at] = replace(one, place=known[one.file])

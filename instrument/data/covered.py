"""The classes of which coverage was recorded, over data files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from instrument.data.file import DataFile

NO_CLASSES: Mapping[str, bytes] = {}


@dataclass(slots=True)
class Covered:
    """One version of a class, merged over data files.

    name: `a.b.C`; data: the class file as it came to the hook, None if the store lacks it; level: of instrument.coverage.probes;
    levels: by the method's place among those with code, where it was another; hits: one for each probe, 0 and 1, or how often if `counts`.
    """

    name: str
    data: bytes | None
    level: int
    levels: dict[int, int]
    hits: bytes | list[int]
    counts: bool


def covered(files: Iterable[DataFile], known: Mapping[str, bytes] = NO_CLASSES) -> list[Covered]:
    """What the data files tell. `known`: class files by their SHA-256 in hex, for those that the store lacks."""
    return []

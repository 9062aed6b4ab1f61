"""The classes of which coverage was recorded, over data files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(slots=True)
class Covered:
    """One version of a class, merged over data files.

    name: `a.b.C`; data: the class file as it came to the hook, None if the store lacks it; level: of instrument.coverage.probes;
    levels: by the method's place among those with code, where it was another; hits: one for each probe, 0 and 1, or how often if `counts`.
    """

    name: str
    data: bytes | None
    level: int = 0
    levels: dict[int, int] = field(default_factory=dict)
    hits: bytes | list[int] = b""
    counts: bool = False


def covered(files: Iterable[Path]) -> list[Covered]:
    """What the data files tell."""
    return []

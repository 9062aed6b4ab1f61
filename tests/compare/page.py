"""docs/coverage-compared.md: the table of the comparison with JaCoCo."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests import peers
from tests.compare.running import Compared

PAGE = Path(__file__).parents[2] / "docs" / "coverage-compared.md"


@dataclass
class Row:
    """A library by one compiler; `missing`: why it was not compared."""

    title: str
    tests: str
    compiler: str
    found: Compared | None = None
    missing: str = ""


def page(rows: Sequence[Row]) -> str:
    return "\n".join(map(str, rows))
